"""The catalogs of the workspaces, kept in step with their files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_entry import ServerEntry
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NoWorkspace, sentence
from router.domain.failures import Failure
from router.domain.ids import ProjectId, ServerId, ServerRef, WorkspaceId
from router.domain.search import SearchProvider
from router.store.approvals import ApprovalStore
from router.store.config_store import ConfigStore
from router.store.consent_key import FILE_NAME, ConsentKey
from router.store.consents import ConsentStore
from router.store.deferred_writes import DeferredWrites
from router.store.tool_list_cache import ToolListCache

_LOCAL_CLIENT = "Toolbooth"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a changed configuration means for the servers of a workspace."""

    removed: dict[ServerRef, int]
    """With the number of tools each had."""
    new_or_changed: tuple[ServerRef, ...]
    """New ones, and those with another `config_hash`."""
    kept: tuple[ServerRef, ...]
    edited: frozenset[ServerRef] = frozenset()
    """Those of the kept whose name or configuration is another."""
    enabled: frozenset[ServerRef] = frozenset()
    """Those of the kept that were disabled before."""
    disabled: Mapping[ServerRef, int] = field(default_factory=dict[ServerRef, int])
    """Those of the kept that were enabled before, with the number of tools each has."""

    @property
    def gone(self) -> Mapping[ServerRef, int]:
        """Servers whose tools are no longer there, with the number of tools."""
        return {**self.removed, **self.disabled}


