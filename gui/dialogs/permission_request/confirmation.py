"""Asks the user to confirm commands of a terminal, one at a time, the oldest first."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox
from shiboken6 import Shiboken

from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.message_box import ask, show_error
from router.api.events import ConfirmationsChanged
from router.api.router import RouterPort
from router.domain.confirmations import Confirmation, ConfirmationId
from router.domain.errors import NotFound, ToolboothError


class ConfirmationPresenter(QObject):
    """The router holds the commands; this only shows them and sends the answers."""

    def __init__(
        self, commands: Commands, bridge: EventBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._commands = commands
        self._router: RouterPort | None = None
        self._shown: ConfirmationId | None = None
        self._answered: set[ConfirmationId] = set()
        """Their answers are on the way to the router."""
        self.box: QMessageBox | None = None
        bridge.subscribe(self, self._show_next, ConfirmationsChanged)

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._show_next()

    def close(self) -> None:
        """Take the question away, unanswered."""
        self._shown, box, self.box = None, self.box, None
        if box is not None and Shiboken.isValid(box):
            box.close()

    def _show_next(self, _: object = None) -> None:
        if self._router is None:
            return
        pending = self._router.confirmations.pending()
        self._answered &= {each.id for each in pending}
        waiting = [each for each in pending if each.id not in self._answered]
        if waiting and waiting[0].id == self._shown:
            return
        self.close()
        if waiting:
            self._show(waiting[0])

    def _show(self, confirmation: Confirmation) -> None:
        self._shown = confirmation.id
        self.box = ask(
            None,
            self.tr("Did you enter this command in a terminal?"),
            confirmation.command,
            yes=self.tr("Run it"),
            on_yes=lambda: self._answer(confirmation.id, confirmed=True),
        )
        self.box.rejected.connect(lambda: self._answer(confirmation.id, confirmed=False))
        self.box.raise_()
        self.box.activateWindow()

    def _answer(self, confirmation: ConfirmationId, *, confirmed: bool) -> None:
        if self._router is None or self._shown != confirmation:
            return  # the command no longer waits
        self._shown, self.box = None, None
        self._answered.add(confirmation)
        command = self._router.confirmations.answer(confirmation, confirmed=confirmed)
        self._commands.run(self, command, on_error=self._too_late)
        self._show_next()

    def _too_late(self, error: ToolboothError) -> None:
        """It timed out or the terminal was closed: nothing is left to do."""
        if not isinstance(error, NotFound):
            show_error(None, error)
        self._show_next()
