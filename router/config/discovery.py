"""Settings of discovery: limits of tool lists, and isolation."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from router.config.base import ConfigModel
from router.domain.tool_lists import DEFAULT_LIMITS, STRICT_LIMITS, ListLimits


class ListLimitSettings(ConfigModel):
    """How much of each tool list is shown: a preset, and deviations from it."""

    preset: Literal["default", "strict"] = Field(
        default="default",
        description="default fits real servers; strict shows little, and no composed schemas.",
    )
    tools: int | None = Field(default=None, ge=1, le=2000, description="Tools of one server.")
    description_characters: int | None = Field(
        default=None, ge=20, le=100_000, description="Characters of a tool's description."
    )
    schema_kb: int | None = Field(default=None, ge=1, le=1024, description="KB of one schema.")
    schema_description_characters: int | None = Field(
        default=None, ge=20, le=100_000, description="Characters of a description in a schema."
    )
    composed_schemas: bool | None = Field(
        default=None, description="Whether $ref, allOf, anyOf, oneOf, if, then and else are kept."
    )

    def limits(self) -> ListLimits:
        given = {
            "tools": self.tools,
            "description_characters": self.description_characters,
            "schema_bytes": self.schema_kb and self.schema_kb * 1024,
            "schema_description_characters": self.schema_description_characters,
            "composed_schemas": self.composed_schemas,
        }
        preset = STRICT_LIMITS if self.preset == "strict" else DEFAULT_LIMITS
        return replace(preset, **{k: v for k, v in given.items() if v is not None})


class IsolationSettings(ConfigModel):
    """Isolation of servers during discovery."""

    required_level: int = Field(
        default=0,
        ge=0,
        le=3,
        description="The isolation that discovery needs: 3 full, 2 confined, 1 limited, 0 none.",
    )
    strict: bool = Field(
        default=False, description="Limit servers to 256 MB and a quarter of a core, not 512 MB."
    )
    memory_mb: int | None = Field(
        default=None, ge=64, le=65536, description="The memory limit in MB, instead."
    )
