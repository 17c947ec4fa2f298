"""Permissions: which calls are allowed, and the permission requests that wait for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from router.config.workspace import PermissionRule
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.permissions import Answer, Permission, PermissionRequest, PermissionRequestId


class PermissionsPort(Protocol):
    """`project` None means the whole workspace. What is set is part of `ProjectsPort.config`."""

    def requests(self) -> tuple[PermissionRequest, ...]:
        """The permission requests that wait for an answer, oldest first."""
        ...

    async def answer(self, request_id: PermissionRequestId, answer: Answer) -> None:
        """Raises `NotFound` if the call no longer waits."""
        ...

    async def set(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None: ...
    async def set_rules(
        self, workspace: WorkspaceId, project: ProjectId | None, rules: Sequence[PermissionRule]
    ) -> None: ...
