"""What can be asked of the router from any thread: snapshots, answered without waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from router.catalog import config_edits, tool_definition
from router.config.secret_detection import SecretConcern
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.config.workspace import PermissionRule
from router.domain.activity import (
    ActivityEntry,
    ActivityPage,
    ActivityQuery,
    ClientSavings,
    Savings,
)
from router.domain.clients import Principal, TokenSummary
from router.domain.endpoint import ListenerState
from router.domain.ids import ProjectId, ServerRef, WorkspaceId
from router.domain.permissions import Permission, PermissionRequest
from router.domain.receipts import Receipt
from router.domain.search import SearchReply
from router.domain.servers import LogLine, ServerOffers, ServerStatus
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from router.domain.workspaces import ProjectSummary, WorkspaceSummary
from router.gateway.tools.meta_tools import DiscoveryArguments
from router.service.endpoint import Endpoint
from router.service.secret_storage import concerns_about, warning_about
from router.service.tool_views import ToolViews
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import Workspaces
from router.store.activity_log import SqliteActivityLog
from router.store.config_store import ConfigStore, Rejected
from router.store.secrets import LayeredSecrets
from router.store.tokens import TokenStore

_WHOLE_WORKSPACE = "All servers"
_LOCAL_CLIENT = "Toolbooth"


class Queries:
    def __init__(
        self,
        config: ConfigStore,
        workspaces: Workspaces,
        upstreams: UpstreamManager,
        endpoint: Endpoint,
        tokens: TokenStore,
        secrets: LayeredSecrets,
    ) -> None:
        self._config = config
        self._workspaces = workspaces
        self._upstreams = upstreams
        self._endpoint = endpoint
        self._tokens = tokens
        self._secrets = secrets
        self._tool_views = ToolViews(workspaces, upstreams.board)
        self._activity: SqliteActivityLog | None = None  # opened with the settings it needs

    def settings(self) -> Settings:
        return self._config.settings

    def listener(self) -> ListenerState:
        return self._endpoint.state

    def active_workspace(self) -> WorkspaceId:
        """The one the settings name; if its folder is gone, the first there is."""
        chosen, existing = self._config.settings.active_workspace, self._workspaces.catalogs
        return chosen if chosen in existing else min(existing, default=chosen)

    def workspaces(self) -> tuple[WorkspaceSummary, ...]:
        active = self.active_workspace()
        summaries = [
            WorkspaceSummary(
                workspace,
                catalog.config.name,
                len(catalog.servers),
                workspace == active,
                catalog.config.approval,
            )
            for workspace, catalog in list(self._workspaces.catalogs.items())
        ]
        return tuple(sorted(summaries, key=lambda summary: summary.name.casefold()))

    def projects(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        config = self._workspaces.catalog(workspace).config
        unassigned = ProjectSummary(
            None, _WHOLE_WORKSPACE, None, config.optimization, config.exposure
        )
        named = [
            ProjectSummary(key, entry.name, entry.servers, entry.optimization, entry.exposure)
            for key, entry in config.projects.items()
        ]
        return (unassigned, *sorted(named, key=lambda project: project.name.casefold()))

    def servers(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]:
        servers = self._workspaces.catalog(workspace).servers
        return tuple(
            self._upstreams.board.status(ServerRef(workspace, server)) for server in servers
        )

    def server_config(self, ref: ServerRef) -> ServerConfig:
        return self._workspaces.entry(ref).config

    def rejected_files(self) -> tuple[Rejected, ...]:
        """The files that can't be used as they are now."""
        return self._config.rejected

    def secret_warnings(self, ref: ServerRef) -> tuple[str, ...]:
        """What a person should know about where a server's secrets are, a sentence each."""
        entry, concerns = self._workspaces.entry(ref), self.secret_concerns(ref)
        return tuple(warning_about(entry.name, entry.config, concern) for concern in concerns)

    def secret_concerns(self, ref: ServerRef) -> tuple[SecretConcern, ...]:
        return concerns_about(self._workspaces.entry(ref).config, self._secrets)

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self._upstreams.receipts.current(ref)

    def tools(self, ref: ServerRef) -> tuple[ToolView, ...]:
        return self._tool_views.of(ref)

    def pending_tools(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        return self._upstreams.tool_lists.pending(workspace)

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy:
        return self._workspaces.catalog(workspace).config.approval

    def offers(self, ref: ServerRef) -> ServerOffers:
        return tool_definition.offers(self._workspaces.entry(ref).listing)

    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        return self._upstreams.logs.of(ref)

    def tokens(self) -> tuple[TokenSummary, ...]:
        return self._tokens.list()

    def savings(self, workspace: WorkspaceId) -> Savings:
        view = self._workspaces.catalog(workspace).view(None)
        exposed = self._endpoint.exposures.exposed_tokens(view)
        saved, requests = self._activity.saved_today(workspace) if self._activity else (0, 0)
        return Savings(
            exposed_tokens=exposed,
            full_tokens=view.full_tokens,
            saved_today=saved,
            requests_today=requests,
            hourly=self._activity.saved_by_hour(workspace) if self._activity else (),
        )

    def permission_requests(self) -> tuple[PermissionRequest, ...]:
        return self._endpoint.permission_requests.pending()

    def permission_rules(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> tuple[PermissionRule, ...]:
        return config_edits.rules_of(self._workspaces.catalog(workspace).config, project)

    def recent_activity(self) -> tuple[ActivityEntry, ...]:
        return self._activity.recent() if self._activity else ()

    async def activity(self, query: ActivityQuery) -> ActivityPage:
        if self._activity is None:
            return ActivityPage(())
        return await asyncio.to_thread(self._activity.page, query)

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        if self._activity is None:
            return ()
        return await asyncio.to_thread(self._activity.savings, since)

    # For the person at the keyboard

    async def search(self, caller: Principal, queries: Sequence[str], limit: int) -> SearchReply:
        inquiry = DiscoveryArguments(tuple(queries), limit)
        return await self._endpoint.exposures.search(caller, inquiry)

    def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal:
        catalog = self._workspaces.catalog(workspace)
        if project is not None:
            catalog.project(project)
        return Principal(_LOCAL_CLIENT, None, workspace, project)

    def permission_words(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> dict[str, Permission]:
        """The tools whose permission a project, or the workspace, names itself."""
        config = self._workspaces.catalog(workspace).config
        place = config if project is None else config_edits.project_entry(config, project)
        return dict(place.permissions)

    def find_server(self, workspace: WorkspaceId, text: str) -> ServerRef:
        """The server meant by an id or a display name."""
        config = self._workspaces.catalog(workspace).config
        return ServerRef(workspace, config_edits.find_server(config, text))
