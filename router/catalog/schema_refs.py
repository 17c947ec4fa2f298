"""Resolves the references in a part of a schema, so that the part can be read alone.

Only references within the schema. A schema may be recursive and branch exponentially, so depth and
size are bounded, for each part and for all together; what exceeds them is left empty.
"""

from __future__ import annotations

from typing import cast

from router.domain.json_values import JsonObject, as_object

MAX_DEPTH = 24
MAX_FOLLOWED = 5
MAX_PARTS = 2_000
MAX_IN_ALL = 20_000


class Resolver:
    """Resolves parts of one schema."""

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._left = 0
        self._left_in_all = MAX_IN_ALL

    def resolved(self, definition: object) -> JsonObject:
        """`definition`, which is a part of the schema."""
        self._left = given = min(MAX_PARTS, self._left_in_all)
        expanded = as_object(self._expand(definition, 0, 0))
        self._left_in_all -= given - max(self._left, 0)
        return expanded

    def _expand(self, part: object, depth: int, followed: int) -> object:
        self._left -= 1
        if isinstance(part, list):
            items = cast(list[object], part) if self._reaches(depth) else []
            return [self._expand(each, depth + 1, followed) for each in items]
        if not isinstance(part, dict):
            return part
        if not self._reaches(depth):
            return {}
        own = cast(JsonObject, part)
        while isinstance(own.get("$ref"), str) and followed < MAX_FOLLOWED:
            followed += 1
            others = {key: value for key, value in own.items() if key != "$ref"}
            own = {**self._target(str(own["$ref"])), **others}
        return {key: self._expand(value, depth + 1, followed) for key, value in own.items()}

    def _reaches(self, depth: int) -> bool:
        return depth < MAX_DEPTH and self._left > 0

    def _target(self, reference: str) -> JsonObject:
        """The target of `#/$defs/Name`; empty for an external or dangling reference."""
        at: object = self._schema if reference.startswith("#") else {}
        for step in reference.removeprefix("#").split("/")[1:]:
            at = as_object(at).get(step.replace("~1", "/").replace("~0", "~"))
        return as_object(at)
