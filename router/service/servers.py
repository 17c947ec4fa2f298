"""Commands about servers: adding, changing and removing them, agreeing to what they run, signing
in to them, having their tools listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from router.catalog import config_edits
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, Protection
from router.domain.servers import SignIn
from router.service.boundaries import Boundaries
from router.service.secret_storage import require_keyring, without_secrets


class Servers(Boundaries):
    _serving = False
    """Whether this process stays: secrets kept in memory are then of use."""

    async def add_server(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        name = config_edits.checked_name(name)
        planned = config_edits.with_server(self._workspaces.catalog(workspace).config, name, config)
        planned_ref = ServerRef(workspace, config_edits.server_called(planned, name))
        config = await self._with_secrets_kept(planned_ref, config)
        changed = await self._workspaces.edit(
            workspace, lambda c: config_edits.with_server(c, name, config)
        )
        server = config_edits.server_called(changed, name)
        await self._consent_and_reconcile(ServerRef(workspace, server), config, consent=consent)
        return server

    async def update_server(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._workspaces.check_editable(ref)
        name = config_edits.checked_name(name)
        config = await self._with_secrets_kept(ref, config)
        changed = await self._workspaces.edit(
            ref.workspace, lambda c: config_edits.with_changed_server(c, ref.server, name, config)
        )
        server = config_edits.server_called(changed, name)
        await self._consent_and_reconcile(ServerRef(ref.workspace, server), config, consent=consent)
        return server

    async def remove_server(self, ref: ServerRef) -> None:
        self._workspaces.check_editable(ref)
        await self._edit(ref.workspace, lambda c: config_edits.without_server(c, ref.server))

    async def set_server_enabled(self, ref: ServerRef, enabled: bool) -> None:
        self._workspaces.check_editable(ref)
        await self._edit(
            ref.workspace,
            lambda c: config_edits.with_server_enabled(c, ref.server, enabled=enabled),
        )

    async def approve_server(self, ref: ServerRef) -> None:
        await self._upstreams.approve(ref)

    async def isolation(self) -> Protection:
        return await self._upstreams.discovery_planner.protection()

    async def allow_discovery(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        await self._upstreams.allow(ref, access)

    async def begin_sign_in(self, ref: ServerRef) -> SignIn:
        if not self._serving:
            await require_keyring(self._secrets)
        return await self._upstreams.sign_ins.begin(ref)

    async def sign_in_ended(self, ref: ServerRef) -> None:
        """Wait for a sign-in that has begun. Raises `UpstreamFailed` if it failed."""
        await self._upstreams.sign_ins.ended(ref)

    async def sign_out(self, ref: ServerRef) -> None:
        await self._upstreams.sign_out(ref)

    async def import_servers(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]:
        """Add servers that came from a file: their commands wait for a person's consent."""
        names: list[str] = []
        planned, free = config_edits.with_imported(
            self._workspaces.catalog(workspace).config, servers
        )
        ids = [config_edits.server_called(planned, name) for name in free]
        kept = {
            name: await self._with_secrets_kept(ServerRef(workspace, server), servers[name])
            for server, name in zip(ids, servers, strict=True)
        }

        def add(config: WorkspaceConfig) -> WorkspaceConfig:
            changed, names[:] = config_edits.with_imported(config, kept)
            return changed

        changed = await self._edit(workspace, add)
        return tuple(config_edits.server_called(changed, name) for name in names)

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        catalog = self._workspaces.catalog(workspace)
        chosen = [catalog.entry(server).id] if server else list(catalog.servers)
        refs = [ServerRef(workspace, each) for each in chosen]
        await self._upstreams.refresh(refs, packages=packages)

    async def cancel_refresh(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        catalog = self._workspaces.catalog(workspace)
        for each in [catalog.entry(server).id] if server else list(catalog.servers):
            await self._upstreams.discovery_queue.cancel(ServerRef(workspace, each))

    async def measure(self) -> None:
        await self._upstreams.measure()

    async def _consent_and_reconcile(
        self, ref: ServerRef, config: ServerConfig, *, consent: bool
    ) -> None:
        if consent:
            grant = self._workspaces.consents(ref.workspace).grant
            await asyncio.to_thread(grant, ref.server, config)
        await self._reconcile(ref.workspace)

    async def _with_secrets_kept(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        prefix = f"{ref.workspace}/{ref.server}"
        return await without_secrets(config, self._secrets, prefix, must_last=not self._serving)
