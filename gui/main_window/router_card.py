"""Whether the router serves, and where; at the foot of the sidebar."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.text.presentation import listener_text
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton
from gui.widgets.cards import Card
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.status_mark import StatusMark
from router.domain.endpoint import ListenerState


class RouterCard(Card):
    """Whether the router serves, and where."""

    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._mark = StatusMark(size=14)
        self._state = label(font=fonts.semibold(fonts.SMALL))
        self._address = ElidedLabel()
        self._address.setFont(fonts.mono_font())
        self._address.setProperty("tint", "text2")
        self._where = QWidget()
        copy = CopyButton(self.tr("Copy router address"), lambda: self._url)
        top = QHBoxLayout()
        top.setSpacing(7)
        top.addWidget(self._mark)
        top.addWidget(self._state, 1)
        bottom = QHBoxLayout(self._where)
        bottom.setContentsMargins(0, 0, 0, 0)
        bottom.setSpacing(4)
        bottom.addWidget(self._address, 1)
        bottom.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 6, 5)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._where)

    def show_state(self, state: ListenerState) -> None:
        text, mark = listener_text(state.phase)
        self._mark.set_mark(mark)
        self._state.setText(text)
        self._url = state.url or ""
        self._address.setText(self._url.partition("://")[2])
        self._where.setVisible(bool(self._url))
