"""Projects of a workspace: which servers they use, their options and permissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from router.config.workspace import ProjectConfig
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.workspaces import Exposure, Optimization, ProjectSummary


class ProjectsPort(Protocol):
    """`project` None is the unassigned project: what holds for the whole workspace."""

    def list(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        """The unassigned project first, then the others by name."""
        ...

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        """The whole configuration of a project; of the unassigned one, the workspace's."""
        ...

    def permissions(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> Mapping[ToolKey, Permission]:
        """The effective permission of each tool of the project's servers."""
        ...

    def local_principal(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal:
        """The user of this computer, working in a project. Needs no token."""
        ...

    async def create(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId: ...
    async def update(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None: ...
    async def set_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None: ...
    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        """Replace a project's configuration, or create a project that was removed. The unassigned
        project keeps its name and servers."""
        ...

    async def remove(self, workspace: WorkspaceId, project: ProjectId) -> None: ...
