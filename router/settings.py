"""The shapes of our files: settings, workspaces, servers. Declared once, with descriptions that the
settings dialog and the documentation show. No I/O: `router.store` reads and writes them.

JSON keys are camelCase because the `mcpServers` part has the shape every client uses, so that
people can paste theirs. Keys we don't know inside a server entry are kept and written back.
"""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Any, ClassVar, Literal, cast
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from router.credentials import PlainSecret, masked, masked_words, plain_secrets
from router.learning_settings import IsolationSettings, ListLimitSettings
from router.lists import ApprovalPolicy
from router.model import (
    Exposure,
    JsonObject,
    Optimization,
    Permission,
    ProjectId,
    ServerId,
    Transport,
    WorkspaceId,
    as_object,
)
from router.shapes import Shape

SCHEMA_VERSION = 1
DEFAULT_PORT = 3717
DEFAULT_CONCURRENT_CALLS = 32
DEFAULT_SESSIONS = 16
CLIENT_FOLDER = "${workspaceFolder}"
"""Stands in a server's `cwd`, `args` or `env` for the folder its client works in."""
FOLDER_HEADER = "Toolbooth-Folder"
"""With which a client says in which folder it works."""
SESSION_HEADER = "Toolbooth-Session"
"""With which a client of the stateless revision tells its sessions apart."""
DISCOVERY_TIMEOUT_S = 30.0
LONGEST_DISCOVERY_S = 120.0


class Lifecycle(StrEnum):
    """When a server is connected, and for how long."""

    LAZY = "lazy"
    """At its first use, until nobody has used it for a while."""
    EAGER = "eager"
    """When Toolbooth starts serving, until nobody has used it for a while."""
    ALWAYS = "always"
    """When Toolbooth starts serving, and again whenever the connection is lost."""


class Sharing(StrEnum):
    """Which clients use the same upstream of a server."""

    SHARED = "shared"
    """All of them; if it works in the client's folder, all that work in the same one."""
    PER_SESSION = "per-session"
    """Each session of a client has its own, gone when the session ends."""


class OAuthConfig(Shape):
    """How to sign in to a server, where that can't be found out."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="allow"
    )

    client_id: str = Field(default="", description="The client registered there by hand.")
    client_secret: str = Field(default="", repr=False, description="A reference to its secret.")
    scopes: tuple[str, ...] = Field(default=(), description="What to ask for.")
    callback_port: int = Field(
        default=0, ge=0, le=65535, description="The port of its redirect address on 127.0.0.1."
    )


class ServerConfig(Shape):
    """One entry of `mcpServers`: a command to start, or an address to connect to."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="allow"
    )

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    type: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    oauth: OAuthConfig | None = None
    disabled: bool = False
    lifecycle: Lifecycle = Lifecycle.LAZY
    protocol_version: str = Field(
        default="", description="The revision of MCP to ask it in first, if that matters to it."
    )
    sharing: Sharing = Sharing.SHARED
    max_sessions: int = Field(default=DEFAULT_SESSIONS, ge=1, le=1000)
    max_concurrent_calls: int = Field(default=DEFAULT_CONCURRENT_CALLS, ge=1, le=1000)
    memory_limit_mb: int | None = Field(default=None, ge=16)
    discovery_timeout_s: float = Field(
        default=DISCOVERY_TIMEOUT_S,
        gt=0,
        le=LONGEST_DISCOVERY_S,
        description="How long learning its lists may take.",
    )

    _URL_KEYS: ClassVar[tuple[str, ...]] = ("serverUrl", "httpUrl")

    @model_validator(mode="before")
    @classmethod
    def _accept_other_clients_spelling(cls, value: Any) -> Any:
        """`serverUrl` (Windsurf), `httpUrl` (Qwen), `enabled: false` and `env: null` mean what they
        say."""
        if not isinstance(value, dict):
            return value
        entry = {k: v for k, v in as_object(cast(object, value)).items() if v is not None}
        for key in cls._URL_KEYS:
            if key in entry and "url" not in entry:
                entry["url"] = entry.pop(key)
        if isinstance(entry.get("enabled"), bool):
            entry["disabled"] = not entry.pop("enabled")
        return entry

    @field_validator("env", "headers", mode="before")
    @classmethod
    def _numbers_are_text(cls, value: Any) -> Any:
        """Other clients accept `"PORT": 8080`; an environment knows only text."""
        if not isinstance(value, dict):
            return value
        entries = as_object(cast(object, value)).items()
        return {k: str(v) if isinstance(v, int | float) else v for k, v in entries}

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> ServerConfig:
        if bool(self.command) == bool(self.url):
            raise ValueError('a server needs either "command" or "url"')
        if self.url:
            _check_address(self.url)
        return self

    @property
    def transport(self) -> Transport:
        return Transport.STDIO if self.command else Transport.HTTP

    @property
    def prefers_sse(self) -> bool:
        """Whether its address is said to be one of the transport before streamable HTTP."""
        return bool(self.url) and self.type == "sse"

    @property
    def target(self) -> str:
        """What a person recognises the server by; never a header, an environment value, or what
        looks secret in its arguments or its address."""
        if self.url:
            parts = urlsplit(self.url)
            shown = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
            return masked(shown, self.plain_secrets)
        return " ".join((self.command or "", *masked_words(self.args)))

    @property
    def plain_secrets(self) -> tuple[PlainSecret, ...]:
        """The secrets in its arguments or its address, where no reference can stand."""
        return plain_secrets(self.args, self.url)

    @property
    def follows_client(self) -> bool:
        """Whether it works in the folder of its client."""
        places = (self.cwd or "", *self.args, *self.env.values())
        return any(CLIENT_FOLDER in place for place in places)

    def in_folder(self, folder: str) -> ServerConfig:
        """This configuration with `folder` filled in where the client's folder is meant."""
        if not self.follows_client:
            return self
        filled = {
            "cwd": self.cwd and self.cwd.replace(CLIENT_FOLDER, folder),
            "args": tuple(arg.replace(CLIENT_FOLDER, folder) for arg in self.args),
            "env": {name: text.replace(CLIENT_FOLDER, folder) for name, text in self.env.items()},
        }
        return self.model_copy(update=filled)

    @property
    def config_hash(self) -> str:
        """SHA-256 over what decides the tool list. Secret references go in as they are written, so
        the hash never depends on a secret's value."""
        decisive: JsonObject = {
            "command": self.command,
            "args": list(self.args),
            "env": self.env,
            "cwd": self.cwd,
            "url": self.url,
            "headers": self.headers,
        }
        if self.prefers_sse:
            decisive["type"] = "sse"
        if self.oauth is not None:
            decisive["oauth"] = self.oauth.to_json()
        text = json.dumps(decisive, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> JsonObject:
        """Only what was set, so that the file stays as short as people wrote it."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


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
    welcome_shown: bool = Field(
        default=False, description="Whether the guide for the first run was shown."
    )
    close_hint_shown: bool = Field(
        default=False, description="Whether the hint that closing hides to the tray was shown."
    )


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f'"url" is no address: {error}') from None
    if parts.scheme not in ("http", "https"):
        raise ValueError('"url" must start with http:// or https://')
    if not parts.hostname or port == 0:
        raise ValueError('"url" must name a host, and a port above 0 if any')
