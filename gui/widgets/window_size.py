"""How large a window opens: as it would like to be, but never larger than its screen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(0, 36)
"""Room for a title bar: nobody tells its size before the window is shown."""


def open_at_size(window: QWidget, width: int, height: int) -> None:
    """Give `window` this size, or what of it fits; one that had to shrink stands in the middle."""
    available = window.screen().availableGeometry()
    size = fitting(QSize(width, height), window.minimumSize(), available)
    window.resize(size)
    if size != QSize(width, height) and window.parentWidget() is None:
        middle = available.center() - QRect(available.topLeft(), size + FRAME).center()
        window.move(available.topLeft() + middle)


def fitting(wanted: QSize, smallest: QSize, available: QRect) -> QSize:
    return wanted.boundedTo(available.size() - FRAME).expandedTo(smallest)
