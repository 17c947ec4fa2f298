"""Changes to a workspace's configuration, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable

from router.api.events import Publish, ToolsChanged, WorkspacesChanged
from router.config.workspace import WorkspaceConfig
from router.domain.ids import WorkspaceId
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs


class WorkspaceEditor:
    """Writes the file, then brings the catalog and the running servers in line with it."""

    def __init__(
        self, catalogs: WorkspaceCatalogs, upstreams: UpstreamManager, publish: Publish
    ) -> None:
        self._catalogs = catalogs
        self._upstreams = upstreams
        self._publish = publish

    async def edit(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        changed = await self._catalogs.edit(workspace, change)
        await self.reconcile(workspace)
        return changed

    async def reconcile(self, workspace: WorkspaceId) -> None:
        """Follow the workspace's file as it is now."""
        await self._upstreams.apply(self._catalogs.reconcile(workspace))
        self._publish(WorkspacesChanged(workspace))

    async def drop(self, workspace: WorkspaceId) -> None:
        """Stop the servers of a workspace whose folder is gone."""
        await self._upstreams.apply(self._catalogs.drop(workspace))
        self._publish(WorkspacesChanged(workspace))

    def publish_tools(self, workspace: WorkspaceId) -> None:
        """Publish that every server's tools may look different: permissions have changed."""
        for server, entry in self._catalogs.catalog(workspace).servers.items():
            self._publish(ToolsChanged(workspace, server, len(entry.tools)))
