"""What the router offers (`RouterPort`) and what its rooms need of each other.

Each port is a small Protocol with one production implementation and a typed fake in
`tests/fakes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from router.api.apps import AppsPort
from router.api.events import Event
from router.api.projects import ProjectsPort
from router.api.scripts import ScriptsPort
from router.api.search import SearchPort
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
from router.domain.clients import IssuedToken, TokenSummary
from router.domain.endpoint import ListenerState
from router.domain.ids import ProjectId, ServerId, ServerRef, TokenId, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.permissions import Answer, Permission, PermissionRequest, PermissionRequestId
from router.domain.receipts import DiscoveryAccess, Protection, Receipt
from router.domain.servers import LogLine, ServerOffers, ServerStatus, SignIn
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from router.domain.workspaces import Exposure, Optimization, ProjectSummary, WorkspaceSummary


class RouterPort(Protocol):
    """The router as window, tray and CLI see it.

    Queries are synchronous, answer from immutable snapshots and may be called on any thread.
    Commands are coroutines that run on the router's loop and raise `ToolboothError`.
    """

    @property
    def apps(self) -> AppsPort: ...
    @property
    def searches(self) -> SearchPort: ...
    @property
    def scripts(self) -> ScriptsPort: ...
    @property
    def project_configs(self) -> ProjectsPort: ...

    # Queries
    def settings(self) -> Settings: ...
    def listener(self) -> ListenerState: ...
    def workspaces(self) -> tuple[WorkspaceSummary, ...]: ...
    def active_workspace(self) -> WorkspaceId: ...
    def projects(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        """The unassigned project first, then the others by name."""
        ...

    def servers(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]: ...
    def server_config(self, ref: ServerRef) -> ServerConfig: ...
    def secret_concerns(self, ref: ServerRef) -> tuple[SecretConcern, ...]: ...
    def tools(self, ref: ServerRef) -> tuple[ToolView, ...]: ...
    def receipt(self, ref: ServerRef) -> Receipt | None:
        """What a server tried when its lists were last learnt in isolation."""
        ...

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy: ...
    def pending_tools(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        """Tools that are hidden from clients until a person approves them."""
        ...

    def offers(self, ref: ServerRef) -> ServerOffers: ...
    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        """The last lines it wrote to stderr, oldest first."""
        ...

    def tokens(self) -> tuple[TokenSummary, ...]: ...
    def savings(self, workspace: WorkspaceId) -> Savings: ...
    def recent_activity(self) -> tuple[ActivityEntry, ...]:
        """The newest entries, newest first."""
        ...

    async def activity(self, query: ActivityQuery) -> ActivityPage:
        """Entries of the activity log, also those that are no longer in memory."""
        ...

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]: ...

    # Events
    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        """Call `consumer` for each event, on the router's thread; returns how to stop that."""
        ...

    # Commands
    async def add_server(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId: ...
    async def update_server(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId: ...
    async def remove_server(self, ref: ServerRef) -> None: ...
    async def set_server_enabled(self, ref: ServerRef, enabled: bool) -> None: ...
    async def approve_server(self, ref: ServerRef) -> None: ...
    async def approve_tools(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        """Approve tools as they are now, by their names; None: all of the server that wait."""
        ...

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None: ...
    async def allow_discovery(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """Decide what a server may have while its lists are learnt, and learn them so. Holds for
        its present configuration."""
        ...

    async def isolation(self) -> Protection:
        """What would protect the computer if lists were learnt now, as a self-test has proved; the
        first time, the test takes some tenths of a second."""
        ...

    async def begin_sign_in(self, ref: ServerRef) -> SignIn:
        """Where the person signs in to a server; nothing is opened. Completes in the background:
        the server's status says how it ended. Whoever asks meanwhile gets the same."""
        ...

    async def sign_out(self, ref: ServerRef) -> None: ...
    async def import_servers(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]: ...
    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        """Learn the tool lists anew; returns when every one of them has ended. With `packages`,
        servers that are packages are fetched anew first."""
        ...

    async def cancel_refresh(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        """End the refreshes that wait or are under way; what was known of the tools stays."""
        ...

    async def measure(self) -> None:
        """Learn what the running servers' processes use; their statuses tell."""
        ...

    async def try_tool(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        """Run a tool as the person at the keyboard; the result as the server gave it."""
        ...

    async def create_workspace(self, name: str) -> WorkspaceId: ...
    async def rename_workspace(self, workspace: WorkspaceId, name: str) -> None: ...
    async def remove_workspace(self, workspace: WorkspaceId) -> None: ...
    async def restore_workspace(self, workspace: WorkspaceId) -> None:
        """Take back the last `remove_workspace` of this id."""
        ...

    async def switch_workspace(self, workspace: WorkspaceId) -> None: ...
    async def create_project(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId: ...
    async def update_project(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None: ...
    async def remove_project(self, workspace: WorkspaceId, project: ProjectId) -> None: ...
    async def set_project_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None:
        """Set both options of a project; `project` None is the unassigned one."""
        ...

    async def set_permission(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None: ...
    def permission_requests(self) -> tuple[PermissionRequest, ...]:
        """The calls that wait for the user's permission, oldest first."""
        ...

    async def answer_permission(self, request_id: PermissionRequestId, answer: Answer) -> None:
        """Give the user's answer. Raises `NotFound` if the call no longer waits."""
        ...

    def permission_rules(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> tuple[PermissionRule, ...]: ...
    async def set_permission_rules(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        rules: Sequence[PermissionRule],
    ) -> None:
        """Replace the rules of a project, or with `project` None those of the workspace."""
        ...

    async def apply_settings(self, settings: Settings) -> None: ...
    async def issue_token(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        """A token for a client. Without a workspace it follows the active one; `servers` narrows
        what it is good for, `lifetime` says when it ends by itself."""
        ...

    async def revoke_token(self, token: TokenId) -> None: ...
