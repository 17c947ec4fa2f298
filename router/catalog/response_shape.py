"""The shape of a tool's results as it was seen: names and types, no values.

For tools without an output schema. Kept in memory, and only for the principal whose call it was:
the names in a result can tell as much as its values.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import cast

from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import lua_identifier

_MAX_KEPT = 500
_MAX_TEXT = 64 * 1024
_MAX_MEMBERS = 12
_MAX_DEPTH = 5
_MAX_SHAPE = 600
_NAMES: dict[type[object], str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


@dataclass(slots=True)
class ResponseShapes:
    _shapes: OrderedDict[tuple[Hashable, ToolKey], str] = field(
        default_factory=OrderedDict[tuple[Hashable, ToolKey], str]
    )

    def see(self, owner: Hashable, key: ToolKey, value: object) -> None:
        """Remember the shape of a tool's result. The first one is kept: most calls cost nothing."""
        if (owner, key) not in self._shapes:
            self._shapes[owner, key] = shape_of(value)
            if len(self._shapes) > _MAX_KEPT:
                self._shapes.popitem(last=False)

    def seen(self, owner: Hashable, key: ToolKey) -> str | None:
        return self._shapes.get((owner, key))


def shape_of(value: object) -> str:
    """`{name: string, items: {id: number}[]}`; a text that is JSON has the shape of its value, as
    scripts get it."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and len(value) <= _MAX_TEXT:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return "string"
    text = _shape(value, 0)
    return text if len(text) <= _MAX_SHAPE else f"{text[: _MAX_SHAPE - 1]}…"


def _shape(value: object, depth: int) -> str:
    if isinstance(value, list):
        items = as_array(cast(object, value))
        return f"{_shape(items[0], depth + 1)}[]" if items and depth < _MAX_DEPTH else "any[]"
    if isinstance(value, dict):
        return _members(as_object(cast(object, value)), depth)
    return _NAMES.get(type(value), "any")


def _members(value: JsonObject, depth: int) -> str:
    if depth >= _MAX_DEPTH:
        return "{…}"
    shown = [
        f"{name if lua_identifier(name) == name else json.dumps(name)}: {_shape(each, depth + 1)}"
        for name, each in list(value.items())[:_MAX_MEMBERS]
    ]
    return f"{{{', '.join([*shown, '…'] if len(value) > _MAX_MEMBERS else shown)}}}"
