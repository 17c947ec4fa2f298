"""Tools as the window and the command line use them: lists, approval, calls."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from router.catalog.permission_policy import Policy
from router.catalog.server_entry import ServerEntry
from router.config.workspace import WorkspaceConfig
from router.domain.clients import Principal
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.result import Failed, ToolResult
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval, ApprovalPolicy
from router.domain.tools import DataSource, PendingTool, Tool, ToolView
from router.gateway.client_request import ClientRequest
from router.gateway.tools.tool_methods import ToolMethods
from router.runtime.tracing import begin_trace
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor

_REACHABLE = (ServerState.IDLE, ServerState.CONNECTING, ServerState.READY)
"""States in which a call succeeds; it starts an idle server."""


_Basis: TypeAlias = tuple[ServerEntry, WorkspaceConfig, bool, DataSource]
"""What the views of a server's tools depend on: the bool is whether a call would succeed."""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    basis: _Basis
    bases: tuple[ToolView, ...]
    """Without what depends on state and permissions."""
    views: tuple[ToolView, ...]


def _snapshot(
    basis: _Basis, policy: Callable[[Tool], Policy], before: _Snapshot | None
) -> _Snapshot:
    """Of unchanged tools only what depends on state and permissions is computed again."""
    entry, _, available, source = basis
    known = before.basis[0] if before is not None else None
    same = known and known.tools is entry.tools and known.unapproved is entry.unapproved
    bases = before.bases if before is not None and same else entry.views()
    views = tuple(
        view._replace(
            permission=policy(tool).otherwise,
            available=available and view.approval is Approval.APPROVED,
            last_seen=entry.listed_at,
            source=source,
        )
        for tool, view in zip(entry.tools, bases, strict=True)
    )
    return _Snapshot(basis, bases, views)


@dataclass(frozen=True, slots=True)
class Tools:
    """The production implementation of `api.tools.ToolsPort`."""

    _catalogs: WorkspaceCatalogs
    _editor: WorkspaceEditor
    _upstreams: UpstreamManager
    _tool_methods: ToolMethods
    _snapshots: dict[ServerRef, _Snapshot] = field(default_factory=dict[ServerRef, _Snapshot])

    def list(self, ref: ServerRef) -> tuple[ToolView, ...]:
        """Computed again only after a change."""
        catalog = self._catalogs.catalog(ref.workspace)
        state = self._upstreams.statuses.status(ref).state
        source = DataSource.RUNTIME if state is ServerState.READY else DataSource.CACHED
        basis = catalog.entry(ref.server), catalog.config, state in _REACHABLE, source
        known = self._snapshots.get(ref)
        if known is None or any(a is not b for a, b in zip(known.basis, basis, strict=True)):
            known = self._snapshots[ref] = _snapshot(basis, catalog.policy, known)
        return known.views

    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        return self._upstreams.tool_lists.pending(workspace)

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy:
        return self._catalogs.catalog(workspace).config.approval

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None:
        await self._editor.edit(workspace, lambda c: c.model_copy(update={"approval": policy}))

    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        await self._upstreams.tool_lists.approve(ref, tools)

    async def dismiss(self, ref: ServerRef, tools: Collection[str]) -> None:
        await self._upstreams.tool_lists.dismiss(ref, tools)

    async def call(
        self, principal: Principal, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        request = ClientRequest.local(principal, begin_trace())
        return await self._tool_methods.run_tool(request, key, arguments)

    async def try_out(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        principal = self._catalogs.local_principal(workspace, None)
        result = await self.call(principal, key, arguments)
        if isinstance(result, Failed):
            raise InvalidInput(result.message, result.hint)
        return result.value
