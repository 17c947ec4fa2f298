"""The base of all configuration models: camelCase in JSON, immutable, unknown keys refused."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from router.domain.json_values import JsonObject

_SENTENCES = {
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
}


class ConfigModel(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid"
    )

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def first_problem(error: ValidationError) -> str:
    """The first thing wrong with a value, as `problem_text`."""
    return problem_text(error.errors()[0])


def problem_text(problem: ErrorDetails) -> str:
    """What is wrong and where, without a full stop and without the value, which may be a secret."""
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] in _SENTENCES:
        return f'"{place}" {_SENTENCES[problem["type"]]}'
    message = problem["msg"].removeprefix("Value error, ")
    message = f"{message[:1].lower()}{message[1:]}"
    return f"{place}: {message}" if place else message
