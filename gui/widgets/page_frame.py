"""A page of the main window beside the workspaces': title, a line under it, what can be done, and
content that scrolls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gui.widgets import fonts
from gui.widgets.labels import label

PADDING = 20
_HEAD = 68


class PageFrame(QWidget):
    def __init__(self, title: str, subtitle: str, *actions: QWidget) -> None:
        super().__init__()
        self.subtitle = label(subtitle, font=fonts.ui_font(fonts.SMALL), tint="text2")
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addStretch(1)
        texts.addWidget(label(title, font=fonts.semibold(fonts.TITLE)))
        texts.addWidget(self.subtitle)
        texts.addStretch(1)
        head = QWidget()
        head.setFixedHeight(_HEAD)
        row = QHBoxLayout(head)
        row.setContentsMargins(4, 0, 0, 0)
        row.setSpacing(10)
        row.addLayout(texts, 1)
        for action in actions:
            row.addWidget(action)
        self.body = QVBoxLayout()
        self.body.setSpacing(12)
        column = QVBoxLayout(self)
        column.setContentsMargins(PADDING, 0, PADDING, PADDING)
        column.setSpacing(0)
        column.addWidget(head)
        column.addLayout(self.body, 1)

    def add_scrolled(self, *widgets: QWidget) -> QScrollArea:
        """Put `widgets` below each other where they can be scrolled."""
        content = QWidget()
        content.setProperty("role", "page")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for widget in widgets:
            column.addWidget(widget)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        self.body.addWidget(area, 1)
        return area
