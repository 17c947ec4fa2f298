"""Servers of a workspace: their configuration, status and consent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from router.config.secret_detection import UnsafeSecret
from router.config.server import ServerConfig
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.servers import LogLine, PromptResourceLists, ServerStatus


class ServersPort(Protocol):
    def list(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]: ...
    def find(self, workspace: WorkspaceId, text: str) -> ServerRef:
        """The server with this id or display name. Raises `NotFound`."""
        ...

    def config(self, ref: ServerRef) -> ServerConfig: ...
    def prompts_and_resources(self, ref: ServerRef) -> PromptResourceLists:
        """Its prompts, resources and resource templates."""
        ...

    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        """The last lines it wrote to stderr, oldest first."""
        ...

    def unsafe_secrets(self, ref: ServerRef) -> tuple[UnsafeSecret, ...]:
        """Its secrets that are not in a keyring."""
        ...

    async def add(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId: ...
    async def add_imported(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]:
        """Add servers found in a file. Their commands need consent before they run."""
        ...

    async def update(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId: ...
    async def remove(self, ref: ServerRef) -> None: ...
    async def set_enabled(self, ref: ServerRef, enabled: bool) -> None: ...
    async def allow_folder(self, ref: ServerRef, folder: str) -> None:
        """Let a server that works in its client's folder run in this one and those below it."""
        ...

    async def grant_consent(self, ref: ServerRef) -> None:
        """Consent to the command as it is now."""
        ...

    async def measure(self) -> None:
        """Measure the running servers' processes; `ServerStatusChanged` has the figures."""
        ...
