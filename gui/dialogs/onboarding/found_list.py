"""The servers found in other applications, to select; below each, the values it needs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from gui.dialogs.onboarding.choices import Choice, detail
from gui.widgets import fonts
from gui.widgets.cards import Card, hline
from gui.widgets.input_fields import combo_box, line_edit
from gui.widgets.labels import ElidedLabel, Pill, Tile, label
from gui.widgets.layouts import STRETCH, hbox, row_widget, vbox
from router.api.apps import FoundServer, Prompt

ROW_HEIGHT = 51
_INDENT = 68


class FoundList(Card):
    choice_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ticks: list[tuple[QCheckBox, FoundServer]] = []
        self._fields: dict[str, Callable[[], str]] = {}
        self._column = vbox(spacing=0, margins=(17, 3, 17, 3), parent=self)

    def show_choices(self, choices: tuple[Choice, ...]) -> None:
        for choice in choices:
            if self._ticks:
                self._column.addWidget(hline())
            self._column.addWidget(self._row(choice))
            for prompt in choice.found.prompts:
                self._column.addLayout(self._question(prompt))
        self.choice_changed.emit()

    def chosen(self) -> list[FoundServer]:
        return [found for tick, found in self._ticks if tick.isChecked()]

    def answers(self) -> dict[str, str]:
        """The values that were entered, by prompt."""
        return {name: text() for name, text in self._fields.items() if text()}

    def _row(self, choice: Choice) -> QWidget:
        found = choice.found
        tick = QCheckBox()
        tick.setAccessibleName(f"{found.name}, {detail(found)}, {choice.note}".rstrip(", "))
        tick.setFixedWidth(16)
        tick.setChecked(choice.ticked)
        tick.toggled.connect(lambda: self.choice_changed.emit())
        self._ticks.append((tick, found))
        where = ElidedLabel(detail(found), font=fonts.ui_font(fonts.SMALL), tint="text2")
        texts = vbox(STRETCH, label(found.name, font=fonts.medium()), where, STRETCH, spacing=1)
        note = Pill(choice.note) if choice.note else None
        return row_widget(tick, Tile(found.name, 28), (texts, 1), note, height=ROW_HEIGHT)

    def _question(self, prompt: Prompt) -> QHBoxLayout:
        return hbox(
            (label(prompt.description, font=fonts.ui_font(fonts.SMALL), tint="text2"), 1),
            (self._field(prompt), 1),
            spacing=12,
            margins=(_INDENT - 12, 0, 0, 10),
        )

    def _field(self, prompt: Prompt) -> QWidget:
        if prompt.options:
            box = combo_box(prompt.description, ((option, None) for option in prompt.options))
            box.setCurrentText(prompt.default)
            self._fields[prompt.id] = box.currentText
            return box
        hint = self.tr("Stored in the keyring") if prompt.secret else self.tr("Value")
        field = line_edit(prompt.description, hint)
        if prompt.secret:
            field.setEchoMode(QLineEdit.EchoMode.Password)
        else:
            field.setText(prompt.default)
        self._fields[prompt.id] = field.text
        return field
