"""Shown until the router has started, or after it failed to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.text.errors import hint_of
from gui.text.marks import Mark
from gui.widgets import fonts
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, vbox
from gui.widgets.status_mark import StatusMark
from router.domain.errors import ToolboothError


class StartingPage(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._mark = StatusMark(size=24)
        self._mark.set_mark(Mark.WORKING)
        self._text = label(self.tr("Starting…"), font=fonts.medium(), tint="text2")
        self._hint = label(tint="text2")
        column = vbox(STRETCH, spacing=10, parent=self)
        for widget in (self._mark, self._text, self._hint):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def show_failure(self, error: ToolboothError) -> None:
        self._mark.set_mark(Mark.FAILED)
        self._text.setText(self.tr("The router is not running"))
        self._hint.setText(hint_of(error))
