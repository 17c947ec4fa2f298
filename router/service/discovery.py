"""Discovery as the window and the command line use it."""

from __future__ import annotations

from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, Protection, Receipt
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs


class Discovery:
    """The production implementation of `api.discovery.DiscoveryPort`."""

    def __init__(self, catalogs: WorkspaceCatalogs, upstreams: UpstreamManager) -> None:
        self._catalogs = catalogs
        self._upstreams = upstreams

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self._upstreams.receipts.current(ref)

    async def protection(self) -> Protection:
        return await self._upstreams.discovery_planner.protection()

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        await self._upstreams.allow(ref, access)

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        await self._upstreams.refresh(self._chosen(workspace, server), packages=packages)

    async def cancel(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        for ref in self._chosen(workspace, server):
            await self._upstreams.discovery_queue.cancel(ref)

    def _chosen(self, workspace: WorkspaceId, server: ServerId | None) -> list[ServerRef]:
        catalog = self._catalogs.catalog(workspace)
        chosen = [catalog.entry(server).id] if server else list(catalog.servers)
        return [ServerRef(workspace, each) for each in chosen]
