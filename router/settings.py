"""The shapes of our files: settings, workspaces, servers. Declared once, with descriptions that the
settings dialog and the documentation show. No I/O: `router.store` reads and writes them.

JSON keys are camelCase because the `mcpServers` part has the shape every client uses, so that
people can paste theirs.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from router.learning_settings import IsolationSettings, ListLimitSettings
from router.lists import ApprovalPolicy
from router.model import (
    Exposure,
    JsonObject,
    Optimization,
    Permission,
    ProjectId,
    ServerId,
    WorkspaceId,
)
from router.server_config import ServerConfig as ServerConfig
from router.shapes import Shape

SCHEMA_VERSION = 1
DEFAULT_PORT = 3717
FOLDER_HEADER = "Toolbooth-Folder"
"""With which a client says in which folder it works."""
SESSION_HEADER = "Toolbooth-Session"
"""With which a client of the stateless revision tells its sessions apart."""


class PermissionRule(Shape):
    """A permission for all that fits it. In patterns `*` stands for anything."""

    permission: Permission
    server: str = Field(default="*", description="The servers it is about.")
    tool: str | None = Field(default=None, description="The tools it is about.")
    prompt: str | None = Field(default=None, description="The prompts it is about.")
    resource: str | None = Field(default=None, description="The resources, by address.")
    read_only: bool | None = Field(default=None, description="Tools that only read, or don't.")
    destructive: bool | None = Field(default=None, description="Tools that may destroy, or don't.")
    open_world: bool | None = Field(default=None, description="Tools that reach out, or don't.")
    arguments: dict[str, str | bool | int | float | None] = Field(
        default_factory=dict[str, str | bool | int | float | None],
        description="Paths into the arguments, and the value or pattern there.",
    )

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _rules_and_pins(place: ProjectConfig | WorkspaceConfig) -> JsonObject:
    """Only if there are any, so that the file stays short."""
    rules = {"rules": [rule.to_json() for rule in place.rules]} if place.rules else {}
    return {**rules, "pinned": list(place.pinned)} if place.pinned else rules


class ProjectConfig(Shape):
    """A named selection of a workspace's servers, with its own permissions and optimization."""

    name: str = Field(min_length=1, max_length=80)
    servers: tuple[ServerId, ...] | None = Field(
        default=None, description="The servers it may use; absent means all of the workspace."
    )
    optimization: Optimization | None = Optimization.HYBRID
    exposure: Exposure = Exposure.SEARCH
    permissions: dict[str, Permission] = Field(default_factory=dict)
    rules: tuple[PermissionRule, ...] = ()
    pinned: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        apart = {"rules", "pinned"}
        plain = self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=apart)
        return {**plain, "optimization": self.optimization, **_rules_and_pins(self)}


class WorkspaceConfig(Shape):
    """`workspace.json`: an isolated set of servers and projects."""

    schema_version: Literal[1] = SCHEMA_VERSION
    name: str = Field(min_length=1, max_length=80)
    optimization: Optimization | None = Field(
        default=Optimization.HYBRID,
        description="How clients outside any project find tools; null shows them all.",
    )
    exposure: Exposure = Exposure.SEARCH
    approval: ApprovalPolicy = Field(
        default=ApprovalPolicy.ASK_ON_CHANGE,
        description="When a person is asked about tools: trust, ask_on_change or ask_always.",
    )
    permissions: dict[str, Permission] = Field(
        default_factory=dict, description="Tool keys with a permission of their own."
    )
    rules: tuple[PermissionRule, ...] = Field(
        default=(), description="Permissions for many at once; the first that fits decides."
    )
    pinned: tuple[str, ...] = Field(
        default=(), description="Tool keys that clients get beside the search tools."
    )
    projects: dict[ProjectId, ProjectConfig] = Field(default_factory=dict[ProjectId, ProjectConfig])
    mcp_servers: dict[str, ServerConfig] = Field(default_factory=dict)

    def to_json(self) -> JsonObject:
        return {
            "schemaVersion": self.schema_version,
            "name": self.name,
            "optimization": self.optimization,
            "exposure": self.exposure,
            "approval": self.approval,
            "permissions": dict(self.permissions),
            **_rules_and_pins(self),
            "projects": {key: project.to_json() for key, project in self.projects.items()},
            "mcpServers": {key: server.to_json() for key, server in self.mcp_servers.items()},
        }


class Settings(Shape):
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
