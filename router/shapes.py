"""What the shapes of our files have in common: camelCase in JSON, frozen, nothing unknown."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from router.model import JsonObject


class Shape(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid"
    )

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
