"""The scroll area of the pages: vertical only, without a frame."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget


class ScrollArea(QScrollArea):
    def __init__(self, accessible_name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_layout(self, layout: QLayout) -> None:
        """Show `layout` instead of what was shown before."""
        content = QWidget()
        content.setProperty("role", "page")
        content.setLayout(layout)
        self.setWidget(content)
