"""Arguments that a tool's schema wants repeated in HTTP headers, for those who route by them.

In the stateless revision a property marked `x-mcp-header` goes into `Mcp-Param-<name>` as well. A
tool whose marks make no sense may not be called, so it is not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from router.domain.json_values import JsonObject, as_object
from router.wire.mcp import header_value

_MARK = "x-mcp-header"
_PREFIX = "mcp-param-"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = ("string", "integer", "boolean")
_MOST_PARTS = 10_000


def mirrored_headers(schema: JsonObject, arguments: JsonObject) -> dict[str, str]:
    """The headers that repeat `arguments`; none for what is absent or null."""
    headers: dict[str, str] = {}
    for path, marked in _properties(schema):
        value = _at(arguments, path)
        if isinstance(name := marked.get(_MARK), str) and isinstance(value, str | int | float):
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            headers[_PREFIX + name.lower()] = header_value(shown)
    return headers


def has_bad_marks(schema: JsonObject) -> bool:
    """Whether a mark is in a place, of a kind or under a name that it may not be."""
    marked = [each for _, each in _properties(schema) if _MARK in each]
    names = [each[_MARK].lower() for each in marked if _is_fit(each)]
    return len(names) < len(marked) or len(set(names)) < len(names) or _marks(schema) > len(marked)


def _is_fit(marked: JsonObject) -> bool:
    name = marked[_MARK]
    fit = isinstance(name, str) and _NAME.fullmatch(name) is not None
    return fit and marked.get("type") in _TYPES


def _properties(
    schema: JsonObject, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    """The properties that lie in nothing but objects, however deep, up to a bound."""
    waiting = [(path, schema)]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        place, each = waiting.pop()
        for name, found in as_object(each.get("properties")).items():
            entry = ((*place, name), as_object(found))
            waiting.append(entry)
            yield entry


def _marks(schema: JsonObject) -> int:
    """How many there are in all, wherever they stand."""
    waiting: list[object] = [schema]
    count = 0
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, dict):
            members = cast(JsonObject, part)
            count += _MARK in members
            waiting += members.values()
        elif isinstance(part, list):
            waiting += cast("list[object]", part)
    return count


def _at(arguments: JsonObject, path: tuple[str, ...]) -> object:
    value: object = arguments
    for name in path:
        value = as_object(value).get(name)
    return value
