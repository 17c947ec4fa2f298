"""Closing the window hides it to the tray, or minimises it where there is no tray; it closes for
real only when the application quits or the session ends."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget


class CloseToTray(QObject):
    """Watches windows; emits `hidden` after one was hidden to the tray."""

    hidden = Signal()

    def __init__(self, has_tray: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._has_tray = has_tray
        self.closing_allowed = False

    def watch(self, window: QWidget) -> None:
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        intercepted = event.type() == QEvent.Type.Close and not self.closing_allowed
        if not intercepted or not isinstance(watched, QWidget):
            return False
        event.ignore()
        if self._has_tray():
            watched.hide()
            self.hidden.emit()
        else:
            watched.showMinimized()
        return True
