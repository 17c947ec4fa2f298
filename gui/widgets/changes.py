"""Changes that apply at once and can be undone, newest first; and the footer that offers it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QWidget

from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.icons import icon
from gui.widgets.labels import label, set_tint
from gui.widgets.layouts import hbox
from gui.widgets.palette import Token
from router.domain.errors import ToolboothError

Command: TypeAlias = Callable[[], Coroutine[Any, Any, object]]
T = TypeVar("T")


class Changes(QObject):
    """Applies and undoes changes; emits `saved`, `undone` or `failed`."""

    saved = Signal(str)
    """A text that says what was done, or an empty one."""
    undone = Signal()
    failed = Signal(object)
    """With the `ToolboothError`; the change is not in force."""

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._undo: list[Command] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    def apply(
        self,
        change: Coroutine[Any, Any, T],
        undo: Callable[[T], Coroutine[Any, Any, object]],
        on_done: Callable[[T], object] | None = None,
    ) -> None:
        """Run `change`; its result goes to `on_done`, and to `undo` when it is undone."""

        def keep(result: T) -> None:
            if on_done is not None:
                on_done(result)
            self.done(lambda: undo(result))

        self._commands.run(self, change, on_done=keep, on_error=self.failed.emit)

    def replace(self, before: T, after: T, put: Callable[[T], Coroutine[Any, Any, object]]) -> None:
        """Change a value that is `before` now; nothing happens if it stays the same."""
        if after != before:
            self.apply(put(after), lambda _: put(before))

    def undo(self) -> None:
        """Undo the newest change; a failed undo can be tried again."""
        if not self._undo:
            return
        undo = self._undo.pop()

        def retry_later(error: ToolboothError) -> None:
            self._undo.append(undo)
            self.failed.emit(error)

        self._commands.run(self, undo(), on_done=lambda _: self.undone.emit(), on_error=retry_later)

    def done(self, undo: Command, what: str = "") -> None:
        """A change was made, here or elsewhere, that `undo` reverts."""
        self._undo.append(undo)
        self.saved.emit(what)

    def forget(self) -> None:
        """Forget how to undo the changes so far."""
        self._undo.clear()


class ChangesFooter(QWidget):
    """The footer of a dialog: what was saved, Undo, and Done."""

    done = Signal()

    def __init__(self, changes: Changes, padding: int) -> None:
        super().__init__()
        self._changes = changes
        self._tick = label()
        self._tick.setPixmap(icon("check", "ok").pixmap(QSize(16, 16)))
        self._message = label(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._message.setWordWrap(True)
        self._undo = secondary_button(self.tr("Undo"), "undo-2", on_click=changes.undo)
        self._undo.setProperty("quiet", "true")
        hbox(
            self._tick,
            (self._message, 1),
            self._undo,
            primary_button(self.tr("Done"), on_click=self.done),
            spacing=8,
            margins=(padding, 8, padding, 16),
            parent=self,
        )
        # Methods, not lambdas: the changes outlive this widget after a change of language.
        changes.saved.connect(self._show_saved)
        changes.undone.connect(self._show_undone)
        changes.failed.connect(self._show_error)
        self.clear()

    def show_message(self, text: str, *, tint: Token = "text2") -> None:
        self._tick.setVisible(bool(text) and tint == "text2")
        self._message.setText(text)
        set_tint(self._message, tint)
        self.show_undo()

    def _show_saved(self, what: str) -> None:
        self.show_message(
            what or self.tr("Saved. Connected apps pick this up on their next request.")
        )

    def _show_undone(self) -> None:
        self.show_message(self.tr("Undone."))

    def show_undo(self) -> None:
        """Show the undo button if there is a change to undo."""
        self._undo.setVisible(self._changes.can_undo)

    def clear(self) -> None:
        self.show_message("")

    def _show_error(self, error: ToolboothError) -> None:
        self.show_message(error_text(error), tint="err")
