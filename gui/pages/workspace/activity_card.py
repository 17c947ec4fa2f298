"""The activity card: what clients search and call, as it happens. Repaints ten times a second at
most, however busy the router is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from gui.components.activity.model import (
    ActivityCategory,
    ActivityFilter,
    ActivityModel,
    showing_choice,
)
from gui.components.activity.pause_button import PauseControl
from gui.components.activity.table import ActivityView
from gui.widgets import fonts
from gui.widgets.buttons import IconButton
from gui.widgets.cards import Card
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, hbox, vbox

HEIGHT = 214


class ActivityCard(Card):
    page_requested = Signal()
    """The user wants to see the activity page."""

    def __init__(self) -> None:
        super().__init__()
        self.model = ActivityModel(self)
        self.pausing = PauseControl()
        self.pausing.attach(self.model)
        self._choice = showing_choice()
        self._choice.changed.connect(self._choose)
        nothing = self.tr("No activity yet. Searches and calls from your apps appear here.")
        self._view = ActivityView(self.model, self.tr("Activity"), nothing)
        top = hbox(
            label(self.tr("Activity"), font=fonts.semibold()),
            self.pausing.badge,
            STRETCH,
            self._choice,
            self.pausing.button,
            IconButton(
                "external-link", self.tr("Open the Activity page"), on_click=self.page_requested
            ),
            spacing=10,
            margins=(15, 6, 10, 2),
        )
        vbox(top, (self._view, 1), spacing=0, margins=(1, 0, 1, 1), parent=self)

    def focus_rows(self) -> None:
        """The rows, or a placeholder while there are none."""
        rows = self._view.table if self.model.rowCount() else self.pausing.button
        rows.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _choose(self, showing: str) -> None:
        self.model.set_filter(ActivityFilter(ActivityCategory(showing)))
