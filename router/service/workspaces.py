"""Workspaces: creating, renaming, removing and switching them."""

from __future__ import annotations

from router.catalog import config_edits
from router.config.workspace import WorkspaceConfig
from router.domain.errors import InvalidInput
from router.domain.ids import WorkspaceId
from router.domain.workspaces import WorkspaceSummary
from router.service.settings import SettingsService
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor


class Workspaces:
    """The production implementation of `api.workspaces.WorkspacesPort`."""

    def __init__(
        self, catalogs: WorkspaceCatalogs, editor: WorkspaceEditor, settings: SettingsService
    ) -> None:
        self._catalogs = catalogs
        self._editor = editor
        self._settings = settings

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

    async def create(self, name: str) -> WorkspaceId:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._catalogs.configs)
        workspace = config_edits.new_workspace_id(name, self._catalogs.catalogs)
        await self._catalogs.create(workspace, WorkspaceConfig(name=name))
        await self._editor.reconcile(workspace)
        return workspace

    async def rename(self, workspace: WorkspaceId, name: str) -> None:
        name = config_edits.checked_name(name)
        config_edits.check_workspace_name(name, self._catalogs.configs, renamed=workspace)
        await self._editor.edit(workspace, lambda c: c.model_copy(update={"name": name}))

    async def remove(self, workspace: WorkspaceId) -> None:
        others = [known for known in self._catalogs.catalogs if known != workspace]
        self._catalogs.catalog(workspace)
        if not others:
            raise InvalidInput("The last workspace can't be removed.", "Create another one first.")
        await self._catalogs.move_to_removed(workspace)
        await self._editor.drop(workspace)

    async def restore(self, workspace: WorkspaceId) -> None:
        await self._catalogs.restore_removed(workspace)
        await self._editor.reconcile(workspace)

    async def switch(self, workspace: WorkspaceId) -> None:
        await self._settings.change({"active_workspace": workspace})
