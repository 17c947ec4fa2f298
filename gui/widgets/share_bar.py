"""A bar that shows a share of a whole."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.widgets.paint import draw_box


class ShareBar(QWidget):
    """A share above 0 is drawn at least `least_width` wide."""

    def __init__(
        self, accessible_name: str = "", *, height: int = 8, least_width: float = 12
    ) -> None:
        super().__init__()
        self._share = 0.0
        self._least_width = least_width
        self.setAccessibleName(accessible_name)
        self.setFixedHeight(height)

    def set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter, rect = QPainter(self), QRectF(self.rect())
        draw_box(painter, rect, rect.height() / 2, "track")
        if self._share > 0:
            rect.setWidth(max(self._least_width, rect.width() * self._share))
            draw_box(painter, rect, rect.height() / 2, "savings")
