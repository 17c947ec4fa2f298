"""Scroll areas: vertical only, without a frame."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget

from gui.widgets.layouts import NO_MARGINS, Margins, Part, vbox


class ScrollArea(QScrollArea):
    def __init__(self, accessible_name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_layout(self, layout: QLayout) -> None:
        """Show `layout` instead of what was shown before."""
        self.content = QWidget()
        self.content.setProperty("role", "page")
        self.content.setLayout(layout)
        self.setWidget(self.content)


class ScrollColumn(ScrollArea):
    """`parts` from top to bottom. Takes no focus."""

    def __init__(self, *parts: Part, spacing: int = 12, margins: Margins = NO_MARGINS) -> None:
        super().__init__()
        self._spacing, self._margins = spacing, margins
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.replace(*parts)

    def replace(self, *parts: Part) -> None:
        """Show `parts` instead, scrolled as far as before."""
        position = self.verticalScrollBar().value()
        self.column = vbox(*parts, spacing=self._spacing, margins=self._margins)
        self.show_layout(self.column)
        self.verticalScrollBar().setValue(position)
