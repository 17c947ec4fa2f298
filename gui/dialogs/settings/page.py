"""What every page of the settings dialog is: a title, cards below it, and a way to show the present
state. Descriptions of settings come from where the settings are declared."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from gui.dialogs.settings.changes import SettingsChanges
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.labels import label
from gui.widgets.layouts import vbox
from gui.widgets.searchable import first_found
from router.api.router import RouterPort
from router.config.settings import Settings

PAGE_PADDING = 28
_GAP = 14
_TITLE = 18


class SettingsPage(QScrollArea):
    """Subclasses add their cards to `column` and override `show_state`."""

    icon_name = ""

    def __init__(self, title: str, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__()
        self.title = title
        self.router = router
        self.changes = changes
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = QWidget()
        content.setProperty("role", "page")
        outer = vbox(
            label(title, font=fonts.semibold(_TITLE)),
            14,
            spacing=0,
            margins=(PAGE_PADDING, 18, PAGE_PADDING, 16),
            parent=content,
        )
        self.column = QVBoxLayout()
        self.column.setSpacing(_GAP)
        outer.addLayout(self.column)
        outer.addStretch(1)
        self.setWidget(content)

    def show_state(self) -> None:
        """Show the present state, without emitting changes."""

    def setting_for(self, wanted: str) -> QWidget | None:
        """The first setting that has all the words of `wanted`."""
        return first_found(self, self.title, wanted)


def heading(text: str) -> QLabel:
    """Above a group of cards."""
    made = label(text, font=fonts.semibold())
    made.setContentsMargins(0, 3, 0, 0)
    return made


def description(field: str) -> str:
    """What the setting `field` does, as it is declared."""
    return tr(Settings.model_fields[field].description or "")
