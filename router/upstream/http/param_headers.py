"""Arguments that are also sent as HTTP headers, for routing.

In the modern revision, an argument whose property has `x-mcp-header` is repeated in the header
`Mcp-Param-<name>`. A tool with an invalid `x-mcp-header` may not be called, so it is not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from router.domain.json_values import JsonObject, as_object
from router.wire.mcp import header_value

_HEADER_KEY = "x-mcp-header"
_PREFIX = "mcp-param-"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = ("string", "integer", "boolean")
_MAX_PARTS = 10_000


def param_headers(schema: JsonObject, arguments: JsonObject) -> dict[str, str]:
    """The headers for `arguments`; none for an absent or null one."""
    headers: dict[str, str] = {}
    for path, marked in _properties(schema):
        value = _at(arguments, path)
        if isinstance(name := marked.get(_HEADER_KEY), str) and isinstance(
            value, str | int | float
        ):
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            headers[_PREFIX + name.lower()] = header_value(shown)
    return headers


def has_invalid_param_headers(schema: JsonObject) -> bool:
    """Whether an `x-mcp-header` has an invalid position, type or name, or occurs twice."""
    marked = [each for _, each in _properties(schema) if _HEADER_KEY in each]
    names = [each[_HEADER_KEY].lower() for each in marked if _is_valid(each)]
    return (
        len(names) < len(marked)
        or len(set(names)) < len(names)
        or _count_header_keys(schema) > len(marked)
    )


def _is_valid(marked: JsonObject) -> bool:
    name = marked[_HEADER_KEY]
    fit = isinstance(name, str) and _NAME.fullmatch(name) is not None
    return fit and marked.get("type") in _TYPES


def _properties(schema: JsonObject) -> Iterator[tuple[tuple[str, ...], JsonObject]]:
    """The properties that are nested in objects only, at any depth, up to a bound."""
    stack: list[tuple[tuple[str, ...], JsonObject]] = [((), schema)]
    for _ in range(_MAX_PARTS):
        if not stack:
            return
        prefix, each = stack.pop()
        for name, found in as_object(each.get("properties")).items():
            entry = ((*prefix, name), as_object(found))
            stack.append(entry)
            yield entry


def _count_header_keys(schema: JsonObject) -> int:
    """How many `x-mcp-header` keys the schema has anywhere."""
    stack: list[object] = [schema]
    count = 0
    for _ in range(_MAX_PARTS):
        if not stack:
            break
        part = stack.pop()
        if isinstance(part, dict):
            members = cast(JsonObject, part)
            count += _HEADER_KEY in members
            stack += members.values()
        elif isinstance(part, list):
            stack += cast("list[object]", part)
    return count


def _at(arguments: JsonObject, path: tuple[str, ...]) -> object:
    value: object = arguments
    for name in path:
        value = as_object(value).get(name)
    return value
