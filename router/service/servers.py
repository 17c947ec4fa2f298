"""The servers of a workspace: queries, and the commands that add, change and remove them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from router.catalog import config_edits, tool_definition
from router.config.secret_detection import UnsafeSecret
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.errors import ToolboothError
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.servers import LogLine, PromptResourceLists, ServerStatus
from router.service.secret_storage import unsafe_secrets, with_secrets_stored
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor
from router.store.secrets import LayeredSecrets

_NOT_APPROVED = (
    "The server was saved, but its command is not approved. Approve it when this file can be used."
)


@dataclass(frozen=True, slots=True)
class Servers:
    """The production implementation of `api.servers.ServersPort`."""

    _catalogs: WorkspaceCatalogs
    _editor: WorkspaceEditor
    _upstreams: UpstreamManager
    _secrets: LayeredSecrets

    def list(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]:
        return tuple(self._upstreams.statuses.status(ref) for ref in self._catalogs.refs(workspace))

    def find(self, workspace: WorkspaceId, text: str) -> ServerRef:
        config = self._catalogs.catalog(workspace).config
        return ServerRef(workspace, config_edits.find_server(config, text))

    def config(self, ref: ServerRef) -> ServerConfig:
        return self._catalogs.entry(ref).config

    def prompts_and_resources(self, ref: ServerRef) -> PromptResourceLists:
        return tool_definition.prompt_resource_lists(self._catalogs.entry(ref).listing)

    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        lines = self._upstreams.logs.get(ref)
        return tuple(lines.copy()) if lines else ()  # at once: they grow on another thread

    def unsafe_secrets(self, ref: ServerRef) -> tuple[UnsafeSecret, ...]:
        return unsafe_secrets(self._catalogs.entry(ref).config, self._secrets)

    async def add(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        name = config_edits.checked_name(name)
        planned = config_edits.with_server(self._catalogs.catalog(workspace).config, name, config)
        planned_ref = ServerRef(workspace, config_edits.server_called(planned, name))
        config = await self._with_secrets_stored(planned_ref, config)
        if consent:  # before the server is there: a server that can't be consented to is not added
            await self._grant(planned_ref, config)
        changed = await self._editor.write(
            workspace, lambda c: config_edits.with_server(c, name, config)
        )
        return await self._apply(workspace, changed, name, consent=consent)

    async def add_imported(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]:
        planned, free = config_edits.with_imported(
            self._catalogs.catalog(workspace).config, servers
        )
        ids = [config_edits.server_called(planned, name) for name in free]
        stored = {
            name: await self._with_secrets_stored(ServerRef(workspace, server), servers[name])
            for server, name in zip(ids, servers, strict=True)
        }
        names: tuple[str, ...] = ()

        def add(config: WorkspaceConfig) -> WorkspaceConfig:
            nonlocal names
            changed, given = config_edits.with_imported(config, stored)
            names = tuple(given)
            return changed

        changed = await self._editor.edit(workspace, add)
        return tuple(config_edits.server_called(changed, name) for name in names)

    async def update(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._catalogs.check_editable(ref)
        name = config_edits.checked_name(name)
        config = await self._with_secrets_stored(ref, config)
        changed = await self._editor.write(
            ref.workspace, lambda c: config_edits.with_changed_server(c, ref.server, name, config)
        )
        return await self._apply(ref.workspace, changed, name, consent=consent)

    async def remove(self, ref: ServerRef) -> None:
        self._catalogs.check_editable(ref)
        await self._editor.edit(ref.workspace, lambda c: config_edits.without_server(c, ref.server))

    async def set_enabled(self, ref: ServerRef, enabled: bool) -> None:
        self._catalogs.check_editable(ref)
        await self._editor.edit(
            ref.workspace,
            lambda c: config_edits.with_server_enabled(c, ref.server, enabled=enabled),
        )

    async def grant_consent(self, ref: ServerRef) -> None:
        await self._upstreams.grant_consent(ref)

    async def allow_folder(self, ref: ServerRef, folder: str) -> None:
        await self._catalogs.allow_folder(ref, folder)

    async def measure(self) -> None:
        for ref, facts in (await self._upstreams.pool.measure()).items():
            self._upstreams.statuses.update(ref, process=facts)

    async def _apply(
        self, workspace: WorkspaceId, written: WorkspaceConfig, name: str, *, consent: bool
    ) -> ServerId:
        """Consent first: the server may start as soon as the catalog has it."""
        server = config_edits.server_called(written, name)
        try:
            if consent:
                await self._grant(ServerRef(workspace, server), written.mcp_servers[name])
        except ToolboothError as error:
            raise ToolboothError(error.message, _NOT_APPROVED) from error
        finally:
            await self._editor.reconcile(workspace)
        return server

    async def _grant(self, ref: ServerRef, config: ServerConfig) -> None:
        await asyncio.to_thread(self._catalogs.consents(ref.workspace).grant, ref.server, config)

    async def _with_secrets_stored(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        """Without a keyring, only a process that goes on serving may keep them in memory."""
        prefix = f"{ref.workspace}/{ref.server}"
        must_last = not self._upstreams.is_serving
        return await with_secrets_stored(config, self._secrets, prefix, must_last=must_last)
