"""The frame of a page of the main window: title, subtitle, actions, and content that scrolls."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.widgets import fonts
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollColumn

PADDING = 20
_HEAD = 68


class PageFrame(QWidget):
    def __init__(self, title: str, subtitle: str) -> None:
        super().__init__()
        self.subtitle = label(subtitle, font=fonts.ui_font(fonts.SMALL), tint="text2")
        heading = label(title, font=fonts.semibold(fonts.TITLE))
        texts = vbox(STRETCH, heading, self.subtitle, STRETCH, spacing=1)
        head = QWidget()
        head.setFixedHeight(_HEAD)
        self._head = hbox((texts, 1), spacing=10, margins=(4, 0, 0, 0), parent=head)
        self.body = vbox(spacing=12)
        vbox(head, (self.body, 1), spacing=0, margins=(PADDING, 0, PADDING, PADDING), parent=self)

    def add_actions(self, *actions: QWidget) -> None:
        """Put `actions` at the right of the title."""
        for action in actions:
            self._head.addWidget(action)

    def add_scrolled(self, *widgets: QWidget) -> ScrollColumn:
        """Put `widgets` below each other where they can be scrolled."""
        area = ScrollColumn(*widgets, STRETCH)
        self.body.addWidget(area, 1)
        return area
