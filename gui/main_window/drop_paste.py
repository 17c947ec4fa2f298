"""Files and texts dropped on the window, and a text pasted where no field takes it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


class DropPaste(QObject):
    file_received = Signal(object)
    """The `Path` of a file that may hold servers."""
    text_received = Signal(str)
    """A text that may describe one."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), window)
        paste.activated.connect(self._paste)

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        if isinstance(event, QDropEvent) and self._accepts(event):
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _accepts(self, event: QDropEvent) -> bool:
        """Receives a drop. Drag-enter and drag-move events are subclasses of `QDropEvent`."""
        if event.type() == QEvent.Type.Drop:
            self._receive(event.mimeData())
            return True
        return event.type() == QEvent.Type.DragEnter and _is_accepted(event.mimeData())

    def _paste(self) -> None:
        self._receive(QGuiApplication.clipboard().mimeData())

    def _receive(self, data: QMimeData) -> None:
        """The files, or else the text."""
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        for path in files:
            self.file_received.emit(path)
        if not files and data.text().strip():
            self.text_received.emit(data.text())


def _is_accepted(data: QMimeData) -> bool:
    return data.hasText() or any(url.isLocalFile() for url in data.urls())
