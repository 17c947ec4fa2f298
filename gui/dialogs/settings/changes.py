"""Changes made in the settings dialog: each applies at once and can be undone, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from operator import attrgetter

from gui.desktop.autostart import Registration, refused
from gui.link.commands import Commands
from gui.widgets.changes import Changes
from router.api.router import RouterPort
from router.domain.ids import WorkspaceId
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import Exposure, Optimization


class SettingsChanges(Changes):
    """Outlives the dialog, so that a change of language can be undone too."""

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        super().__init__(commands)
        self._router = router

    def setter(self, field: str) -> Callable[[object], None]:
        """What changes one field of the settings and no other, to connect a control to. A dot leads
        to a field inside: `isolation.strict`."""

        def set_field(value: object) -> None:
            before: object = attrgetter(field)(self._router.settings.current())
            self.replace(before, value, lambda v: self._router.settings.update({field: v}))

        return set_field

    def set_options(
        self, workspace: WorkspaceId, optimization: Optimization | None, exposure: Exposure
    ) -> None:
        """Change how clients outside any project find and reach tools."""
        projects = self._router.projects
        now = projects.list(workspace)[0]
        self.replace(
            (now.optimization, now.exposure),
            (optimization, exposure),
            lambda options: projects.set_options(
                workspace, None, optimization=options[0], exposure=options[1]
            ),
        )

    def set_approval_policy(self, workspace: WorkspaceId, wanted: ApprovalPolicy) -> None:
        tools = self._router.tools
        now = tools.approval_policy(workspace)
        self.replace(now, wanted, lambda policy: tools.set_approval_policy(workspace, policy))

    def switch(self, entry: Registration, on: bool, refusal: str) -> None:
        """Change an entry of the operating system; `refusal` is the message if that fails."""

        async def switch(on: bool) -> None:
            try:
                await asyncio.to_thread(entry.switch, on)
            except OSError as error:
                raise refused(error, refusal) from error

        self.apply(switch(on), lambda _: switch(not on))

    def set_cloud(self, url: str, token: str | None, on_done: Callable[[object], object]) -> None:
        """Change the cloud search service. Undo restores its address and key."""
        search = self._router.search
        self.apply(search.set_cloud(url, token), search.undo_cloud, on_done)

    def pin(self, workspace: WorkspaceId, pinned: tuple[str, ...]) -> None:
        """Change which tools every client outside of a project gets."""
        projects = self._router.projects
        now = projects.config(workspace, None)
        changed = now.model_copy(update={"pinned": pinned})
        self.replace(now, changed, lambda config: projects.put(workspace, None, config))
