"""What a person brings to the window from elsewhere: files and texts they drop, a text they paste
where no field takes it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


class Bringing(QObject):
    file_brought = Signal(object)
    """The `Path` of a file that may hold servers."""
    text_brought = Signal(str)
    """A text that may describe one."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), window)
        paste.activated.connect(self._paste)

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        if isinstance(event, QDragEnterEvent) and _is_welcome(event.mimeData()):
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            self._take(event.mimeData())
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _paste(self) -> None:
        self._take(QGuiApplication.clipboard().mimeData())

    def _take(self, brought: QMimeData) -> None:
        """The files, or else the text."""
        files = [Path(url.toLocalFile()) for url in brought.urls() if url.isLocalFile()]
        for path in files:
            self.file_brought.emit(path)
        if not files and brought.text().strip():
            self.text_brought.emit(brought.text())


def _is_welcome(brought: QMimeData) -> bool:
    return brought.hasText() or any(url.isLocalFile() for url in brought.urls())
