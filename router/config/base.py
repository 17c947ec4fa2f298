"""The base of all configuration models: camelCase in JSON, immutable, unknown keys refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from router.domain.json_values import JsonObject


class ConfigModel(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid"
    )

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def first_problem(error: ValidationError) -> str:
    """The first thing wrong with a value, without a full stop and without the value, which may be
    a secret."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
