"""Tools as the window and the command line use them: lists, approval, calls."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from router.domain.clients import Principal
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.result import Failed, ToolResult
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from router.gateway.client_request import ClientRequest
from router.gateway.tools.tool_methods import ToolMethods
from router.runtime.tracing import begin_trace
from router.service.tool_lists import ToolLists
from router.service.tool_views import ToolViews
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor


@dataclass(frozen=True, slots=True)
class Tools:
    """The production implementation of `api.tools.ToolsPort`."""

    _catalogs: WorkspaceCatalogs
    _editor: WorkspaceEditor
    _lists: ToolLists
    _views: ToolViews
    _tool_methods: ToolMethods

    def list(self, ref: ServerRef) -> tuple[ToolView, ...]:
        return self._views.of(ref)

    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        return self._lists.pending(workspace)

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy:
        return self._catalogs.catalog(workspace).config.approval

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None:
        await self._editor.edit(workspace, lambda c: c.model_copy(update={"approval": policy}))

    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        await self._lists.approve(ref, tools)

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
