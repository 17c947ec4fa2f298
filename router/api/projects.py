"""Projects in whole, as a person looks at and changes one. Port and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from router.config.workspace import ProjectConfig
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.permissions import Permission


class ProjectsPort(Protocol):
    """`project` None is the unassigned one: what holds for the whole workspace."""

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        """All that is decided about a project; of the unassigned one, what the workspace says."""
        ...

    def permissions(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> Mapping[ToolKey, Permission]:
        """What holds there for each tool of the project's servers, however that was decided."""
        ...

    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        """Make a project be this, also one that is not there any more. The name and servers of the
        unassigned one are not its own, so those are left alone."""
        ...
