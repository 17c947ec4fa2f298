"""Typed fakes of the facets about tools and permissions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from router.api.events import PermissionResolved, WorkspacesChanged
from router.config.workspace import PermissionRule
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.permissions import Answer, Permission, PermissionRequest, PermissionRequestId
from router.domain.result import Ok, ToolResult
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from tests.support.fake_state import FakeContext


class FakeTools:
    """`ToolsPort` that answers from the state; every call has the state's result."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record
        self._emit = context.emit

    def list(self, ref: ServerRef) -> tuple[ToolView, ...]:
        return self._state.tools.get(ref, ())

    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        return self._state.pending

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy:
        return self._state.approval

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None:
        self._record("tools.set_approval_policy", workspace, policy)
        self._state.approval = policy
        self._emit(WorkspacesChanged(workspace))

    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        self._record("tools.approve", ref, tools)

    async def dismiss(self, ref: ServerRef, tools: Collection[str]) -> None:
        self._record("tools.dismiss", ref, tools)

    async def call(
        self, principal: Principal, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        self._record("tools.call", principal, key, arguments)
        return Ok(self._state.result)

    async def try_out(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        self._record("tools.try_out", workspace, key, arguments)
        return self._state.result


class FakePermissions:
    """`PermissionsPort` on `pending_requests`; an answered one is removed, which is published."""

    def __init__(self, context: FakeContext) -> None:
        self.pending_requests: tuple[PermissionRequest, ...] = ()
        self._record = context.record
        self._emit = context.emit

    def requests(self) -> tuple[PermissionRequest, ...]:
        return self.pending_requests

    async def answer(self, request_id: PermissionRequestId, answer: Answer) -> None:
        self._record("permissions.answer", request_id, answer)
        self.pending_requests = tuple(
            known for known in self.pending_requests if known.id != request_id
        )
        self._emit(PermissionResolved(request_id))

    async def set(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None:
        self._record("permissions.set", workspace, key, permission, project)

    async def set_rules(
        self, workspace: WorkspaceId, project: ProjectId | None, rules: Sequence[PermissionRule]
    ) -> None:
        self._record("permissions.set_rules", workspace, project, tuple(rules))
