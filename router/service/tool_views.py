"""The tools of a server as the window and the command line show them, computed again only after a
change."""

from __future__ import annotations

from dataclasses import dataclass

from router.catalog.server_entry import ServerEntry
from router.catalog.server_status import ServerStatuses
from router.config.workspace import WorkspaceConfig
from router.domain.ids import ServerRef
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval
from router.domain.tools import DataSource, ToolView
from router.service.workspace_catalogs import WorkspaceCatalogs

_REACHABLE = (ServerState.IDLE, ServerState.CONNECTING, ServerState.READY)
"""States in which a call succeeds; it starts an idle server."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    entry: ServerEntry
    config: WorkspaceConfig
    available: bool
    source: DataSource
    bases: tuple[ToolView, ...] = ()
    views: tuple[ToolView, ...] = ()

    def is_current(self, other: _Snapshot) -> bool:
        same_objects = self.entry is other.entry and self.config is other.config
        return same_objects and (self.available, self.source) == (other.available, other.source)


class ToolViews:
    def __init__(self, catalogs: WorkspaceCatalogs, statuses: ServerStatuses) -> None:
        self._catalogs = catalogs
        self._statuses = statuses
        self._snapshots: dict[ServerRef, _Snapshot] = {}

    def of(self, ref: ServerRef) -> tuple[ToolView, ...]:
        now = self._now(ref)
        known = self._snapshots.get(ref)
        if known is None or not known.is_current(now):
            known = self._snapshots[ref] = self._computed(now, ref, known)
        return known.views

    def _now(self, ref: ServerRef) -> _Snapshot:
        catalog = self._catalogs.catalog(ref.workspace)
        status = self._statuses.status(ref)
        available = status.state in _REACHABLE
        is_live = status.state is ServerState.READY
        source = DataSource.RUNTIME if is_live else DataSource.CACHED
        return _Snapshot(catalog.entry(ref.server), catalog.config, available, source)

    def _computed(self, now: _Snapshot, ref: ServerRef, before: _Snapshot | None) -> _Snapshot:
        """Of unchanged tools only what depends on state and permissions is computed again."""
        known = before.entry if before is not None else None
        same = known and known.tools is now.entry.tools and known.unapproved is now.entry.unapproved
        bases = before.bases if before is not None and same else now.entry.views()
        policy = self._catalogs.catalog(ref.workspace).policy
        seen = now.entry.listed_at
        views = tuple(
            view.as_of(
                policy(tool).otherwise,
                now.available and view.approval is Approval.APPROVED,
                seen,
                now.source,
            )
            for tool, view in zip(now.entry.tools, bases, strict=True)
        )
        return _Snapshot(now.entry, now.config, now.available, now.source, bases, views)
