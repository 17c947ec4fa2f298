"""`settings.json`. Each setting is declared once, with the description that the settings dialog and
the documentation show. `router.store` reads and writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import Literal

from pydantic import Field

from router.config.base import ConfigModel
from router.config.workspace import SCHEMA_VERSION
from router.domain.ids import WorkspaceId
from router.domain.tool_lists import DEFAULT_LIMITS, STRICT_LIMITS, ListLimits

DEFAULT_PORT = 3717
DEFAULT_SESSION_LIMIT = 1000


class ListLimitSettings(ConfigModel):
    """How much of each tool list is shown: a preset, and deviations from it."""

    preset: Literal["default", "strict"] = Field(
        default="default",
        description="default fits real servers; strict shows little, and no composed schemas.",
    )
    tools: int | None = Field(default=None, ge=1, le=100_000, description="Tools of one server.")
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
        given = self.model_dump(exclude={"preset", "schema_kb"}, exclude_none=True)
        if self.schema_kb is not None:
            given["schema_bytes"] = self.schema_kb * 1024
        return replace(STRICT_LIMITS if self.preset == "strict" else DEFAULT_LIMITS, **given)


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


class Settings(ConfigModel):
    """`settings.json`: what holds for the whole application."""

    schema_version: Literal[1] = SCHEMA_VERSION
    active_workspace: WorkspaceId = Field(
        default=WorkspaceId("personal"), description="The workspace that /mcp and the window use."
    )
    port: int = Field(
        default=DEFAULT_PORT,
        ge=0,
        le=65535,
        description="The port that the router listens on (127.0.0.1).",
    )
    open_endpoint: bool = Field(
        default=False, description="Allow any program on this computer to connect without a token."
    )
    confirm_commands: bool = Field(
        default=True,
        description="A person confirms commands that approve something or loosen permissions.",
    )
    results_per_search: int = Field(
        default=8,
        ge=1,
        le=100,
        description="How many tools a search returns by default.",
    )
    learn_from_use: bool = Field(
        default=True,
        description="Rank tools higher that were used after similar searches.",
    )
    cloud_search_url: str = Field(
        default="",
        max_length=2000,
        description="The service used for cloud search. Its key is stored in the keyring.",
    )
    log_arguments: bool = Field(
        default=False, description="Also log search queries and tool arguments."
    )
    activity_days: int = Field(
        default=30, ge=1, le=3650, description="How many days of activity to keep."
    )
    activity_mb: int = Field(
        default=64, ge=1, le=4096, description="The maximum size of the activity log, in MB."
    )
    call_timeout_s: float = Field(
        default=300, gt=0, le=86400, description="The maximum duration of a tool call."
    )
    ask_timeout_s: float = Field(
        default=60, ge=1, le=3600, description="How long a call waits for your permission."
    )
    idle_timeout_s: float = Field(
        default=600,
        ge=1,
        le=86400,
        description="How long a server can be idle before it is stopped.",
    )
    bridge_starts_router: bool = Field(
        default=True,
        description="Start Toolbooth when an app connects with `toolbooth connect`.",
    )
    result_limit_kb: int = Field(
        default=64,
        ge=0,
        le=65536,
        description="How many KB of a result tool_execute returns at a time; 0 returns all of it.",
    )
    message_limit_mb: int = Field(
        default=8,
        ge=1,
        le=1024,
        description="The maximum size of one message of a server, such as a result, in MB.",
    )
    session_limit: int = Field(
        default=DEFAULT_SESSION_LIMIT,
        ge=1,
        le=100_000,
        description="How many client sessions there may be at once, and half of all connections.",
    )
    list_limits: ListLimitSettings = Field(
        default=ListLimitSettings(), description="The limits on the tool list of each server."
    )
    isolation: IsolationSettings = Field(
        default=IsolationSettings(), description="How servers are isolated during discovery."
    )
    offer_execute: bool = Field(
        default=False,
        description="Also offer scripts (execute) to clients that search for tools.",
    )
    script_timeout_s: float = Field(
        default=300, gt=0, le=86400, description="The maximum duration of a script."
    )
    script_calls: int = Field(
        default=1000, ge=1, le=100_000, description="The maximum number of calls a script can make."
    )
    script_memory_mb: int = Field(
        default=64, ge=8, le=4096, description="The maximum memory a script can use, in MB."
    )
    theme: Literal["system", "light", "dark"] = Field(
        default="system", description="The color theme of the window."
    )
    language: Literal["system", "en", "ja"] = Field(
        default="system", description="The language of the window."
    )
    start_hidden: bool = Field(default=False, description="Start without opening the window.")
    welcome_shown: bool = Field(
        default=False, description="Whether the setup guide has been shown."
    )
    close_hint_shown: bool = Field(
        default=False, description="Whether the hint about closing to the tray has been shown."
    )

    def changed(self, changes: Mapping[str, object]) -> Settings:
        """With these fields changed. A dot leads to a field inside: `isolation.strict`. Raises
        `ValidationError`."""
        values = self.model_dump()
        for field, value in changes.items():
            *path, name = field.split(".")
            reduce(getitem, path, values)[name] = value
        return Settings.model_validate(values)
