"""Changes to a workspace's configuration, and what follows from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from router.api.events import Publish, ToolsChanged, WorkspacesChanged
from router.config.workspace import WorkspaceConfig
from router.domain.ids import ServerId, WorkspaceId
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.config_store import ConfigStore

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkspaceEditor:
    """Writes the files, then brings the catalogs and the running servers in line with them."""

    _config: ConfigStore
    _catalogs: WorkspaceCatalogs
    _upstreams: UpstreamManager
    _publish: Publish
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _applying: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One change at a time: while one is applied, another may not remove its servers."""

    async def edit(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        changed = await self.write(workspace, change)
        await self.reconcile(workspace)
        return changed

    async def write(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        """Write a changed configuration, which takes effect with the next `reconcile`."""
        self._catalogs.catalog(workspace)
        return await self._write(self._config.update_workspace, workspace, change)

    async def create(self, workspace: WorkspaceId, config: WorkspaceConfig) -> None:
        await self._write(self._config.create_workspace, workspace, config)
        await self.reconcile(workspace)

    async def remove(self, workspace: WorkspaceId) -> None:
        await self._write(self._config.move_to_removed, workspace)
        await self.drop(workspace)

    async def restore(self, workspace: WorkspaceId) -> None:
        await self._write(self._config.restore_removed, workspace)
        await self.reconcile(workspace)

    async def reconcile(self, workspace: WorkspaceId) -> None:
        """Follow the workspace's file as it is now."""
        async with self._applying:
            if workspace in self._config.workspaces:  # else it was removed meanwhile
                await self._upstreams.apply(self._catalogs.reconcile(workspace))
        self._publish(WorkspacesChanged(workspace))

    async def drop(self, workspace: WorkspaceId) -> None:
        """Stop the servers of a workspace whose folder is gone."""
        async with self._applying:
            if workspace in self._catalogs.catalogs:
                await self._upstreams.apply(self._catalogs.drop(workspace))
        self._publish(WorkspacesChanged(workspace))

    def publish_tools(self, workspace: WorkspaceId, *servers: ServerId) -> None:
        """Publish that the permissions of tools have changed, of all servers if none is named."""
        catalog = self._catalogs.catalog(workspace)
        for server in servers or catalog.servers:
            self._publish(ToolsChanged(workspace, server, len(catalog.entry(server).tools)))

    async def _write(self, write: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Off the loop, one at a time."""
        async with self._writing:
            return await asyncio.to_thread(write, *args, **kwargs)
