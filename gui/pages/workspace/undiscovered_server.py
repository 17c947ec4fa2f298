"""A server whose tools are not discovered yet: one entry `server/*`, with its status."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.text.presentation import Presentation
from gui.widgets import fonts
from gui.widgets.cards import vline
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.status_mark import StatusMark
from router.domain.servers import ServerStatus


class UndiscoveredServer(QWidget):
    def __init__(self, list_width: int) -> None:
        super().__init__()
        self._mark = StatusMark()
        self._name = ElidedLabel()
        self._name.setFont(fonts.mono_font())
        self._summary = ElidedLabel()
        self._summary.setFont(fonts.ui_font(fonts.SMALL))
        self._summary.setProperty("tint", "text2")
        self._why = label(tint="text3")
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._why.setMargin(24)
        self._lay_out(list_width)

    def _lay_out(self, list_width: int) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._name)
        texts.addWidget(self._summary)
        line = QHBoxLayout()
        line.setSpacing(10)
        line.addWidget(self._mark)
        line.addLayout(texts, 1)
        entry = QVBoxLayout()
        entry.setContentsMargins(18, 14, 12, 0)
        entry.addLayout(line)
        entry.addStretch(1)
        left = QWidget()
        left.setLayout(entry)
        left.setMinimumWidth(152)
        left.setMaximumWidth(list_width)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(left, 45)
        row.addWidget(vline())
        row.addWidget(self._why, 55)

    def show_server(self, status: ServerStatus, shown: Presentation, why: str) -> None:
        self._mark.set_mark(shown.mark)
        self._name.setText(f"{status.id}/*")
        self._summary.setText(shown.summary)
        self._why.setText(why)
