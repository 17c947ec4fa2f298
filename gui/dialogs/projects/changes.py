"""Changes to the projects of a workspace: each applies at once and can be undone."""

from __future__ import annotations

from collections.abc import Callable

from gui.link.commands import Commands
from gui.widgets.changes import Changes
from router.api.router import RouterPort
from router.config.workspace import ProjectConfig
from router.domain.ids import ProjectId, WorkspaceId


class ProjectChanges(Changes):
    def __init__(self, router: RouterPort, commands: Commands, workspace: WorkspaceId) -> None:
        super().__init__(commands)
        self._router = router
        self._workspace = workspace

    def config(self, project: ProjectId | None) -> ProjectConfig:
        return self._router.projects.config(self._workspace, project)

    def change(self, project: ProjectId | None, **fields: object) -> None:
        """Change these fields of a project and no other."""
        before = self.config(project)
        after = before.model_copy(update=fields)
        put = self._router.projects.put
        self.replace(before, after, lambda config: put(self._workspace, project, config))

    def create(self, name: str, on_done: Callable[[ProjectId], object]) -> None:
        """A project with all servers; `on_done` gets its id."""
        self.apply(
            self._router.projects.create(self._workspace, name, None),
            lambda project: self._router.projects.remove(self._workspace, project),
            on_done,
        )

    def remove(self, project: ProjectId) -> None:
        """Undo restores servers, permissions, rules and options."""
        before = self.config(project)
        self.apply(
            self._router.projects.remove(self._workspace, project),
            lambda _: self._router.projects.put(self._workspace, project, before),
        )
