"""`workspace.json`: the servers, projects and permissions of one workspace.

JSON keys are camelCase like those of `mcpServers`, so that entries of other clients can be pasted.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from router.config.base import ConfigModel
from router.config.server import ServerConfig as ServerConfig
from router.domain.ids import ProjectId, ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import Exposure, Optimization

SCHEMA_VERSION = 1


class PermissionRule(ConfigModel):
    """A permission for everything that matches. In patterns `*` matches anything."""

    permission: Permission
    server: str = Field(default="*", description="The servers it applies to.")
    tool: str | None = Field(default=None, description="The tools it applies to.")
    prompt: str | None = Field(default=None, description="The prompts it applies to.")
    resource: str | None = Field(default=None, description="The resources, by URI.")
    read_only: bool | None = Field(default=None, description="Tools marked read-only, or not.")
    destructive: bool | None = Field(default=None, description="Tools marked destructive, or not.")
    open_world: bool | None = Field(default=None, description="Tools marked open-world, or not.")
    arguments: dict[str, str | bool | int | float | None] = Field(
        default_factory=dict[str, str | bool | int | float | None],
        description="Paths into the arguments, with the value or pattern to match.",
    )

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


Generation: TypeAlias = Annotated[
    str,
    Field(
        max_length=64,
        description="Tells it from an earlier one of the same ID, whose tokens stay invalid.",
    ),
]


def new_generation() -> str:
    return secrets.token_hex(8)


_APART = frozenset({"generation", "offer_search", "rules", "pinned"})


def _apart(config: ProjectConfig | WorkspaceConfig) -> JsonObject:
    """Omitted if empty or off, so that the file stays short."""
    fields: JsonObject = {
        "generation": config.generation,
        "offerSearch": config.offer_search,
        "rules": [rule.to_json() for rule in config.rules],
        "pinned": list(config.pinned),
    }
    return {name: value for name, value in fields.items() if value}


class ProjectConfig(ConfigModel):
    """A named selection of a workspace's servers, with its own permissions and optimization."""

    name: str = Field(min_length=1, max_length=80)
    generation: Generation = ""
    servers: tuple[ServerId, ...] | None = Field(
        default=None, description="The servers it may use; absent means all of the workspace."
    )
    optimization: Optimization | None = Optimization.HYBRID
    exposure: Exposure = Exposure.SEARCH
    offer_search: bool = False
    permissions: dict[str, Permission] = Field(default_factory=dict)
    rules: tuple[PermissionRule, ...] = ()
    pinned: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        plain = self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={*_APART})
        return {**plain, "optimization": self.optimization, **_apart(self)}


class WorkspaceConfig(ConfigModel):
    """`workspace.json`: an isolated set of servers and projects."""

    schema_version: Literal[1] = SCHEMA_VERSION
    name: str = Field(min_length=1, max_length=80)
    generation: Generation = ""
    optimization: Optimization | None = Field(
        default=Optimization.HYBRID,
        description="How clients outside any project find tools; null exposes all tools.",
    )
    exposure: Exposure = Exposure.SEARCH
    offer_search: bool = Field(
        default=False,
        description="With progressive exposure, clients get tool_discovery as a sixth tool.",
    )
    approval: ApprovalPolicy = Field(
        default=ApprovalPolicy.ASK_ON_CHANGE,
        description="When tools need approval: trust, ask_on_change or ask_always.",
    )
    permissions: dict[str, Permission] = Field(
        default_factory=dict, description="Tool keys with a permission of their own."
    )
    rules: tuple[PermissionRule, ...] = Field(
        default=(), description="Permissions by pattern; the first match applies."
    )
    pinned: tuple[str, ...] = Field(
        default=(), description="Tool keys that clients get in addition to the search tools."
    )
    projects: dict[ProjectId, ProjectConfig] = Field(default_factory=dict[ProjectId, ProjectConfig])
    mcp_servers: dict[str, ServerConfig] = Field(default_factory=dict)

    def to_json(self) -> JsonObject:
        apart = {*_APART, "projects", "mcp_servers"}
        return {
            **self.model_dump(mode="json", by_alias=True, exclude=apart),
            **_apart(self),
            "projects": {key: project.to_json() for key, project in self.projects.items()},
            "mcpServers": {key: server.to_json() for key, server in self.mcp_servers.items()},
        }
