"""`settings.json`. Each setting is declared once, with the description that the settings dialog and
the documentation show. `router.store` reads and writes the file.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from router.config.base import ConfigModel
from router.config.discovery import IsolationSettings, ListLimitSettings
from router.config.workspace import SCHEMA_VERSION
from router.domain.ids import WorkspaceId

DEFAULT_PORT = 3717


class Settings(ConfigModel):
    """`settings.json`: what holds for the whole application."""

    schema_version: Literal[1] = SCHEMA_VERSION
    active_workspace: WorkspaceId = Field(
        default=WorkspaceId("personal"), description="The workspace that /mcp and the window show."
    )
    port: int = Field(default=DEFAULT_PORT, ge=0, le=65535, description="The port on 127.0.0.1.")
    open_endpoint: bool = Field(
        default=False, description="Let every program on this computer connect without a token."
    )
    results_per_search: int = Field(
        default=8,
        ge=1,
        le=100,
        description="How many tools a search returns unless the client says.",
    )
    learn_from_use: bool = Field(
        default=True,
        description="Let what was run after a search raise those tools for similar searches.",
    )
    cloud_search_url: str = Field(
        default="",
        max_length=2000,
        description="The service that cloud search asks; its token is in the keyring.",
    )
    log_arguments: bool = Field(
        default=False, description="Also write search texts and arguments into the activity log."
    )
    activity_days: int = Field(default=30, ge=1, le=3650, description="How long activity is kept.")
    activity_mb: int = Field(
        default=64, ge=1, le=4096, description="How many MB of activity are kept at most."
    )
    call_timeout_s: float = Field(
        default=300, gt=0, le=86400, description="How long one tool call may take."
    )
    ask_timeout_s: float = Field(
        default=60, ge=1, le=3600, description="How long a call waits for your yes."
    )
    idle_timeout_s: float = Field(
        default=600, ge=1, le=86400, description="After how long unused a server is stopped."
    )
    bridge_starts_router: bool = Field(
        default=True,
        description="Start Toolbooth when an app connects by `toolbooth connect`.",
    )
    result_limit_kb: int = Field(
        default=64,
        ge=0,
        le=65536,
        description="How many KB of a result tool_execute returns at once; 0 means all of it.",
    )
    list_limits: ListLimitSettings = Field(
        default_factory=ListLimitSettings, description="How much of each server's list is shown."
    )
    isolation: IsolationSettings = Field(
        default_factory=IsolationSettings,
        description="What protects the computer while a server's lists are learnt.",
    )
    offer_execute: bool = Field(
        default=False,
        description="Offer scripts (execute) to clients that search for tools, too.",
    )
    script_timeout_s: float = Field(
        default=300, gt=0, le=86400, description="How long one script may take."
    )
    script_calls: int = Field(
        default=1000, ge=1, le=100_000, description="How many calls one script may make."
    )
    script_memory_mb: int = Field(
        default=64, ge=8, le=4096, description="How much memory one script may use, in MB."
    )
    theme: Literal["system", "light", "dark"] = Field(
        default="system", description="The window's colours."
    )
    language: Literal["system", "en", "ja"] = Field(
        default="system", description="The window's language."
    )
    start_hidden: bool = Field(
        default=False, description="Open no window when you start Toolbooth yourself."
    )
    welcome_shown: bool = Field(
        default=False, description="Whether the guide for the first run was shown."
    )
    close_hint_shown: bool = Field(
        default=False, description="Whether the hint that closing hides to the tray was shown."
    )
