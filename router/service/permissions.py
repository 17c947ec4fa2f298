"""Permissions: per tool, by rules, and the requests that wait for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from router.catalog import config_edits
from router.config.workspace import PermissionRule
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.names import SCRIPTS
from router.domain.permissions import (
    Answer,
    Permission,
    PermissionKind,
    PermissionRequest,
    PermissionRequestId,
)
from router.gateway.tools.permission_requests import PermissionRequests
from router.service.projects import Projects
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor


@dataclass(frozen=True, slots=True)
class Permissions:
    """The production implementation of `api.permissions.PermissionsPort`."""

    _projects: Projects
    _editor: WorkspaceEditor
    _requests: PermissionRequests
    _catalogs: WorkspaceCatalogs

    def requests(self) -> tuple[PermissionRequest, ...]:
        return self._requests.pending()

    async def answer(self, request_id: PermissionRequestId, answer: Answer) -> None:
        asked = self._requests.answer(request_id, answer)
        if answer is Answer.ALWAYS:
            await self._always_allow(asked)

    async def set(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None:
        await self._editor.edit(
            workspace, lambda c: config_edits.with_permission(c, key, permission, project)
        )
        if key.server != SCRIPTS:
            self._editor.publish_tools(workspace, key.server)

    async def set_rules(
        self, workspace: WorkspaceId, project: ProjectId | None, rules: Sequence[PermissionRule]
    ) -> None:
        await self._editor.edit(
            workspace, lambda c: config_edits.with_changes(c, project, rules=tuple(rules))
        )
        self._editor.publish_tools(workspace)

    async def _always_allow(self, asked: PermissionRequest) -> None:
        """Allow without a request from now on, in the project the request came from."""
        workspace, project = asked.ref.workspace, asked.project
        if asked.kind is PermissionKind.FOLDER:
            await self._catalogs.allow_folder(asked.ref, asked.name)
            return
        if asked.kind is PermissionKind.TOOL:
            await self.set(workspace, asked.key, Permission.ALLOW, project)
            return
        if "*" in asked.name:
            return  # as a pattern it would allow more than was asked: only this call
        rule = PermissionRule.model_validate(
            {"permission": Permission.ALLOW, "server": asked.ref.server, asked.kind: asked.name}
        )
        rules = self._projects.config(workspace, project).rules
        await self.set_rules(workspace, project, (rule, *rules))
