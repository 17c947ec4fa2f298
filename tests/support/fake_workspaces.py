"""Typed fakes of the facets about workspaces, settings, the endpoint and the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from router.api.events import ConfigRejected, SettingsApplied, WorkspaceSwitched
from router.config.settings import Settings
from router.domain.endpoint import ListenerState
from router.domain.ids import WorkspaceId
from router.domain.names import slug
from router.domain.workspaces import WorkspaceSummary
from tests.support.fake_state import FakeContext


class FakeWorkspaces:
    """`WorkspacesPort` that answers from the state; switching changes it and is published."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record
        self._emit = context.emit

    def list(self) -> tuple[WorkspaceSummary, ...]:
        return self._state.workspaces

    def active(self) -> WorkspaceId:
        return self._state.settings.active_workspace

    def check(self, workspace: WorkspaceId) -> None:
        """Every file is valid."""

    async def create(self, name: str) -> WorkspaceId:
        self._record("workspaces.create", name)
        return WorkspaceId(slug(name))

    async def rename(self, workspace: WorkspaceId, name: str) -> None:
        self._record("workspaces.rename", workspace, name)

    async def remove(self, workspace: WorkspaceId) -> None:
        self._record("workspaces.remove", workspace)

    async def restore(self, workspace: WorkspaceId) -> None:
        self._record("workspaces.restore", workspace)

    async def switch(self, workspace: WorkspaceId) -> None:
        self._record("workspaces.switch", workspace)
        changed = self._state.settings.model_copy(update={"active_workspace": workspace})
        self._state.settings = changed
        self._state.workspaces = tuple(
            replace(known, active=known.id == workspace) for known in self._state.workspaces
        )
        self._emit(WorkspaceSwitched(workspace))


class FakeSettings:
    """`SettingsPort` on the state's settings; a change is published."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record
        self._emit = context.emit
        self.rejected: tuple[ConfigRejected, ...] = ()

    def current(self) -> Settings:
        return self._state.settings

    def unwritten_reason(self) -> str:
        return ""

    def rejected_files(self) -> tuple[ConfigRejected, ...]:
        return self.rejected

    async def update(self, changes: Mapping[str, object]) -> None:
        self._record("settings.update", changes)
        self._state.settings = self._state.settings.changed(changes)
        self._emit(SettingsApplied(self._state.settings))


class FakeEndpoint:
    """`EndpointPort` in the state's phase."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state

    def state(self) -> ListenerState:
        return self._state.listener
