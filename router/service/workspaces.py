"""Workspaces: creating, renaming, removing and switching them."""

from __future__ import annotations

from dataclasses import dataclass

from router.catalog import config_edits
from router.config.workspace import WorkspaceConfig, new_generation
from router.domain.errors import InvalidInput
from router.domain.ids import WorkspaceId
from router.domain.workspaces import WorkspaceSummary
from router.service.settings import SettingsService
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor
from router.store.config_store import ConfigStore


@dataclass(frozen=True, slots=True)
class Workspaces:
    """The production implementation of `api.workspaces.WorkspacesPort`."""

    _config: ConfigStore
    _catalogs: WorkspaceCatalogs
    _editor: WorkspaceEditor
    _settings: SettingsService

    def list(self) -> tuple[WorkspaceSummary, ...]:
        active = self.active()
        summaries = [
            WorkspaceSummary(
                workspace,
                catalog.config.name,
                len(catalog.servers),
                workspace == active,
                catalog.config.approval,
            )
            for workspace, catalog in tuple(self._catalogs.catalogs.items())
        ]
        return tuple(sorted(summaries, key=lambda summary: summary.name.casefold()))

    def active(self) -> WorkspaceId:
        return self._catalogs.active()

    def check(self, workspace: WorkspaceId) -> None:
        self._config.check(workspace)

    async def create(self, name: str) -> WorkspaceId:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._config.workspaces)
        workspace = config_edits.new_workspace_id(name, self._catalogs.catalogs)
        await self._editor.create(
            workspace, WorkspaceConfig(name=name, generation=new_generation())
        )
        return workspace

    async def rename(self, workspace: WorkspaceId, name: str) -> None:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._config.workspaces, renamed=workspace)
        await self._editor.edit(workspace, lambda c: c.model_copy(update={"name": name}))

    async def remove(self, workspace: WorkspaceId) -> None:
        self._catalogs.catalog(workspace)
        if len(self._catalogs.catalogs) == 1:
            raise InvalidInput("The last workspace can't be removed.", "Create another one first.")
        await self._editor.remove(workspace)

    async def restore(self, workspace: WorkspaceId) -> None:
        await self._editor.restore(workspace)

    async def switch(self, workspace: WorkspaceId) -> None:
        await self._settings.update({"active_workspace": workspace})
