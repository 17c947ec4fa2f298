"""Edits YAML in place: one entry of a group is added, replaced or removed, by its lines. Dumping
the whole document would reformat what is not ours."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from router.apps.line_edit import UNSAFE_EDIT, replace_lines
from router.domain.errors import ConfigError
from router.domain.json_values import JsonObject, as_object

_MAX_VALUES = 200_000
_EMPTY = re.compile(r":(?:[ \t]*(?:\{[ \t]*\}|null|Null|NULL|~))?(?=[ \t]*(?:#.*)?$)")


def parse(path: Path, text: str) -> JsonObject:
    content = _parsed(path, text)
    try:
        return as_object(_plain(content, iter(range(_MAX_VALUES))))
    except (StopIteration, RecursionError):
        raise ConfigError(path, None, "it has too many values or levels") from None


def edited(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    """`text` with `entry` at `keys`, its group and name; without it if `entry` is None."""
    group, name = keys
    content = _parsed(path, text)
    servers: Any = content.get(group)
    if not isinstance(servers, dict | None):
        raise ConfigError(path, int(content.lc.key(group)[0]) + 1, UNSAFE_EDIT)
    servers = cast(Any, servers)
    if servers and name in servers:
        first, column = _position(path, servers, name)
        if first == content.lc.key(group)[0]:
            raise ConfigError(path, first + 1, UNSAFE_EDIT)
        last = _end_of_block(text.splitlines(), first, column)
        if entry is not None:
            return replace_lines(text, first, last, _entry_lines({name: entry}, column))
        rest = replace_lines(text, first, last, [])
        return rest if len(servers) > 1 else _emptied(rest, content.lc.key(group)[0])
    if entry is None:
        return text
    if not servers:
        return _with_group(text, content, group, {name: entry})
    return _with_entry(path, text, servers, {name: entry})


def _with_entry(path: Path, text: str, servers: Any, entry: JsonObject) -> str:
    first, column = _position(path, servers, next(iter(servers)))
    if servers.fa.flow_style() or column == 0:
        raise ConfigError(path, first + 1, UNSAFE_EDIT)
    final, _ = _position(path, servers, list(servers)[-1])
    end = _end_of_block(text.splitlines(), final, column)
    return replace_lines(text, end, end, _entry_lines(entry, column))


def _position(path: Path, servers: Any, key: object) -> tuple[int, int]:
    """Line and column of a key; a merged key (`<<`) has none here."""
    try:
        line, column = servers.lc.key(key)
    except (KeyError, TypeError):
        raise ConfigError(path, None, UNSAFE_EDIT) from None
    return line, column


def _with_group(text: str, content: Any, group: str, entries: JsonObject) -> str:
    lines, below = text.splitlines(), _entry_lines(entries, 2)
    if group not in content:
        return replace_lines(text, len(lines), len(lines), [f"{group}:", *below])
    line = int(content.lc.key(group)[0])
    return replace_lines(text, line, line + 1, [_EMPTY.sub(":", lines[line], count=1), *below])


def _emptied(text: str, group: int) -> str:
    """`{}` for the group in line `group`: without it the value would be null, which the application
    does not accept as a group."""
    line = text.splitlines()[group]
    return replace_lines(text, group, group + 1, [_EMPTY.sub(": {}", line, count=1)])


def _end_of_block(lines: list[str], first: int, column: int) -> int:
    """The end of the block that begins at `first`, without trailing blank lines and comments."""
    end = first + 1
    for number in range(first + 1, len(lines)):
        stripped = lines[number].strip()
        if not stripped or stripped.startswith("#"):
            continue
        indent = len(lines[number]) - len(lines[number].lstrip(" "))
        if indent <= column:
            break
        end = number + 1
    return end


def _parsed(path: Path, text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        content: Any = YAML(typ="rt").load(text)  # pyright: ignore[reportUnknownMemberType]
    except MarkedYAMLError as error:
        mark: Any = cast(Any, error).problem_mark
        line = None if mark is None else int(mark.line) + 1
        raise ConfigError(path, line, "it is not valid YAML") from None
    except (YAMLError, ValueError, RecursionError):  # What looks like a date may be invalid.
        raise ConfigError(path, None, "it is not valid YAML") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(path, 1, "it must be a mapping: key: value")
    return cast(Any, content)


def _entry_lines(content: JsonObject, indent: int) -> list[str]:
    from ruamel.yaml import YAML

    out, yaml = io.StringIO(), YAML()
    yaml.default_flow_style = False
    yaml.width = 4096
    yaml.dump(content, out)  # pyright: ignore[reportUnknownMemberType]
    return [f"{' ' * indent}{line}" for line in out.getvalue().splitlines()]


def _plain(value: Any, left: Iterator[int]) -> Any:
    """ruamel's containers as plain dicts and lists. `left` counts the values: aliases of aliases
    would expand without limit."""
    next(left)
    if isinstance(value, dict):
        items = cast(dict[Any, Any], value).items()
        return {str(key): _plain(each, left) for key, each in items}
    if isinstance(value, list):
        return [_plain(item, left) for item in cast(list[Any], value)]
    return value
