"""A typed fake of the facet about projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from router.api.events import WorkspacesChanged
from router.config.workspace import ProjectConfig
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, ToolKey, WorkspaceId
from router.domain.names import slug
from router.domain.permissions import Permission
from router.domain.workspaces import Exposure, Optimization, ProjectSummary
from tests.support.fake_state import FakeContext


class FakeProjects:
    """`ProjectsPort` that stores what it is given; the summaries in the state follow."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record
        self._emit = context.emit
        self._configs: dict[tuple[WorkspaceId, ProjectId | None], ProjectConfig] = {}

    def list(self, workspace: WorkspaceId) -> tuple[ProjectSummary, ...]:
        unassigned = ProjectSummary(
            None, "Unassigned", None, optimization=Optimization.BM25, exposure=Exposure.SEARCH
        )
        return self._state.projects.get(workspace, (unassigned,))

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        summary = next(each for each in self.list(workspace) if each.id == project)
        known = self._configs.get((workspace, project), ProjectConfig(name=summary.name))
        options = {"optimization": summary.optimization, "exposure": summary.exposure}
        return known.model_copy(update={**options, "servers": summary.servers})

    def permissions(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> Mapping[ToolKey, Permission]:
        config = self.config(workspace, project)
        tools = (tool for ref in self._state.tools for tool in self._state.tools[ref])
        words = config.permissions
        return {tool.key: words.get(str(tool.key), tool.permission) for tool in tools}

    def local_principal(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal:
        return Principal("Toolbooth", None, workspace, project)

    async def create(
        self, workspace: WorkspaceId, name: str, servers: Sequence[ServerId] | None
    ) -> ProjectId:
        self._record("projects.create", workspace, name, servers)
        made = ProjectConfig(name=name, servers=None if servers is None else tuple(servers))
        await self.put(workspace, ProjectId(slug(name)), made)
        return ProjectId(slug(name))

    async def update(
        self,
        workspace: WorkspaceId,
        project: ProjectId,
        name: str,
        servers: Sequence[ServerId] | None,
    ) -> None:
        self._record("projects.update", workspace, project, name, servers)

    async def set_options(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        *,
        optimization: Optimization | None,
        exposure: Exposure,
    ) -> None:
        self._record("projects.set_options", workspace, project, optimization, exposure)
        self._state.projects[workspace] = tuple(
            replace(known, optimization=optimization, exposure=exposure)
            if known.id == project
            else known
            for known in self.list(workspace)
        )
        self._emit(WorkspacesChanged(workspace))

    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        self._record("projects.put", workspace, project, config)
        self._configs[workspace, project] = config
        others = tuple(each for each in self.list(workspace) if each.id != project)
        summary = ProjectSummary(
            project, config.name, config.servers, config.optimization, config.exposure
        )
        if project is None:
            summary = replace(self.list(workspace)[0], **_options(config))
            self._state.projects[workspace] = (summary, *others)
        else:
            self._state.projects[workspace] = (*others, summary)
        self._emit(WorkspacesChanged(workspace))

    async def remove(self, workspace: WorkspaceId, project: ProjectId) -> None:
        self._record("projects.remove", workspace, project)
        self._state.projects[workspace] = tuple(
            known for known in self.list(workspace) if known.id != project
        )
        self._emit(WorkspacesChanged(workspace))


def _options(config: ProjectConfig) -> dict[str, object]:
    return {"optimization": config.optimization, "exposure": config.exposure}
