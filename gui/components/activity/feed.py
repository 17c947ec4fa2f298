"""Batches new activity for a list: at most ten repaints a second, whatever the load."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gui.components.activity.model import ActivityModel
from router.domain.activity import ActivityEntry

REPAINT_MS = 100


class Feed(QObject):
    shown = Signal()

    def __init__(self, model: ActivityModel) -> None:
        super().__init__(model)
        self._model = model
        self._fresh: list[ActivityEntry] = []
        self._repaint = QTimer(self, interval=REPAINT_MS, singleShot=True)
        self._repaint.timeout.connect(self.flush)

    def add(self, entry: ActivityEntry) -> None:
        self._fresh.append(entry)
        if not self._repaint.isActive():
            self._repaint.start()

    def clear(self) -> None:
        """Drop pending entries: the list was filled again."""
        self._fresh.clear()

    def flush(self) -> None:
        """Show pending entries now."""
        self._repaint.stop()
        fresh, self._fresh = self._fresh, []
        if fresh:
            self._model.add(fresh)
            self.shown.emit()
