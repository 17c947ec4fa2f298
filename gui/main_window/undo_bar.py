"""“Removed GitHub · Undo”, for eight seconds at the foot of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFrame, QWidget

from gui.widgets import fonts
from gui.widgets.buttons import text_button
from gui.widgets.labels import label
from gui.widgets.layouts import hbox
from gui.widgets.timers import timer

UNDO_MS = 8000
_MARGIN = 28


class UndoBar(QFrame):
    """Floats over `window`; a new text replaces the one before."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("role", "undo")
        self._undo: Callable[[], object] | None = None
        self._text = label(font=fonts.medium())
        self.button = text_button(self.tr("Undo"), "undo", fonts.semibold(), self._on_undo)
        hbox(self._text, self.button, spacing=12, margins=(16, 6, 8, 6), parent=self)
        self._timer = timer(self, UNDO_MS, self.hide)
        window.installEventFilter(self)
        self.hide()

    def offer(self, text: str, undo: Callable[[], object]) -> None:
        """Show what was done, and call `undo` if the user wants it undone."""
        self._undo = undo
        self._text.setText(text)
        self.button.setAccessibleDescription(text)
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        inside = self._window.rect()
        left = inside.center().x() - self.width() // 2
        self.move(left, inside.bottom() - self.height() - _MARGIN)

    def _on_undo(self) -> None:
        self.hide()
        self._timer.stop()
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
