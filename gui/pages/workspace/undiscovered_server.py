"""A server whose tools are not discovered yet: one entry `server/*`, with its status."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.text.server_row import ServerRow
from gui.widgets import fonts
from gui.widgets.cards import vline
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.layouts import NO_MARGINS, STRETCH, hbox, vbox
from gui.widgets.status_mark import StatusMark
from router.domain.servers import ServerStatus


class UndiscoveredServer(QWidget):
    def __init__(self, list_width: int) -> None:
        super().__init__()
        self._mark = StatusMark()
        self._name = ElidedLabel(font=fonts.mono_font())
        self._summary = ElidedLabel(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._why = label(tint="text3")
        self._why.setWordWrap(True)
        self._why.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._why.setMargin(24)
        texts = vbox(self._name, self._summary, spacing=2)
        line = hbox(self._mark, (texts, 1), spacing=10)
        left = QWidget()
        vbox(line, STRETCH, margins=(18, 14, 12, 0), parent=left)
        left.setMinimumWidth(152)
        left.setMaximumWidth(list_width)
        hbox((left, 45), vline(), (self._why, 55), spacing=0, margins=NO_MARGINS, parent=self)

    def show_server(self, status: ServerStatus, shown: ServerRow, why: str) -> None:
        self._mark.set_mark(shown.mark)
        self._name.setText(f"{status.id}/*")
        self._summary.setText(shown.summary)
        self._why.setText(why)
