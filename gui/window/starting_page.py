"""What the window shows until the router is there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.look import fonts
from gui.look.status_mark import StatusMark
from gui.look.widgets import label
from gui.presenting import Mark


class StartingPage(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark = StatusMark(size=24)
        mark.set_mark(Mark.WORKING)
        text = label(self.tr("Starting…"), font=fonts.medium(), tint="text2")
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addWidget(mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(text, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
