"""Changes that apply at once and can be taken back, newest first; and the line that says so."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.icons import icon
from gui.widgets.labels import label, set_tint
from router.domain.errors import ToolboothError

Command: TypeAlias = Callable[[], Coroutine[Any, Any, object]]


class Changes(QObject):
    """Knows how to apply and to undo; tells `saved`, `undone` or `failed` when that is done."""

    saved = Signal(str)
    """With what was done, if it has words of its own."""
    undone = Signal()
    failed = Signal(object)
    """With the `ToolboothError`; what was asked for is not in force."""

    def __init__(self, commands: Commands, parent: QObject | None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._undo: list[Command] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    def apply(
        self,
        change: Command,
        taking_back: Command,
        on_done: Callable[[Any], object] | None = None,
    ) -> None:
        """Do `change`; what it gave goes to `on_done`."""

        def keep(result: object) -> None:
            if on_done is not None:
                on_done(result)
            self.done(taking_back)

        self._commands.run(self, change(), on_done=keep, on_error=self.failed.emit)

    def undo(self) -> None:
        """Take back the newest change; one that can't be taken back now may be later."""
        if not self._undo:
            return
        taking_back = self._undo.pop()

        def refuse(error: ToolboothError) -> None:
            self._undo.append(taking_back)
            self.failed.emit(error)

        self._commands.run(
            self, taking_back(), on_done=lambda _: self.undone.emit(), on_error=refuse
        )

    def done(self, taking_back: Command, what: str = "") -> None:
        """Something was done, here or elsewhere, that can be taken back so."""
        self._undo.append(taking_back)
        self.saved.emit(what)

    def forget(self) -> None:
        """What was done so far stays."""
        self._undo.clear()


class ChangesFooter(QWidget):
    """At the foot of a dialog: that a change is saved, the way back, and the way out."""

    done = Signal()

    def __init__(self, changes: Changes, padding: int) -> None:
        super().__init__()
        self._changes = changes
        self._tick = QLabel()
        self._tick.setPixmap(icon("check", "ok").pixmap(QSize(16, 16)))
        self._message = label(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._message.setWordWrap(True)
        self._undo = secondary_button(self.tr("Undo"), "undo-2")
        self._undo.setStyleSheet(
            "QPushButton:!focus:!hover { border-color: transparent; background: transparent }"
        )
        self._undo.clicked.connect(changes.undo)
        done = primary_button(self.tr("Done"))
        done.clicked.connect(self.done)
        row = QHBoxLayout(self)
        row.setContentsMargins(padding, 8, padding, 16)
        row.setSpacing(8)
        row.addWidget(self._tick)
        row.addWidget(self._message, 1)
        row.addWidget(self._undo)
        row.addWidget(done)
        # Methods, not lambdas: the changes may outlive us, as they do another language.
        changes.saved.connect(self._say_saved)
        changes.undone.connect(self._say_undone)
        changes.failed.connect(self._refuse)
        self.clear()

    def say(self, text: str) -> None:
        self._tick.show()
        self._message.setText(text)
        set_tint(self._message, "text2")
        self.show_undo()

    def _say_saved(self, what: str) -> None:
        self.say(what or self.tr("Saved. Connected apps pick this up on their next request."))

    def _say_undone(self) -> None:
        self.say(self.tr("Taken back."))

    def show_undo(self) -> None:
        """Offer the way back if there is one."""
        self._undo.setVisible(self._changes.can_undo)

    def clear(self) -> None:
        self._tick.hide()
        self._message.setText("")
        self.show_undo()

    def _refuse(self, error: ToolboothError) -> None:
        self._tick.hide()
        self._message.setText(error_text(error))
        set_tint(self._message, "err")
        self.show_undo()
