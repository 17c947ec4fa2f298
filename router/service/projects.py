"""The projects of a workspace: queries, and the commands that change them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from router.catalog import config_edits
from router.config.workspace import ProjectConfig
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.workspaces import Exposure, Optimization, ProjectSummary
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor

_WHOLE_WORKSPACE = "All servers"


@dataclass(frozen=True, slots=True)
class Projects:
    """The production implementation of `api.projects.ProjectsPort`."""

    _catalogs: WorkspaceCatalogs
    _editor: WorkspaceEditor

    def list(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        config = self._catalogs.catalog(workspace).config
        unassigned = ProjectSummary(
            None,
            _WHOLE_WORKSPACE,
            None,
            config.optimization,
            config.exposure,
            config.offer_search,
        )
        named = [
            ProjectSummary(
                key,
                entry.name,
                entry.servers,
                entry.optimization,
                entry.exposure,
                entry.offer_search,
            )
            for key, entry in config.projects.items()
        ]
        return (unassigned, *sorted(named, key=lambda project: project.name.casefold()))

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        return config_edits.project_of(self._catalogs.catalog(workspace).config, project)

    def permissions(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> Mapping[ToolKey, Permission]:
        catalog = self._catalogs.catalog(workspace)
        chosen = config_edits.project_of(catalog.config, project).servers
        return {
            tool.key: catalog.policy(tool, project).otherwise
            for entry in catalog.servers.values()
            if chosen is None or entry.id in chosen
            for tool in entry.tools
        }

    def local_principal(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal:
        return self._catalogs.local_principal(workspace, project)

    async def create(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId:
        name = config_edits.checked_name(name)
        _, project = config_edits.with_project(
            self._catalogs.catalog(workspace).config, name, servers
        )
        await self._editor.edit(workspace, lambda c: config_edits.with_project(c, name, servers)[0])
        return project

    async def update(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None:
        name = config_edits.checked_name(name)
        await self._editor.edit(
            workspace, lambda c: config_edits.with_changed_project(c, project, name, servers)
        )

    async def set_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None:
        await self._editor.edit(
            workspace,
            lambda c: config_edits.with_changes(
                c, project, optimization=optimization, exposure=exposure
            ),
        )

    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        await self._editor.edit(
            workspace, lambda now: config_edits.with_project_put(now, project, config)
        )
        self._editor.publish_tools(workspace)

    async def remove(self, workspace: WorkspaceId, project: ProjectId) -> None:
        await self._editor.edit(workspace, lambda c: config_edits.without_project(c, project))
