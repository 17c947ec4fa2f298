"""The permission request: which client, which tool, which arguments, and for how long to allow.

A non-modal window. The Enter key chooses nothing, so typing elsewhere can't allow a call by
accident, and a double click answers one request, not the next one too. Closing it denies.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import Tile, label, wrapped
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.presses import single_press
from router.domain.permissions import Answer, PermissionKind, PermissionRequest
from router.runtime.clock import utc_now

_WIDTH, _PADDING = 520, 20
_TICK_MS = 1000


class PermissionPrompt(QDialog):
    answered = Signal(object)
    """With the `Answer`."""

    def __init__(
        self, parent: QWidget | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        super().__init__(parent, Qt.WindowType.WindowStaysOnTopHint)
        self._clock = clock
        self._request: PermissionRequest | None = None
        self.setModal(False)
        self.setWindowTitle(self.tr("Permission request"))
        self.setMinimumWidth(_WIDTH)
        self._tile = Tile(size=32)
        self._title = wrapped("", "text1", font=fonts.semibold())
        self._server = label(tint="text2")
        self._arguments = mono_text(QPlainTextEdit(), self.tr("Arguments"), read_only=True)
        self._countdown = label(tint="text2")
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show_countdown)
        self._waiting = 1
        self._lay_out()

    def show_request(self, request: PermissionRequest, waiting: int) -> None:
        """Show a request; `waiting` counts it and those queued behind it."""
        self._waiting = waiting
        if self._request is None or self._request.id != request.id:
            self._request = request
            self._fill(request)
        self._show_countdown()
        self._tick.start()
        self.show()

    def settle(self) -> None:
        """No request is pending any more."""
        self._request = None
        self._tick.stop()
        self.hide()

    def closeEvent(self, event: QCloseEvent, /) -> None:
        event.ignore()
        self._answer(Answer.DENY)

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._answer(Answer.DENY)

    def _answer(self, answer: Answer) -> None:
        if self._request is not None:
            self.answered.emit(answer)

    def _fill(self, request: PermissionRequest) -> None:
        self._tile.set_name(request.server_name)
        question = {
            PermissionKind.TOOL: self.tr("{client} wants to run {name}"),
            PermissionKind.PROMPT: self.tr("{client} wants to use the prompt {name}"),
            PermissionKind.RESOURCE: self.tr("{client} wants to read {name}"),
            PermissionKind.FOLDER: self.tr("{client} wants to use this server in {folder}"),
        }[request.kind]
        self._title.setText(
            question.format(client=request.client, name=request.key.shown, folder=request.name)
        )
        self._server.setText(self.tr("Server: {server}").format(server=request.server_name))
        self._arguments.setPlainText(request.arguments)

    def _show_countdown(self) -> None:
        if self._request is None:
            return
        left_s = max(0, int((self._request.until - self._clock()).total_seconds()))
        text = self.tr("Denied automatically in %n s", "", left_s)
        if self._waiting > 1:
            more = self.tr("%n more waiting", "", self._waiting - 1)
            text = f"{text} · {more}"
        self._countdown.setText(text)

    def _lay_out(self) -> None:
        texts = vbox(self._title, self._server, spacing=2)
        head = hbox((self._tile, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), spacing=12)
        vbox(
            head,
            (self._arguments, 1),
            self._countdown,
            self._buttons(),
            spacing=12,
            margins=(_PADDING, _PADDING, _PADDING, _PADDING),
            parent=self,
        )

    def _buttons(self) -> QHBoxLayout:
        return hbox(
            self._button(secondary_button(self.tr("Deny")), Answer.DENY),
            STRETCH,
            self._button(secondary_button(self.tr("Always allow")), Answer.ALWAYS),
            self._button(secondary_button(self.tr("For an hour")), Answer.HOUR),
            self._button(secondary_button(self.tr("This session")), Answer.SESSION),
            self._button(primary_button(self.tr("Allow once")), Answer.ONCE),
            spacing=8,
        )

    def _button(self, button: QPushButton, answer: Answer) -> QPushButton:
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._answer(answer))
        return single_press(button)
