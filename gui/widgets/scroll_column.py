"""A column of widgets that scrolls vertically."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.widgets.layouts import NO_MARGINS, Margins, Part, vbox


class ScrollColumn(QScrollArea):
    """`parts` from top to bottom. Takes no focus and never scrolls sideways."""

    def __init__(self, *parts: Part, spacing: int = 12, margins: Margins = NO_MARGINS) -> None:
        super().__init__()
        self._spacing, self._margins = spacing, margins
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.replace(*parts)

    def replace(self, *parts: Part) -> None:
        """Show `parts` instead, scrolled as far as before."""
        position = self.verticalScrollBar().value()
        content = QWidget()
        content.setProperty("role", "page")
        self.column = vbox(*parts, spacing=self._spacing, margins=self._margins, parent=content)
        self.setWidget(content)
        self.verticalScrollBar().setValue(position)
