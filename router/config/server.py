"""One entry of `mcpServers`, in the form every client uses, with keys of our own.

Unknown keys are preserved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import Annotated, Any, Self, TypeAlias, cast
from urllib.parse import urlsplit

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from router.config.base import ConfigModel
from router.config.secret_detection import PlainSecret, masked, masked_words, plain_secrets
from router.domain.json_values import JsonObject, as_object
from router.domain.servers import TransportType

DEFAULT_CONCURRENT_CALLS = 32
DEFAULT_SESSIONS = 16
CLIENT_FOLDER = "${workspaceFolder}"
"""Placeholder in `cwd`, `args` and `env` for the folder the client works in."""
DISCOVERY_TIMEOUT_S = 30.0
LONGEST_DISCOVERY_S = 120.0


_DECISIVE = {"command", "args", "env", "cwd", "url", "headers"}
"""The fields that decide which tools a server has."""


def _number_as_text(value: Any) -> Any:
    """Other clients accept `"PORT": 8080`; an environment knows only text."""
    return str(value) if isinstance(value, int | float) else value


_Text: TypeAlias = Annotated[str, BeforeValidator(_number_as_text)]


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


class OAuthConfig(ConfigModel):
    """How to sign in to a server, where that can't be discovered."""

    model_config = ConfigDict(extra="allow")

    client_id: str = Field(default="", description="The ID of a client registered by hand.")
    client_secret: str = Field(default="", repr=False, description="A reference to it.")
    scopes: tuple[str, ...] = Field(default=(), description="The scopes to request.")
    callback_port: int = Field(
        default=0, ge=0, le=65535, description="The port of the redirect address on 127.0.0.1."
    )


class ServerConfig(ConfigModel):
    """One entry of `mcpServers`: a command to start, or an address to connect to."""

    model_config = ConfigDict(extra="allow")

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, _Text] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    type: str | None = None
    headers: dict[str, _Text] = Field(default_factory=dict)
    oauth: OAuthConfig | None = None
    disabled: bool = False
    lifecycle: Lifecycle = Lifecycle.LAZY
    protocol_version: str = Field(default="", description="The MCP revision to try first.")
    sharing: Sharing = Sharing.SHARED
    max_sessions: int = Field(default=DEFAULT_SESSIONS, ge=1, le=1000)
    max_concurrent_calls: int = Field(default=DEFAULT_CONCURRENT_CALLS, ge=1, le=1000)
    memory_limit_mb: int | None = Field(default=None, ge=16)
    discovery_timeout_s: float = Field(
        default=DISCOVERY_TIMEOUT_S,
        gt=0,
        le=LONGEST_DISCOVERY_S,
        description="How long discovery of its tools may take.",
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_other_clients_spelling(cls, value: Any) -> Any:
        """Accepts `serverUrl` (Windsurf), `httpUrl` (Qwen), `enabled: false` and `env: null`."""
        if not isinstance(value, dict):
            return value
        entry = {k: v for k, v in as_object(cast(object, value)).items() if v is not None}
        for key in ("serverUrl", "httpUrl"):
            if key in entry and "url" not in entry:
                entry["url"] = entry.pop(key)
        if isinstance(entry.get("enabled"), bool):
            entry["disabled"] = not entry.pop("enabled")
        return entry

    @model_validator(mode="after")
    def _check_command_or_url(self) -> ServerConfig:
        if bool(self.command) == bool(self.url):
            raise ValueError('a server needs either "command" or "url"')
        if self.url:
            _check_address(self.url)
        return self

    @property
    def transport(self) -> TransportType:
        return TransportType.STDIO if self.command else TransportType.HTTP

    @property
    def prefers_sse(self) -> bool:
        """Whether its address is configured as HTTP+SSE, the transport before streamable HTTP."""
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
        values = (self.cwd or "", *self.args, *self.env.values())
        return any(CLIENT_FOLDER in value for value in values)

    @property
    def lets_client_choose_program(self) -> bool:
        """Whether its program is a path relative to the folder of its client."""
        command = self.command or ""
        relative = PurePath(command).name != command and not PurePath(command).is_absolute()
        return relative and CLIENT_FOLDER in (command + (self.cwd or ""))

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

    @cached_property
    def config_hash(self) -> str:
        """SHA-256 over what decides the tool list. Secret references go in as they are written, so
        the hash never depends on a secret's value."""
        decisive = self.model_dump(include=_DECISIVE)
        if self.prefers_sse:
            decisive["type"] = "sse"
        if self.oauth is not None:
            decisive["oauth"] = self.oauth.to_json()
        text = json.dumps(decisive, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with another hash: pydantic also copies what was computed."""
        copied = super().model_copy(update=update, deep=deep)
        vars(copied).pop("config_hash", None)
        return copied

    def to_json(self) -> JsonObject:
        """Only keys that differ from their defaults, so that the file stays short."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f'"url" is not an address: {error}') from None
    if parts.scheme not in ("http", "https"):
        raise ValueError('"url" must start with http:// or https://')
    if not parts.hostname or port == 0:
        raise ValueError('"url" must name a host, and a port above 0 if any')
