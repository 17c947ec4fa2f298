"""The status mark as a widget."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gui.text.marks import Mark
from gui.widgets import paint
from gui.widgets.timers import timer

TURN_MS = 50
TURN_DEGREES = 18


class StatusMark(QWidget):
    """One of the five status shapes; the working one turns while it can be seen."""

    def __init__(self, size: int = 16) -> None:
        super().__init__()
        self._mark = Mark.OFF
        self._angle = 0
        self._turning = timer(self, TURN_MS, self._turn, repeat=True)
        self.setFixedSize(size, size)

    def set_mark(self, mark: Mark) -> None:
        self._mark = mark
        self._turn_if_seen()
        self.update()

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        self._turn_if_seen()

    def hideEvent(self, event: QHideEvent, /) -> None:
        super().hideEvent(event)
        self._turn_if_seen()

    def _turn_if_seen(self) -> None:
        if self._mark is Mark.WORKING and self.isVisible():
            self._turning.start()
        else:
            self._turning.stop()

    def _turn(self) -> None:
        self._angle = (self._angle + TURN_DEGREES) % 360
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        paint.draw_mark(QPainter(self), QRectF(self.rect()), self._mark, self._angle)
