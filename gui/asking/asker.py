"""Shows the questions that wait for the person, one at a time, the oldest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from gui.asking.prompt import PermissionPrompt
from gui.commands import Commands
from gui.dialogs import show_error
from router.api.events import Event, PermissionRequested, PermissionResolved
from router.api.router import RouterPort
from router.domain.errors import NotFound, ToolboothError
from router.domain.permissions import Answer, PermissionRequestId


class Asker(QObject):
    """The router knows what waits; this only shows it."""

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._router: RouterPort | None = None
        self._shown: PermissionRequestId | None = None
        self._given: set[PermissionRequestId] = set()
        """Answers on their way to the router."""
        self.prompt = self._new_prompt()

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._show_next()

    def on_events(self, events: Sequence[Event]) -> None:
        if any(isinstance(event, PermissionRequested | PermissionResolved) for event in events):
            self._show_next()

    def make_anew(self) -> None:
        """In another language."""
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

    def _show_next(self) -> None:
        if self._router is None:
            return
        asks = self._router.permission_requests()
        self._given &= {ask.id for ask in asks}
        waiting = [ask for ask in asks if ask.id not in self._given]
        if waiting:
            self._shown = waiting[0].id
            self.prompt.show_ask(waiting[0], len(waiting))
        else:
            self._shown = None
            self.prompt.settle()

    def _answer(self, answer: Answer) -> None:
        if self._router is None or self._shown is None:
            return
        self._given.add(self._shown)
        command = self._router.answer_permission(self._shown, answer)
        self._commands.run(self, command, on_error=self._too_late)
        self._show_next()

    def _too_late(self, error: ToolboothError) -> None:
        """Its time was over, or the client left: there is nothing to do about that."""
        if not isinstance(error, NotFound):
            show_error(self.prompt, error)
        self._show_next()
