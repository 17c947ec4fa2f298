"""Edits TOML in place: one table is added, replaced or removed, by its lines.

A table is found by its header. Tables in another form (inline, dotted keys), and lines that only
look like a header, are not handled: the caller verifies the result.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from router.apps.line_edit import MAX_DEPTH, TOO_DEEP, replace_lines
from router.domain.errors import ConfigError
from router.domain.json_values import JsonObject, as_object, is_deeper

_LINE = re.compile(r"at line (\d+)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def parse(path: Path, text: str) -> JsonObject:
    try:
        content = tomllib.loads(text)
    except ValueError as error:  # Also for a number with more digits than Python accepts.
        found = _LINE.search(str(error))
        line = int(found[1]) if found else len(text.splitlines())
        raise ConfigError(path, line, "it is not valid TOML") from None
    except RecursionError:
        raise ConfigError(path, None, TOO_DEEP) from None
    if is_deeper(content, MAX_DEPTH):  # as the parts of a dotted key are
        raise ConfigError(path, None, TOO_DEEP)
    return content


def edited(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    """`text` with `entry` as the table `keys`; without it if `entry` is None. A new table is added
    after its siblings, else at the end."""
    lines = text.splitlines()
    runs = _runs(lines, keys)
    if entry is None:
        return _without(text, runs)
    block = _block(keys, entry)
    if runs:
        first, *others = runs
        return replace_lines(_without(text, others), *first, block)
    beside = _runs(lines, keys[:-1])
    end = beside[-1][1] if beside else len(lines)
    return replace_lines(text, end, end, ["", *block] if end else block)


def _without(text: str, runs: Sequence[tuple[int, int]]) -> str:
    """The blank line above a table is removed with it."""
    lines = text.splitlines()
    for first, end in reversed(runs):
        above = 1 if first and not lines[first - 1].strip() else 0
        text = replace_lines(text, first - above, end, [])
    return text


def _runs(lines: list[str], keys: Sequence[str]) -> list[tuple[int, int]]:
    """The line ranges of the tables within `keys`, adjacent ones merged. Trailing blank lines and
    comments belong to what follows."""
    headers = [(number, name) for number, line in enumerate(lines) if (name := _header_keys(line))]
    runs: list[tuple[int, int]] = []
    last_end = -1
    for (header, name), (next_header, _) in pairwise([*headers, (len(lines), ())]):
        if name[: len(keys)] != tuple(keys):
            continue
        first = runs.pop()[0] if header == last_end else header
        last_end = end = next_header
        while end > header + 1 and lines[end - 1].strip()[:1] in ("", "#"):
            end -= 1
        runs.append((first, end))
    return runs


def _header_keys(line: str) -> tuple[str, ...]:
    """The keys a and `b c` for `[a."b c"]`; none for any other line."""
    if not line.lstrip().startswith("["):
        return ()
    try:
        found: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    keys: list[str] = []
    while isinstance(found, dict) and found:
        [(key, found)] = cast(dict[str, Any], found).items()
        keys.append(key)
    return tuple(keys)


def _block(keys: Sequence[str], entry: JsonObject) -> list[str]:
    values = [f"{_key(name)} = {_value(value)}" for name, value in entry.items()]
    return [f"[{'.'.join(map(_key, keys))}]", *values]


def _value(value: object) -> str:
    """An object becomes an inline table, as Codex documents it. All other values we write are the
    same in JSON and TOML."""
    if isinstance(value, dict):
        members = as_object(cast(object, value)).items()
        return f"{{ {', '.join(f'{_key(name)} = {_value(each)}' for name, each in members)} }}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
