"""A typed fake of the facet about other applications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from router.api.apps import (
    App,
    AppConnection,
    AppConnectionPlan,
    AppId,
    AppState,
    DiffLine,
    FoundServer,
    FoundServers,
)
from router.domain.ids import ServerId, WorkspaceId
from router.domain.names import slug
from tests.support.fake_state import FakeContext


class FakeApps:
    """`AppsPort` that answers from its fields and records each command with the router's."""

    def __init__(self, context: FakeContext) -> None:
        self._record = context.record
        self.apps: tuple[App, ...] = ()
        self.findings = FoundServers(())
        self.open_to_others = False
        self.lines: tuple[DiffLine, ...] = (DiffLine("+", "toolbooth"),)

    async def list(self) -> tuple[App, ...]:
        return self.apps

    async def find_servers(self) -> FoundServers:
        return self.findings

    async def read_file(self, path: Path) -> FoundServers:
        self._record("apps.read_file", path)
        return self.findings

    async def import_servers(
        self, workspace: WorkspaceId, servers: Sequence[FoundServer], answers: Mapping[str, str]
    ) -> tuple[ServerId, ...]:
        self._record("apps.import_servers", workspace, tuple(servers), dict(answers))
        return tuple(ServerId(slug(found.name)) for found in servers)

    async def plan(self, app_id: AppId) -> AppConnectionPlan:
        self._record("apps.plan", app_id)
        app = self._app(app_id)
        return AppConnectionPlan(
            app_id, app.name, app.path, False, self.lines, "now", self.open_to_others
        )

    async def connect(self, plan: AppConnectionPlan) -> AppConnection:
        self._record("apps.connect", plan)
        return self._change(plan.client, AppState.CONNECTED)

    async def disconnect(self, app_id: AppId) -> AppConnection:
        self._record("apps.disconnect", app_id)
        return self._change(app_id, AppState.FOUND)

    async def undo(self, connection: AppConnection) -> None:
        self._record("apps.undo", connection)
        was = AppState(connection.undo)
        self._change(connection.client, was)

    async def snippet(self, app_id: AppId) -> str:
        self._record("apps.snippet", app_id)
        return f"snippet for {app_id}"

    def _app(self, app_id: AppId) -> App:
        return next(app for app in self.apps if app.id == app_id)

    def _change(self, app_id: AppId, state: AppState) -> AppConnection:
        """The previous state is the undo."""
        app = self._app(app_id)
        self.apps = tuple(replace(a, state=state) if a.id == app_id else a for a in self.apps)
        return AppConnection(app_id, app.name, app.path, app.path.with_suffix(".bak"), app.state)
