"""A column of widgets that scrolls vertically."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.widgets.layouts import NO_MARGINS, Margins, Part, vbox


class ScrollColumn(QScrollArea):
    """`parts` from top to bottom. Takes no focus and never scrolls sideways."""

    def __init__(self, *parts: Part, spacing: int = 12, margins: Margins = NO_MARGINS) -> None:
        super().__init__()
        content = QWidget()
        content.setProperty("role", "page")
        self.column = vbox(*parts, spacing=spacing, margins=margins, parent=content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
