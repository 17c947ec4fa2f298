"""A bar that shows a share of a whole."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QWidget,
)

from gui.widgets.paint import saved
from gui.widgets.theme import theme


class ShareBar(QWidget):
    """How much of the whole is left, 8 high."""

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self._share = 0.0
        self.setAccessibleName(accessible_name)
        self.setFixedHeight(8)

    def set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        palette, rect = theme().palette, QRectF(self.rect())
        with saved(QPainter(self)) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color("track"))
            painter.drawRoundedRect(rect, 4, 4)
            if self._share > 0:
                rect.setWidth(max(rect.height() * 1.5, rect.width() * self._share))
                painter.setBrush(palette.color("savings"))
                painter.drawRoundedRect(rect, 4, 4)
