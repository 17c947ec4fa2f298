"""Imported commands that need approval: without it no app finds their tools, and the check would
find nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.components.attention.needs_attention import consent_lines_of
from gui.widgets import fonts
from gui.widgets.buttons import secondary_button
from gui.widgets.cards import Card, hline
from gui.widgets.labels import Tile, label, wrapped
from gui.widgets.layouts import clear, row_widget, vbox
from gui.widgets.presses import single_press
from router.api.router import RouterPort
from router.domain.errors import NotFound
from router.domain.servers import ServerState, ServerStatus


class PendingCommands(Card):
    """Hidden while there are none."""

    approved = Signal(object)
    """The `ServerRef` whose command may run."""

    def __init__(self, router: RouterPort) -> None:
        super().__init__()
        self._router = router
        self._shown: list[ServerStatus] = []
        self._rows = vbox(spacing=8)
        vbox(
            label(self.tr("Waiting for your approval"), font=fonts.semibold()),
            self._rows,
            spacing=8,
            margins=(16, 12, 16, 12),
            parent=self,
        )
        self.hide()

    def reload(self, _: object = None) -> None:
        try:
            servers = self._router.servers.list(self._router.workspaces.active())
        except NotFound:  # A workspace that is removed this moment.
            servers = ()
        waiting = [s for s in servers if s.enabled and s.state is ServerState.NEEDS_CONSENT]
        if waiting != self._shown:
            self._shown = waiting
            clear(self._rows)
            for status in waiting:
                self._rows.addWidget(hline())
                self._rows.addWidget(self._row(status))
        self.setVisible(bool(waiting))

    def _row(self, status: ServerStatus) -> QWidget:
        approve = secondary_button(
            self.tr("Approve"), on_click=lambda: self.approved.emit(status.ref)
        )
        approve.setAccessibleName(self.tr("Approve {name}").format(name=status.name))
        approve.setAutoDefault(False)
        lines = map(wrapped, consent_lines_of(self._router, status.ref))
        texts = vbox(label(status.name, font=fonts.medium()), *lines, spacing=2)
        top = Qt.AlignmentFlag.AlignTop
        return row_widget(
            (Tile(status.name, 28), 0, top), (texts, 1), (single_press(approve), 0, top)
        )
