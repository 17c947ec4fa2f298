"""The search field above a list."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit

from gui.widgets import icons
from gui.widgets.icons import icon


class SearchField(QLineEdit):
    """A line edit with a search icon, 32 pixels high; Escape clears it."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self.setProperty("role", "search")
        self.setFixedHeight(32)
        self.describe(placeholder)
        self._clear = QAction(icon("x", "text3"), self.tr("Clear"), self)
        self._clear.triggered.connect(self.clear)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setVisible(False)
        self.textChanged.connect(lambda: self._clear.setVisible(bool(self.text())))

    def describe(self, placeholder: str) -> None:
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        """Escape clears the text first; passed on, it would close the dialog."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        super().paintEvent(event)
        rect = QRectF(10, (self.height() - 16) / 2, 16, 16)
        icons.draw(QPainter(self), "search", rect, "text2")
