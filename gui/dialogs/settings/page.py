"""What every page of the settings dialog is: a title, cards below it, and a way to show the present
state. Descriptions of settings come from where the settings are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from PySide6.QtWidgets import QLabel, QWidget

from gui.dialogs.settings.changes import SettingsChanges
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import Segmented, Toggle
from gui.widgets.cards import RadioCard, RowCard
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, vbox
from gui.widgets.number_field import Stepper
from gui.widgets.scroll_area import ScrollColumn
from gui.widgets.searchable import first_found
from router.api.router import RouterPort
from router.config.settings import Settings

PAGE_PADDING = 28
_GAP = 14
_TITLE = 18

Choice = TypeVar("Choice")


class SettingsPage(ScrollColumn):
    """Subclasses add to `cards`, and extend `show_state` for what is no plain setting."""

    icon_name = ""

    def __init__(self, title: str, router: RouterPort, changes: SettingsChanges) -> None:
        cards = vbox(spacing=_GAP)
        super().__init__(
            label(title, font=fonts.semibold(_TITLE)),
            _GAP,
            cards,
            STRETCH,
            spacing=0,
            margins=(PAGE_PADDING, 18, PAGE_PADDING, 16),
        )
        self.cards = cards
        self.title = title
        self.router = router
        self.changes = changes
        self._settings: list[tuple[str, Callable[[Any], object]]] = []

    def show_state(self) -> None:
        """Show the present state, without emitting changes."""
        current = self.router.settings.current()
        for field, show in self._settings:
            show(attrgetter(field)(current))

    def setting_for(self, wanted: str) -> QWidget | None:
        """The first setting that has all the words of `wanted`."""
        return first_found(self, self.title, wanted)

    def add_cards(self, *cards: QWidget) -> None:
        for card in cards:
            self.cards.addWidget(card)

    def add_toggle(
        self, card: RowCard, field: str, title: str, text: str = "", *, words: str
    ) -> Toggle:
        """A row for the setting `field`, with `text` or as it is declared; `words` are synonyms to
        search for."""
        toggle = Toggle(title, on_click=self.changes.setter(field))
        self._settings.append((field, toggle.setChecked))
        card.add_row(title, text or description(field), toggle, words=words)
        return toggle

    def add_choice(
        self,
        card: RowCard,
        field: str,
        title: str,
        choices: Sequence[tuple[str, str]],
        text: str = "",
        *,
        words: str,
    ) -> QLabel:
        """Returns the label of the text."""
        choice = Segmented(title, choices, on_change=self.changes.setter(field))
        self._settings.append((field, lambda value: choice.set_current(str(value))))
        return card.add_row(title, text or description(field), choice, words=words)

    def add_number(
        self, card: RowCard, field: str, title: str, highest: int, *, step: int = 1, words: str
    ) -> None:
        number = Stepper(title, 1, highest, step=step)
        number.changed.connect(self.changes.setter(field))
        self._settings.append((field, lambda value: number.set_value(round(value))))
        card.add_row(title, description(field), number, words=words)

    def add_radio_cards(
        self, title: str, cards: Mapping[Choice, RadioCard], choose: Callable[[Choice], object]
    ) -> None:
        for choice, card in cards.items():
            card.chosen.connect(partial(choose, choice))
        self.cards.addLayout(vbox(heading(title), *cards.values(), spacing=8))


def heading(text: str) -> QLabel:
    """Above a group of cards."""
    made = label(text, font=fonts.semibold())
    made.setContentsMargins(0, 3, 0, 0)
    return made


def description(field: str) -> str:
    """What the setting `field` does, as it is declared."""
    return tr(Settings.model_fields[field.partition(".")[0]].description or "")
