"""Projects in whole: looking at one, and putting one in place of another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from router.api.events import Publish, ToolsChanged
from router.catalog import config_edits
from router.config.workspace import ProjectConfig, WorkspaceConfig
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.service.workspace_catalogs import Workspaces


class Edit(Protocol):
    """Changes a workspace's file and lets everything follow."""

    def __call__(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig], /
    ) -> Awaitable[WorkspaceConfig]: ...


class Projects:
    """The one production implementation of `projects.ProjectsPort`."""

    def __init__(self, workspaces: Workspaces, edit: Edit, publish: Publish) -> None:
        self._workspaces = workspaces
        self._edit = edit
        self._publish = publish

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        return config_edits.project_of(self._workspaces.catalog(workspace).config, project)

    def permissions(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> Mapping[ToolKey, Permission]:
        catalog = self._workspaces.catalog(workspace)
        chosen = config_edits.project_of(catalog.config, project).servers
        return {
            tool.key: catalog.policy(tool, project).otherwise
            for entry in catalog.servers.values()
            if chosen is None or entry.id in chosen
            for tool in entry.tools
        }

    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        await self._edit(workspace, lambda now: config_edits.with_project_put(now, project, config))
        for server, entry in self._workspaces.catalog(workspace).servers.items():
            self._publish(ToolsChanged(workspace, server, len(entry.tools)))
