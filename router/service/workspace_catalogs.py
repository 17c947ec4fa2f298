"""The workspaces: their files, and the catalogues kept in step with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_entry import ServerEntry
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.errors import InvalidInput, NoWorkspace, said
from router.domain.failures import Failure
from router.domain.ids import ProjectId, ServerId, ServerRef, WorkspaceId
from router.domain.search import SearchProvider
from router.domain.tool_lists import CachedListing
from router.store.approvals import ApprovalStore
from router.store.config_store import ConfigStore
from router.store.consents import ConsentStore
from router.store.tool_list_cache import DiskToolListCache


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a changed configuration means for the servers of a workspace."""

    removed: dict[ServerRef, int]
    """With the number of tools each had."""
    restarted: tuple[ServerRef, ...]
    """New ones, and those whose configuration now decides another tool list."""
    kept: tuple[ServerRef, ...]
    enabled: frozenset[ServerRef] = frozenset()
    """Those of the kept that were switched off before."""
    reconsidered: frozenset[ServerRef] = frozenset()
    """Those of the kept of which other tools wait for a person than before."""


class Workspaces:
    def __init__(self, folder: Path, config: ConfigStore, provider: SearchProvider) -> None:
        self._folder = folder
        self._config = config
        self._provider = provider
        self._editing = asyncio.Lock()
        self._caches: dict[WorkspaceId, DiskToolListCache] = {}
        self._approvals: dict[WorkspaceId, ApprovalStore] = {}
        self._lent: dict[WorkspaceId, Mapping[str, ServerConfig]] = {}
        self.failure_of: Callable[[ServerRef], Failure | None] = _no_trouble
        """Why a server could not say what its tools are."""
        self.catalogs: dict[WorkspaceId, WorkspaceCatalog] = {}

    def lend(self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]) -> None:
        """Have `servers` in a workspace without writing them to its file, whose own come first.

        Takes effect when the workspace is reconciled.
        """
        self._lent[workspace] = servers

    def check_editable(self, ref: ServerRef) -> None:
        """Raises `InvalidInput` for a server that stands in no file."""
        name = self.entry(ref).name
        written = self._config.workspaces[ref.workspace].mcp_servers
        if name in self._lent.get(ref.workspace, {}) and name not in written:
            raise InvalidInput(
                said("{name} comes from the environment and can't be changed here.", name=name),
                "Change its variables and start Toolbooth again.",
            )

    def catalog(self, workspace: WorkspaceId) -> WorkspaceCatalog:
        if (catalog := self.catalogs.get(workspace)) is None:
            raise NoWorkspace(workspace)
        return catalog

    def entry(self, ref: ServerRef) -> ServerEntry:
        return self.catalog(ref.workspace).entry(ref.server)

    def find(self, ref: ServerRef) -> ServerEntry | None:
        """The server, if it was not removed meanwhile."""
        catalog = self.catalogs.get(ref.workspace)
        return catalog.servers.get(ref.server) if catalog else None

    def check_scope(
        self,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        servers: Sequence[ServerId] | None,
    ) -> None:
        """Raises `InvalidInput` unless all that a token shall be good for exists in one place."""
        if workspace is None:
            if project is not None or servers is not None:
                raise InvalidInput(
                    "A token for a project or for some servers needs their workspace too.",
                    "Add --workspace.",
                )
            return
        catalog = self.catalog(workspace)
        if project is not None:
            catalog.project(project)
        for server in servers or ():
            catalog.entry(server)

    def cache(self, workspace: WorkspaceId) -> DiskToolListCache:
        if (cache := self._caches.get(workspace)) is None:
            cache = self._caches[workspace] = DiskToolListCache(self._folder / workspace / "cache")
        return cache

    def folder(self, workspace: WorkspaceId) -> Path:
        return self._folder / workspace

    def consents(self, workspace: WorkspaceId) -> ConsentStore:
        return ConsentStore(self._folder / workspace)

    def approvals(self, workspace: WorkspaceId) -> ApprovalStore:
        if (store := self._approvals.get(workspace)) is None:
            store = self._approvals[workspace] = ApprovalStore(self._folder / workspace)
        return store

    def has_consent(self, ref: ServerRef) -> bool:
        return self.consents(ref.workspace).has(ref.server, self.entry(ref).config)

    async def edit(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        """Write a changed configuration. Files are waited for off the loop, one edit at a time."""
        self.catalog(workspace)
        async with self._editing:
            return await asyncio.to_thread(self._config.update_workspace, workspace, change)

    async def create(self, workspace: WorkspaceId, config: WorkspaceConfig) -> None:
        async with self._editing:
            await asyncio.to_thread(self._config.create_workspace, workspace, config)

    async def move_to_removed(self, workspace: WorkspaceId) -> None:
        async with self._editing:
            await asyncio.to_thread(self._config.move_to_removed, workspace)

    async def restore_removed(self, workspace: WorkspaceId) -> None:
        async with self._editing:
            await asyncio.to_thread(self._config.restore_removed, workspace)

    def reconcile(self, workspace: WorkspaceId) -> Reconciled:
        """Bring the catalogue in line with the configuration, and say what that changes."""
        config = self._with_lent(workspace, self._config.workspaces[workspace])
        catalog = self.catalogs.get(workspace)
        before: dict[ServerId, ServerEntry] = catalog.servers if catalog else {}
        if catalog is None:
            catalog = self.catalogs[workspace] = WorkspaceCatalog(
                config, self._provider, lambda server: self.failure_of(ServerRef(workspace, server))
            )
            return _compare(workspace, before, catalog.servers)
        waited = {server: catalog.pending(entry) for server, entry in before.items()}
        catalog.configure(config)
        reconciled = _compare(workspace, before, catalog.servers)
        reconsidered = (
            ref
            for ref in reconciled.kept
            if catalog.pending(catalog.servers[ref.server]) != waited[ref.server]
        )
        return replace(reconciled, reconsidered=frozenset(reconsidered))

    def _with_lent(self, workspace: WorkspaceId, config: WorkspaceConfig) -> WorkspaceConfig:
        lent = self._lent.get(workspace)
        if not lent:
            return config
        new = {name: server for name, server in lent.items() if name not in config.mcp_servers}
        return config.model_copy(update={"mcp_servers": {**config.mcp_servers, **new}})

    def drop(self, workspace: WorkspaceId) -> Reconciled:
        """A workspace is gone from disk."""
        catalog = self.catalogs.pop(workspace)
        return _compare(workspace, catalog.servers, {})

    async def read_listing(self, ref: ServerRef) -> CachedListing | None:
        """A server's list from the cache, if one fits its configuration."""
        cache, config_hash = self.cache(ref.workspace), self.entry(ref).config.config_hash
        return await asyncio.to_thread(cache.read, ref.server, config_hash)


def _no_trouble(_: ServerRef) -> None:
    """Nothing has been started yet."""


def _compare(
    workspace: WorkspaceId,
    before: dict[ServerId, ServerEntry],
    after: dict[ServerId, ServerEntry],
) -> Reconciled:
    def is_same(server: ServerId) -> bool:
        known = before.get(server)
        return known is not None and known.config.config_hash == after[server].config.config_hash

    refs = {server: ServerRef(workspace, server) for server in (*before, *after)}
    return Reconciled(
        removed={refs[s]: len(entry.tools) for s, entry in before.items() if s not in after},
        restarted=tuple(refs[server] for server in after if not is_same(server)),
        kept=tuple(refs[server] for server in after if is_same(server)),
        enabled=frozenset(
            refs[server]
            for server in after
            if is_same(server)
            and before[server].config.disabled
            and not after[server].config.disabled
        ),
    )
