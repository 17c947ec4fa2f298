"""A part of a schema with what it refers to in its place, for those who read only that part.

References within the schema only. A schema may refer to itself and branch as it does: how deep and
how much is followed is bounded, and what lies beyond is left empty.
"""

from __future__ import annotations

from typing import cast

from router.model import JsonObject, as_object

MAX_DEPTH = 24
MAX_FOLLOWED = 5
MAX_PARTS = 2_000


def resolved(definition: object, schema: JsonObject) -> JsonObject:
    """`definition`, which is a part of `schema`."""
    return as_object(_Resolver(schema).expand(definition, 0, 0))


class _Resolver:
    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._left = MAX_PARTS

    def expand(self, part: object, depth: int, followed: int) -> object:
        self._left -= 1
        if isinstance(part, list):
            items = cast(list[object], part) if self._reaches(depth) else []
            return [self.expand(each, depth + 1, followed) for each in items]
        if not isinstance(part, dict):
            return part
        if not self._reaches(depth):
            return {}
        own = cast(JsonObject, part)
        while isinstance(own.get("$ref"), str) and followed < MAX_FOLLOWED:
            followed += 1
            others = {key: value for key, value in own.items() if key != "$ref"}
            own = {**self._target(str(own["$ref"])), **others}
        return {key: self.expand(value, depth + 1, followed) for key, value in own.items()}

    def _reaches(self, depth: int) -> bool:
        return depth < MAX_DEPTH and self._left > 0

    def _target(self, reference: str) -> JsonObject:
        """What `#/$defs/Name` points to; nothing where it points elsewhere or to nothing."""
        at: object = self._schema if reference.startswith("#") else {}
        for step in reference.removeprefix("#").split("/")[1:]:
            at = as_object(at).get(step.replace("~1", "/").replace("~0", "~"))
        return as_object(at)
