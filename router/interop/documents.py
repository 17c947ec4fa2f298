"""One entry of ours in another application's file, whatever it is written in: JSON, TOML or YAML.

Text in, text out. Everything but the entry stays byte for byte; `edited` checks that itself, and
refuses rather than damage a file it does not understand.
"""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from router.errors import ConfigError
from router.interop import jsonc
from router.model import JsonObject, as_object

_OTHERWISE = "its servers are written in a way Toolbooth can't change safely; do it by hand"


class Format(StrEnum):
    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


def read(kind: Format, path: Path, text: str) -> JsonObject:
    """What `text` says. Raises `ConfigError` with the line of what is malformed."""
    match kind:
        case Format.JSON:
            return jsonc.parse(path, text).value
        case Format.TOML:
            return _read_toml(path, text).unwrap()
        case Format.YAML:
            return as_object(_plain(_read_yaml(path, text)))


def edited(
    kind: Format, path: Path, text: str, keys: Sequence[str], entry: JsonObject | None
) -> str:
    """`text` with `entry` at `keys`, or without what is there if `entry` is None."""
    match kind:
        case Format.JSON if entry is None:
            new = jsonc.without_member(path, text, keys)
        case Format.JSON:
            new = jsonc.with_member(path, text, keys, cast(JsonObject, entry))
        case Format.TOML:
            new = _edit_toml(path, text, keys, entry)
        case Format.YAML:
            new = _edit_yaml(path, text, keys, entry)
    _check(kind, path, (text, new), keys, entry)
    return new


def entries_at(content: JsonObject, keys: Sequence[str]) -> Any:
    """What stands at `keys`, or None."""
    found: Any = content
    for key in keys:
        found = as_object(found).get(key)
    return found


def has_comments(kind: Format, text: str) -> bool:
    if kind is Format.JSON:
        return jsonc.has_comments(text)
    return re.search(r"(^|\s)#", text) is not None


def _check(
    kind: Format,
    path: Path,
    texts: tuple[str, str],
    keys: Sequence[str],
    entry: JsonObject | None,
) -> None:
    """Only our entry differs, and it says what it should."""
    before, after = (read(kind, path, text) for text in texts)
    if entries_at(after, keys) != entry or _without(before, keys) != _without(after, keys):
        raise ConfigError(path, None, _OTHERWISE)


def _without(content: JsonObject, keys: Sequence[str]) -> JsonObject:
    """`content` less what stands at `keys`, and less the objects left empty by that."""
    rest = copy.deepcopy(content)
    levels = [rest]
    for key in keys[:-1]:
        levels.append(as_object(levels[-1].get(key)))
    levels[-1].pop(keys[-1], None)
    for depth in range(len(keys) - 2, -1, -1):
        if not levels[depth].get(keys[depth]):
            levels[depth].pop(keys[depth], None)
    return rest


def _read_toml(path: Path, text: str) -> Any:
    import tomlkit
    from tomlkit.exceptions import ParseError, TOMLKitError

    try:
        return tomlkit.parse(text)
    except ParseError as error:
        raise ConfigError(path, error.line, "it is not well-formed TOML") from None
    except (TOMLKitError, RecursionError):
        raise ConfigError(path, None, "it is not well-formed TOML") from None


def _edit_toml(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    import tomlkit

    document = _read_toml(path, text)
    *outer, last = keys
    table = document
    for key in outer:
        if key not in table:
            if entry is None:
                return text
            table[key] = tomlkit.table(is_super_table=True)
        table = table[key]
    if entry is None:
        if last not in table:
            return text
        table.remove(last)
    else:
        table[last] = _toml_table(entry)
    return tomlkit.dumps(document)


def _toml_table(entry: JsonObject) -> Any:
    """A table whose own objects stand in one line, as Codex documents it."""
    import tomlkit

    table = tomlkit.table()
    for key, value in entry.items():
        if isinstance(value, dict):
            inline = tomlkit.inline_table()
            for name, text in as_object(cast(object, value)).items():
                inline[name] = text
            table[key] = inline
        else:
            table[key] = value
    return table


def _read_yaml(path: Path, text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        content: Any = YAML(typ="rt").load(text)  # pyright: ignore[reportUnknownMemberType]
    except MarkedYAMLError as error:
        mark: Any = cast(Any, error).problem_mark
        line = None if mark is None else int(mark.line) + 1
        raise ConfigError(path, line, "it is not well-formed YAML") from None
    except (YAMLError, RecursionError):
        raise ConfigError(path, None, "it is not well-formed YAML") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(path, 1, "it must be a mapping: key: value")
    return cast(Any, content)


def _edit_yaml(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    """By lines, since writing the whole anew would wrap and quote what is not ours."""
    if len(keys) != 2:
        raise ConfigError(path, None, _OTHERWISE)
    group, name = keys
    content = _read_yaml(path, text)
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    held = content.get(group)
    if held is not None and name in held:
        first, column = held.lc.key(name)
        last = _end_of_block(lines, first, column)
        new = _yaml_lines({name: entry}, column) if entry is not None else []
        return "".join([*lines[:first], *new, *lines[last:]])
    if entry is None:
        return text
    if not held:
        return _with_yaml_group(lines, content, group, {name: entry})
    first, column = held.lc.key(next(iter(held)))
    if held.fa.flow_style() or column == 0:
        raise ConfigError(path, first + 1, _OTHERWISE)
    final, _ = held.lc.key(list(held)[-1])
    end = _end_of_block(lines, final, column)
    return "".join([*lines[:end], *_yaml_lines({name: entry}, column), *lines[end:]])


def _with_yaml_group(lines: list[str], content: Any, group: str, entries: JsonObject) -> str:
    block = [f"{group}:\n", *_yaml_lines(entries, 2)]
    if group in content:  # empty: `extensions:` or `extensions: {}`
        place, _ = content.lc.key(group)
        return "".join([*lines[:place], *block, *lines[place + 1 :]])
    return "".join([*lines, *block])


def _end_of_block(lines: list[str], first: int, column: int) -> int:
    """The line behind the block that begins at `first`, without blanks and comments that follow."""
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


def _yaml_lines(content: JsonObject, indent: int) -> list[str]:
    from ruamel.yaml import YAML

    out, yaml = io.StringIO(), YAML()
    yaml.default_flow_style = False
    yaml.width = 4096
    yaml.dump(content, out)  # pyright: ignore[reportUnknownMemberType]
    return [f"{' ' * indent}{line}\n" for line in out.getvalue().splitlines()]


def _plain(value: Any) -> Any:
    """ruamel's containers as Python's own, so that they compare and copy plainly."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in cast(dict[Any, Any], value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[Any], value)]
    return value
