"""Edits TOML in place: one table is added, replaced or removed, by its lines.

A table is found by its header. Tables in another form (inline, dotted keys), and lines that only
look like a header, are not handled: the caller verifies the result.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from router.apps.line_edit import replace_lines
from router.domain.errors import ConfigError
from router.domain.json_values import JsonObject, as_object

_LINE = re.compile(r"at line (\d+)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _Section:
    """A header's keys, and its lines up to the next header."""

    keys: tuple[str, ...]
    first: int
    last: int

    def is_within(self, keys: Sequence[str]) -> bool:
        return self.keys[: len(keys)] == tuple(keys)


def parse(path: Path, text: str) -> JsonObject:
    try:
        return tomllib.loads(text)
    except ValueError as error:  # Also for a number with more digits than Python accepts.
        found = _LINE.search(str(error))
        line = int(found[1]) if found else len(text.splitlines())
        raise ConfigError(path, line, "it is not valid TOML") from None
    except RecursionError:
        raise ConfigError(path, None, "it is nested too deeply") from None


def with_table(text: str, keys: Sequence[str], entry: JsonObject) -> str:
    """A new table is added after its siblings, else at the end."""
    block = _block(keys, entry)
    if runs := _runs(text.splitlines(), keys):
        first, *others = runs
        return replace_lines(_without(text, others), *first, block)
    lines = text.splitlines()
    beside = _runs(lines, keys[:-1])
    end = beside[-1][1] if beside else len(lines)
    return replace_lines(text, end, end, ["", *block] if end else block)


def without_table(text: str, keys: Sequence[str]) -> str:
    return _without(text, _runs(text.splitlines(), keys))


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
    runs: list[tuple[int, int]] = []
    last_end = -1
    for section in _sections(lines):
        if not section.is_within(keys):
            continue
        first = runs.pop()[0] if section.first == last_end else section.first
        last_end = end = section.last
        while end > section.first + 1 and _is_blank_or_comment(lines[end - 1]):
            end -= 1
        runs.append((first, end))
    return runs


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _sections(lines: list[str]) -> Iterator[_Section]:
    headers = [(number, keys) for number, line in enumerate(lines) if (keys := _header_keys(line))]
    for (first, keys), (last, _) in pairwise([*headers, (len(lines), ())]):
        yield _Section(keys, first, last)


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
