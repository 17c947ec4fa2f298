"""A typed stand-in for the port about whole projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from router.api.events import Event, WorkspacesChanged
from router.config.workspace import ProjectConfig
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.workspaces import ProjectSummary
from tests.support.fake_state import RouterState


class FakeProjects:
    """Keeps what it is given; the summaries in `state` follow."""

    def __init__(
        self,
        state: RouterState,
        summaries: Callable[[WorkspaceId], tuple[ProjectSummary, ...]],
        record: Callable[..., None],
        emit: Callable[[Event], None],
    ) -> None:
        self._state = state
        self._summaries = summaries
        self._record = record
        self._emit = emit
        self._configs: dict[tuple[WorkspaceId, ProjectId | None], ProjectConfig] = {}

    def config(self, workspace: WorkspaceId, project: ProjectId | None) -> ProjectConfig:
        summary = next(each for each in self._summaries(workspace) if each.id == project)
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

    async def put(
        self, workspace: WorkspaceId, project: ProjectId | None, config: ProjectConfig
    ) -> None:
        self._record("project_configs.put", workspace, project, config)
        self._configs[workspace, project] = config
        others = tuple(each for each in self._summaries(workspace) if each.id != project)
        summary = ProjectSummary(
            project, config.name, config.servers, config.optimization, config.exposure
        )
        if project is None:
            summary = replace(self._summaries(workspace)[0], **_options(config))
            self._state.projects[workspace] = (summary, *others)
        else:
            self._state.projects[workspace] = (*others, summary)
        self._emit(WorkspacesChanged(workspace))


def _options(config: ProjectConfig) -> dict[str, object]:
    return {"optimization": config.optimization, "exposure": config.exposure}
