"""Shows pending permission requests, one at a time, the oldest first."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.dialogs.permission_request.prompt import PermissionPrompt
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.message_box import show_error
from router.api.events import PermissionRequested, PermissionResolved
from router.api.router import RouterPort
from router.domain.errors import NotFound, ToolboothError
from router.domain.permissions import Answer, PermissionRequestId


class PermissionPresenter(QObject):
    """The router holds the requests; this only shows them and sends the answers."""

    def __init__(
        self, commands: Commands, bridge: EventBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._commands = commands
        self._router: RouterPort | None = None
        self._shown: PermissionRequestId | None = None
        self._answered: set[PermissionRequestId] = set()
        """Their answers are on the way to the router."""
        self.prompt = self._new_prompt()
        bridge.subscribe(self, self._show_next, PermissionRequested, PermissionResolved)

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._show_next()

    def retranslate(self) -> None:
        """Make the prompt again, after a change of language."""
        self.close()
        self.prompt = self._new_prompt()
        self._show_next()

    def close(self) -> None:
        self.prompt.settle()
        self.prompt.deleteLater()

    def _new_prompt(self) -> PermissionPrompt:
        prompt = PermissionPrompt()
        prompt.answered.connect(self._answer)
        return prompt

    def _show_next(self, _: object = None) -> None:
        if self._router is None:
            return
        requests = self._router.permissions.requests()
        self._answered &= {request.id for request in requests}
        waiting = [request for request in requests if request.id not in self._answered]
        if waiting:
            self._shown = waiting[0].id
            self.prompt.show_request(waiting[0], len(waiting))
        else:
            self._shown = None
            self.prompt.settle()

    def _answer(self, answer: Answer) -> None:
        if self._router is None or self._shown is None:
            return
        self._answered.add(self._shown)
        command = self._router.permissions.answer(self._shown, answer)
        self._commands.run(self, command, on_error=self._too_late)
        self._show_next()

    def _too_late(self, error: ToolboothError) -> None:
        """It timed out or the client disconnected: nothing is left to do."""
        if not isinstance(error, NotFound):
            show_error(self.prompt, error)
        self._show_next()
