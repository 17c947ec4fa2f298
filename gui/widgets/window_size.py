"""The initial size of a window: never larger than its screen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(0, 36)
"""Space for a title bar: its size is unknown before the window is shown."""


def open_at_size(window: QWidget, width: int, height: int) -> None:
    """Give `window` this size, or as much as fits; a window that had to shrink is centred."""
    available = window.screen().availableGeometry()
    size = fitting(QSize(width, height), window.minimumSize(), available)
    window.resize(size)
    if size != QSize(width, height) and window.parentWidget() is None:
        middle = available.center() - QRect(available.topLeft(), size + FRAME).center()
        window.move(available.topLeft() + middle)


def fitting(wanted: QSize, smallest: QSize, available: QRect) -> QSize:
    return wanted.boundedTo(available.size() - FRAME).expandedTo(smallest)
