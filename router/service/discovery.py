"""Discovery as the window and the command line use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, Protection, Receipt, SharedPath
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs


@dataclass(frozen=True, slots=True)
class Discovery:
    """The production implementation of `api.discovery.DiscoveryPort`."""

    _catalogs: WorkspaceCatalogs
    _upstreams: UpstreamManager

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self._upstreams.receipts.current(ref)

    async def protection(self) -> Protection:
        return await self._upstreams.discovery_planner.protection()

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        await self._upstreams.allow(ref, access)

    async def share(self, ref: ServerRef, paths: Sequence[SharedPath]) -> None:
        await self._upstreams.share(ref, paths)

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        await self._upstreams.refresh(self._chosen(workspace, server), packages=packages)

    async def package_bytes(self) -> int:
        return await self._upstreams.packages.disk_usage()

    async def cancel(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        for ref in self._chosen(workspace, server):
            await self._upstreams.discovery_queue.cancel(ref)

    def _chosen(self, workspace: WorkspaceId, server: ServerId | None) -> list[ServerRef]:
        if not server:
            return self._catalogs.refs(workspace)
        ref = ServerRef(workspace, server)
        self._catalogs.entry(ref)
        return [ref]
