"""Tools: what servers have, their approval, and calling one as the user of this computer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from router.domain.clients import Principal
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.result import ToolResult
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView


class ToolsPort(Protocol):
    def list(self, ref: ServerRef) -> tuple[ToolView, ...]: ...
    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        """Tools that are hidden from clients until they are approved."""
        ...

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy: ...
    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None: ...
    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        """Approve tools as they are now, by name; None: all pending ones of the server."""
        ...

    async def dismiss(self, ref: ServerRef, tools: Collection[str]) -> None:
        """Dismiss the findings in tools, by name: they are not shown again until the tool's
        definition changes."""
        ...

    async def call(
        self, principal: Principal, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        """Call a tool as a client would."""
        ...

    async def try_out(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        """Call a tool as the user of this computer; the server's result unchanged. Raises
        `InvalidInput` if the call fails."""
        ...
