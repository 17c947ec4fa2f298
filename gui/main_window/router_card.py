"""Whether the router serves, and where; at the foot of the sidebar."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.text.marks import listener_text
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton
from gui.widgets.cards import Card
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.layouts import NO_MARGINS, hbox, vbox
from gui.widgets.status_mark import StatusMark
from router.domain.endpoint import ListenerState


class RouterCard(Card):
    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._mark = StatusMark(size=14)
        self._state = label(font=fonts.semibold(fonts.SMALL))
        self._address = ElidedLabel(font=fonts.mono_font(), tint="text2")
        self._where = QWidget()
        copy = CopyButton(self.tr("Copy router address"), lambda: self._url)
        top = hbox(self._mark, (self._state, 1), spacing=7)
        hbox((self._address, 1), copy, spacing=4, margins=NO_MARGINS, parent=self._where)
        vbox(top, self._where, spacing=0, margins=(12, 10, 6, 5), parent=self)

    def show_state(self, state: ListenerState) -> None:
        text, mark = listener_text(state.phase)
        self._mark.set_mark(mark)
        self._state.setText(text)
        self._url = state.url or ""
        self._address.setText(self._url.partition("://")[2])
        self._where.setVisible(bool(self._url))