class WorkspaceCatalogs:
    def __init__(
        self,
        folder: Path,
        config: ConfigStore,
        provider: SearchProvider,
        deferred_writes: DeferredWrites,
    ) -> None:
        self._folder = folder
        self._config = config
        self._deferred_writes = deferred_writes
        self._consent_key = ConsentKey(folder.parent / FILE_NAME)
        self._provider = provider
        self._caches: dict[WorkspaceId, ToolListCache] = {}
        self._approvals: dict[WorkspaceId, ApprovalStore] = {}
        self._extra: dict[WorkspaceId, Mapping[str, ServerConfig]] = {}
        self.failure_of: Callable[[ServerRef], Failure | None] = _no_failure
        """Why the tools of a server could not be discovered."""
        self.catalogs: dict[WorkspaceId, WorkspaceCatalog] = {}

    def add_extra(self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]) -> None:
        """Add `servers` to a workspace when it is reconciled, without writing them to its file,
        whose own take precedence."""
        self._extra[workspace] = servers

    def check_editable(self, ref: ServerRef) -> None:
        """Raises `InvalidInput` for a server that is in no file."""
        name = self.entry(ref).name
        written = self._config.workspaces[ref.workspace].mcp_servers
        if name in self._extra.get(ref.workspace, {}) and name not in written:
            raise InvalidInput(
                sentence(
                    "{name} is set by environment variables and can't be changed here.", name=name
                ),
                "Change its variables and restart Toolbooth.",
            )

    def active(self) -> WorkspaceId:
        """The one the settings name; if its folder is gone, the first there is."""
        chosen = self._config.settings.active_workspace
        return chosen if chosen in self.catalogs else min(self.catalogs, default=chosen)

    def local_principal(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal:
        """The user of this computer, working in a project. Raises `NotFound` if there is none."""
        catalog = self.catalog(workspace)
        if project is not None:
            catalog.project(project)
        return Principal(_LOCAL_CLIENT, None, workspace, project)

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

    def find_unchanged(self, ref: ServerRef, config_hash: str) -> ServerEntry | None:
        """The server, if it was not removed or reconfigured meanwhile."""
        entry = self.find(ref)
        return entry if entry is not None and entry.config.config_hash == config_hash else None

    def refs(self, workspace: WorkspaceId) -> list[ServerRef]:
        return [ServerRef(workspace, server) for server in self.catalog(workspace).servers]

    def all_refs(self) -> Iterator[ServerRef]:
        for workspace, catalog in list(self.catalogs.items()):
            for server in catalog.servers:
                yield ServerRef(workspace, server)

    def cache(self, workspace: WorkspaceId) -> ToolListCache:
        if (cache := self._caches.get(workspace)) is None:
            cache = self._caches[workspace] = ToolListCache(self._folder / workspace / "cache")
        return cache

    def folder(self, workspace: WorkspaceId) -> Path:
        return self._folder / workspace

    def consents(self, workspace: WorkspaceId) -> ConsentStore:
        return ConsentStore(self._folder / workspace, self._consent_key)

    def approvals(self, workspace: WorkspaceId) -> ApprovalStore:
        if (store := self._approvals.get(workspace)) is None:
            store = self._approvals[workspace] = ApprovalStore(
                self._folder / workspace, self._deferred_writes
            )
        return store

    def has_consent(self, ref: ServerRef) -> bool:
        return self.consents(ref.workspace).has(ref.server, self.entry(ref).config)

    def allows_folder(self, ref: ServerRef, folder: str) -> bool:
        """Whether the user has allowed a server to run in a client's folder."""
        consents = self.consents(ref.workspace)
        return consents.has_folder(ref.server, self.entry(ref).config, folder)

    async def allow_folder(self, ref: ServerRef, folder: str) -> None:
        allow = self.consents(ref.workspace).allow_folder
        await asyncio.to_thread(allow, ref.server, self.entry(ref).config, folder)

    def lost_program(self, ref: ServerRef) -> bool:
        return self.consents(ref.workspace).lost_program(ref.server, self.entry(ref).config)

    def may_start(self, ref: ServerRef) -> bool:
        """Whether to try to start a server. One whose program is gone is tried, which fails with
        that reason, and works again when the program is back; only `has_consent` lets it run."""
        return self.has_consent(ref) or self.lost_program(ref)

    def reconcile(self, workspace: WorkspaceId) -> Reconciled:
        """Bring the catalog in line with the configuration; returns what that changes."""
        config = self._with_extra(workspace, self._config.workspaces[workspace])
        catalog = self.catalogs.get(workspace)
        before: dict[ServerId, ServerEntry] = catalog.servers if catalog else {}
        if catalog is None:
            catalog = self.catalogs[workspace] = WorkspaceCatalog(
                config, self._provider, lambda server: self.failure_of(ServerRef(workspace, server))
            )
        else:
            catalog.configure(config)
        return _compare(workspace, before, catalog.servers)

    def _with_extra(self, workspace: WorkspaceId, config: WorkspaceConfig) -> WorkspaceConfig:
        extra = self._extra.get(workspace)
        if not extra:
            return config
        new = {name: server for name, server in extra.items() if name not in config.mcp_servers}
        return config.model_copy(update={"mcp_servers": {**config.mcp_servers, **new}})

    def drop(self, workspace: WorkspaceId) -> Reconciled:
        """A workspace is gone from disk."""
        catalog = self.catalogs.pop(workspace)
        return _compare(workspace, catalog.servers, {})


def _no_failure(_: ServerRef) -> None:
    """Nothing has been started yet."""


def _compare(
    workspace: WorkspaceId,
    before: dict[ServerId, ServerEntry],
    after: dict[ServerId, ServerEntry],
) -> Reconciled:
    def ref(server: ServerId) -> ServerRef:
        return ServerRef(workspace, server)

    both = before.keys() & after.keys()
    same = {s for s in both if before[s].config.config_hash == after[s].config.config_hash}
    return Reconciled(
        removed={ref(s): len(entry.tools) for s, entry in before.items() if s not in after},
        new_or_changed=tuple(ref(s) for s in after if s not in same),
        kept=tuple(ref(s) for s in after if s in same),
        edited=frozenset(ref(s) for s in same if _configured(before[s]) != _configured(after[s])),
        enabled=frozenset(
            ref(s) for s in same if before[s].config.disabled and not after[s].config.disabled
        ),
        disabled={
            ref(s): len(after[s].tools)
            for s in same
            if after[s].config.disabled and not before[s].config.disabled
        },
    )


def _configured(entry: ServerEntry) -> tuple[str, ServerConfig]:
    return entry.name, entry.config
