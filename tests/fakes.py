"""Typed stand-ins for the ports, used before any mock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import current_thread
from typing import Any, TypeVar

from router.api.events import (
    Event,
    SettingsApplied,
    TokensChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.config.secret_detection import SecretConcern
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.config.workspace import ProjectConfig
from router.domain.activity import ActivityEntry, Savings
from router.domain.clients import IssuedToken, TokenSummary
from router.domain.endpoint import ListenerState
from router.domain.errors import NotFound, SecretUnavailable, ToolboothError
from router.domain.ids import ProjectId, ServerId, ServerRef, TokenId, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import slug
from router.domain.permissions import Permission
from router.domain.servers import (
    DiscoveryStatus,
    LogLine,
    ServerOffers,
    ServerState,
    ServerStatus,
    SignIn,
    TransportType,
)
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from router.domain.workspaces import Exposure, Optimization, ProjectSummary, WorkspaceSummary
from tests.fake_apps import FakeApps
from tests.fake_discovery import FakeDiscovery
from tests.fake_permissions import FakePermissions
from tests.fake_projects import FakeProjects
from tests.fake_scripts import FakeScripts
from tests.fake_search import FakeSearch
from tests.fake_state import RouterState, SentCommand

T = TypeVar("T")


class FakeRouter(FakePermissions, FakeDiscovery):
    """`RouterPort` without a router: answers from `state`, keeps each command in `commands`.

    Commands that choose (settings, workspace, project options) also change `state` and tell so;
    the others are only recorded. A command named in `failures` raises that error instead.
    """

    def __init__(self, state: RouterState | None = None) -> None:
        self.state = state or RouterState()
        self.commands: list[SentCommand] = []
        self.failures: dict[str, ToolboothError] = {}
        self.apps = FakeApps(self._record)
        self.searches = FakeSearch()
        self.scripts = FakeScripts(self._record)
        self.project_configs = FakeProjects(self.state, self.projects, self._record, self.emit)
        self._consumers: list[Callable[[Event], None]] = []
        FakePermissions.__init__(self, self._record, self.emit)
        FakeDiscovery.__init__(self, self._record)

    def emit(self, event: Event) -> None:
        """Tell every subscriber, on the calling thread."""
        for consumer in tuple(self._consumers):
            consumer(event)

    def settings(self) -> Settings:
        return self.state.settings

    def listener(self) -> ListenerState:
        return self.state.listener

    def workspaces(self) -> tuple[WorkspaceSummary, ...]:
        return self.state.workspaces

    def active_workspace(self) -> WorkspaceId:
        return self.state.settings.active_workspace

    def projects(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        unassigned = ProjectSummary(
            None, "Unassigned", None, optimization=Optimization.BM25, exposure=Exposure.SEARCH
        )
        return self.state.projects.get(workspace, (unassigned,))

    def servers(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]:
        return self.state.servers.get(workspace, ())

    def server_config(self, ref: ServerRef) -> ServerConfig:
        if ref not in self.state.configs:
            raise NotFound(f"There is no server {ref.server}.")
        return self.state.configs[ref]

    def secret_concerns(self, ref: ServerRef) -> tuple[SecretConcern, ...]:
        return self.state.concerns.get(ref, ())

    def tools(self, ref: ServerRef) -> tuple[ToolView, ...]:
        return self.state.tools.get(ref, ())

    def approval_policy(self, workspace: WorkspaceId) -> ApprovalPolicy:
        return self.state.approval

    def pending_tools(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        return self.state.pending

    def offers(self, ref: ServerRef) -> ServerOffers:
        return self.state.offers.get(ref, ServerOffers())

    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        return self.state.logs.get(ref, ())

    def tokens(self) -> tuple[TokenSummary, ...]:
        return self.state.tokens

    def savings(self, workspace: WorkspaceId) -> Savings:
        return self.state.savings.get(workspace, Savings(0, 0, 0, 0, (0,) * 24))

    def recent_activity(self) -> tuple[ActivityEntry, ...]:
        return self.state.activity

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        self._consumers.append(consumer)
        return lambda: self._consumers.remove(consumer)

    async def add_server(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._record("add_server", workspace, name, config, consent)
        return ServerId(slug(name))

    async def update_server(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._record("update_server", ref, name, config, consent)
        return ServerId(slug(name))

    async def remove_server(self, ref: ServerRef) -> None:
        self._record("remove_server", ref)

    async def set_server_enabled(self, ref: ServerRef, enabled: bool) -> None:
        self._record("set_server_enabled", ref, enabled)

    async def approve_server(self, ref: ServerRef) -> None:
        self._record("approve_server", ref)

    async def approve_tools(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        self._record("approve_tools", ref, tools)

    async def set_approval_policy(self, workspace: WorkspaceId, policy: ApprovalPolicy) -> None:
        self._record("set_approval_policy", workspace, policy)
        self.state.approval = policy
        self.emit(WorkspacesChanged(workspace))

    async def begin_sign_in(self, ref: ServerRef) -> SignIn:
        self._record("begin_sign_in", ref)
        return self.state.sign_in

    async def sign_out(self, ref: ServerRef) -> None:
        self._record("sign_out", ref)

    async def import_servers(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]:
        self._record("import_servers", workspace, dict(servers))
        return tuple(ServerId(slug(name)) for name in servers)

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        self._record("refresh", workspace, server)

    async def measure(self) -> None:
        self._record("measure")

    async def try_tool(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        self._record("try_tool", workspace, key, arguments)
        return self.state.result

    async def rename_workspace(self, workspace: WorkspaceId, name: str) -> None:
        self._record("rename_workspace", workspace, name)

    async def remove_workspace(self, workspace: WorkspaceId) -> None:
        self._record("remove_workspace", workspace)

    async def restore_workspace(self, workspace: WorkspaceId) -> None:
        self._record("restore_workspace", workspace)

    async def update_project(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None:
        self._record("update_project", workspace, project, name, servers)

    async def remove_project(self, workspace: WorkspaceId, project: ProjectId) -> None:
        self._record("remove_project", workspace, project)
        self.state.projects[workspace] = tuple(
            known for known in self.projects(workspace) if known.id != project
        )
        self.emit(WorkspacesChanged(workspace))

    async def create_workspace(self, name: str) -> WorkspaceId:
        self._record("create_workspace", name)
        return WorkspaceId(slug(name))

    async def switch_workspace(self, workspace: WorkspaceId) -> None:
        self._record("switch_workspace", workspace)
        changed = self.state.settings.model_copy(update={"active_workspace": workspace})
        self.state.settings = changed
        self.state.workspaces = tuple(
            replace(known, active=known.id == workspace) for known in self.state.workspaces
        )
        self.emit(WorkspaceSwitched(workspace))

    async def create_project(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId:
        self._record("create_project", workspace, name, servers)
        made = ProjectConfig(name=name, servers=None if servers is None else tuple(servers))
        await self.project_configs.put(workspace, ProjectId(slug(name)), made)
        return ProjectId(slug(name))

    async def set_project_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None:
        self._record("set_project_options", workspace, project, optimization, exposure)
        self.state.projects[workspace] = tuple(
            replace(known, optimization=optimization, exposure=exposure)
            if known.id == project
            else known
            for known in self.projects(workspace)
        )
        self.emit(WorkspacesChanged(workspace))

    async def set_permission(
        self,
        workspace: WorkspaceId,
        key: ToolKey,
        permission: Permission,
        project: ProjectId | None = None,
    ) -> None:
        self._record("set_permission", workspace, key, permission, project)

    async def apply_settings(self, settings: Settings) -> None:
        self._record("apply_settings", settings)
        self.state.settings = settings
        self.emit(SettingsApplied(settings))

    async def issue_token(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        self._record("issue_token", name, workspace, project, servers, lifetime)
        issued_at = datetime(2026, 1, 1, tzinfo=UTC)
        expires_at = issued_at + lifetime if lifetime else None
        only = tuple(servers) if servers is not None else None
        summary = TokenSummary(
            TokenId(slug(name)), name, workspace, project, issued_at, expires_at, None, only
        )
        self.state.tokens = (*self.state.tokens, summary)
        self.emit(TokensChanged())
        return IssuedToken(summary, secret=f"tb_{slug(name)}_secret")

    async def revoke_token(self, token: TokenId) -> None:
        self._record("revoke_token", token)
        self.state.tokens = tuple(known for known in self.state.tokens if known.id != token)
        self.emit(TokensChanged())

    def _record(self, name: str, *arguments: object) -> None:
        self.commands.append(SentCommand(name, arguments))
        if name in self.failures:
            raise self.failures[name]


class FakeHostedRouter(FakeRouter):
    """A `FakeRouter` with a life: keeps what happened to it, and on which thread."""

    def __init__(self, start_error: Exception | None = None) -> None:
        super().__init__()
        self.story: list[tuple[str, str]] = []
        self._start_error = start_error

    async def start(self) -> None:
        self.story.append(("start", current_thread().name))
        if self._start_error is not None:
            raise self._start_error

    async def stop(self) -> None:
        self.story.append(("stop", current_thread().name))


def run_now(coro: Coroutine[Any, Any, T]) -> Future[T]:
    """A router's loop that has finished the command the moment it is given one."""
    future: Future[T] = Future()
    try:
        coro.send(None)
    except StopIteration as end:
        future.set_result(end.value)
    except ToolboothError as error:
        future.set_exception(error)
    return future


def run_aside(coro: Coroutine[Any, Any, T]) -> Future[T]:
    """A router's loop, for a command that needs one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coro)


def fake_status(name: str, **changes: Any) -> ServerStatus:
    """A ready stdio server of the workspace `personal`, with `changes` to its fields."""
    ready = ServerStatus(
        workspace=WorkspaceId("personal"),
        id=ServerId(slug(name)),
        name=name,
        transport=TransportType.STDIO,
        target=f"npx {slug(name)}",
        enabled=True,
        state=ServerState.READY,
        discovery=DiscoveryStatus.SUCCESS,
        step=None,
        tool_count=3,
        listed_at=datetime(2026, 1, 1, tzinfo=UTC),
        failure=None,
    )
    return replace(ready, **changes)


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


class FakeSecrets:
    """`ports.SecretStore` in memory, open to be looked into."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def get(self, name: str) -> str:
        if name not in self.values:
            raise SecretUnavailable(f"There is no secret named {name}.")
        return self.values[name]

    async def set(self, name: str, value: str) -> None:
        self.values[name] = value

    async def delete(self, name: str) -> None:
        self.values.pop(name, None)
