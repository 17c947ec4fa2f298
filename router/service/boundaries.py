"""Commands about who may use what: workspaces, projects, permissions and tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from router.api.events import Publish, TokensChanged, ToolsChanged, WorkspacesChanged
from router.catalog import config_edits
from router.config.workspace import PermissionRule, WorkspaceConfig
from router.domain.clients import IssuedToken
from router.domain.errors import InvalidInput
from router.domain.ids import ProjectId, ServerId, ServerRef, TokenId, ToolKey, WorkspaceId
from router.domain.names import SCRIPTS
from router.domain.permissions import (
    Answer,
    Kind,
    Permission,
    PermissionRequest,
    PermissionRequestId,
)
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import Exposure, Optimization
from router.service.endpoint import Endpoint
from router.service.projects import Projects
from router.service.queries import Queries
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import Workspaces
from router.store.config_store import ConfigStore
from router.store.secrets import LayeredSecrets
from router.store.tokens import TokenStore, WithdrawnToken


class Boundaries(Queries):
    def __init__(
        self,
        config: ConfigStore,
        workspaces: Workspaces,
        upstreams: UpstreamManager,
        endpoint: Endpoint,
        tokens: TokenStore,
        secrets: LayeredSecrets,
        publish: Publish,
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(config, workspaces, upstreams, endpoint, tokens, secrets)
        self._publish = publish
        self._clock = clock
        self.project_configs = Projects(workspaces, self._edit, publish)

    async def create_workspace(self, name: str) -> WorkspaceId:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._config.workspaces)
        workspace = config_edits.new_workspace_id(name, self._workspaces.catalogs)
        await self._workspaces.create(workspace, WorkspaceConfig(name=name))
        await self._reconcile(workspace)
        return workspace

    async def approve_tools(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        await self._upstreams.tool_lists.approve(ref, tools)

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None:
        await self._edit(workspace, lambda c: c.model_copy(update={"approval": policy}))

    async def rename_workspace(self, workspace: WorkspaceId, name: str) -> None:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._config.workspaces, renamed=workspace)
        await self._edit(workspace, lambda c: c.model_copy(update={"name": name}))

    async def remove_workspace(self, workspace: WorkspaceId) -> None:
        """Put it aside, so that it can be restored. The last one stays."""
        others = [known for known in self._workspaces.catalogs if known != workspace]
        self._workspaces.catalog(workspace)
        if not others:
            raise InvalidInput("The last workspace can't be removed.", "Make another one first.")
        await self._workspaces.put_aside(workspace)
        await self._upstreams.apply(self._workspaces.drop(workspace))
        self._publish(WorkspacesChanged(workspace))

    async def restore_workspace(self, workspace: WorkspaceId) -> None:
        """Bring back the one that was removed last under this id."""
        await self._workspaces.bring_back(workspace)
        await self._reconcile(workspace)

    async def create_project(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId:
        name = config_edits.checked_name(name)
        _, project = config_edits.with_project(
            self._workspaces.catalog(workspace).config, name, servers
        )
        await self._edit(workspace, lambda c: config_edits.with_project(c, name, servers)[0])
        return project

    async def update_project(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None:
        name = config_edits.checked_name(name)
        await self._edit(
            workspace, lambda c: config_edits.with_changed_project(c, project, name, servers)
        )

    async def remove_project(self, workspace: WorkspaceId, project: ProjectId) -> None:
        await self._edit(workspace, lambda c: config_edits.without_project(c, project))

    async def set_project_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None:
        await self._edit(
            workspace, lambda c: config_edits.with_options(c, project, optimization, exposure)
        )

    async def set_permission(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None:
        await self._edit(
            workspace, lambda c: config_edits.with_permission(c, key, permission, project)
        )
        catalog = self._workspaces.catalog(workspace)
        if key.server != SCRIPTS:
            count = len(catalog.entry(key.server).tools)
            self._publish(ToolsChanged(workspace, key.server, count))

    async def set_permission_rules(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        rules: Sequence[PermissionRule],
    ) -> None:
        await self._edit(workspace, lambda c: config_edits.with_rules(c, project, rules))
        for server, entry in self._workspaces.catalog(workspace).servers.items():
            self._publish(ToolsChanged(workspace, server, len(entry.tools)))

    async def answer_permission(self, request_id: PermissionRequestId, answer: Answer) -> None:
        asked = self._endpoint.permission_requests.answer(request_id, answer)
        if answer is Answer.ALWAYS:
            await self._always_allow(asked)

    async def _always_allow(self, asked: PermissionRequest) -> None:
        """What the person agreed to needs no question any more, where it was asked."""
        workspace, project = asked.ref.workspace, asked.project
        if asked.kind is Kind.TOOL:
            await self.set_permission(workspace, asked.key, Permission.ALLOW, project)
            return
        rule = PermissionRule.model_validate(
            {"permission": Permission.ALLOW, "server": asked.ref.server, asked.kind: asked.name}
        )
        rules = self.permission_rules(workspace, project)
        await self.set_permission_rules(workspace, project, (rule, *rules))

    async def issue_token(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        self._workspaces.check_scope(workspace, project, servers)
        name = config_edits.checked_name(name)
        expires_at = config_edits.end_of(lifetime, self._clock())
        issued = await asyncio.to_thread(
            self._tokens.issue, name, workspace, project, expires_at, servers
        )
        self._publish(TokensChanged())
        return issued

    async def revoke_token(self, token: TokenId) -> None:
        await asyncio.to_thread(self._tokens.revoke, token)
        self._publish(TokensChanged())

    async def withdraw_token(self, token: TokenId) -> WithdrawnToken | None:
        """Revoke a token in a way that can be taken back."""
        withdrawn = await asyncio.to_thread(self._tokens.withdraw, token)
        self._publish(TokensChanged())
        return withdrawn

    async def reinstate_token(self, withdrawn: WithdrawnToken) -> None:
        await asyncio.to_thread(self._tokens.reinstate, withdrawn)
        self._publish(TokensChanged())

    async def _edit(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        changed = await self._workspaces.edit(workspace, change)
        await self._reconcile(workspace)
        return changed

    async def _reconcile(self, workspace: WorkspaceId) -> None:
        await self._upstreams.apply(self._workspaces.reconcile(workspace))
        self._publish(WorkspacesChanged(workspace))
