"""An editor for names and values: environment variables of a command, headers of an address.

Every value is masked until its eye is pressed, since any of them may be a secret; only references
to secrets are readable. Which values go into the keyring is decided by the router.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from gui.widgets.buttons import IconButton, link_button
from gui.widgets.input_fields import SecretField, line_edit
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import NO_MARGINS, hbox, vbox
from router.config.secret_references import secret_references


class PairsEditor(QWidget):
    """Emits `changed` when the user edits a name or value."""

    changed = Signal()

    def __init__(self, add_text: str) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._lines = vbox(spacing=6)
        self._note = wrapped(
            self.tr("Values that look like secrets are stored in the keyring when you save.")
        )
        add = link_button(add_text, flush=True, on_click=lambda: self._add("", "").name.setFocus())
        vbox(
            self._lines,
            (add, 0, Qt.AlignmentFlag.AlignLeft),
            self._note,
            spacing=6,
            margins=NO_MARGINS,
            parent=self,
        )
        self._show_note()

    def pairs(self) -> list[tuple[str, str]]:
        """What is typed, without rows that are wholly empty."""
        typed = [(row.name.text().strip(), row.value.text()) for row in self._rows]
        return [(name, value) for name, value in typed if name or value]

    def set_pairs(self, pairs: Mapping[str, str]) -> None:
        for row in tuple(self._rows):
            self._drop(row)
        for name, value in pairs.items():
            self._add(name, value)

    def _add(self, name: str, value: str) -> _Row:
        row = _Row(name, value)
        row.changed.connect(self.changed)
        row.removed.connect(lambda: self._remove(row))
        self._rows.append(row)
        self._lines.addWidget(row)
        self._show_note()
        return row

    def _remove(self, row: _Row) -> None:
        self._drop(row)
        self.changed.emit()

    def _drop(self, row: _Row) -> None:
        self._rows.remove(row)
        self._lines.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._show_note()

    def _show_note(self) -> None:
        self._note.setVisible(bool(self._rows))


class _Row(QWidget):
    changed = Signal()
    removed = Signal()

    def __init__(self, name: str, value: str) -> None:
        super().__init__()
        self.name = line_edit(self.tr("Name"), self.tr("Name"), mono=True)
        self.name.setText(name)
        self.value = SecretField(self.tr("Value"), self.tr("Show value"), self.tr("Hide value"))
        self.value.setPlaceholderText(self.tr("Value"))
        self.value.setText(value)
        self.value.set_masked(not secret_references(value))
        self.name.textEdited.connect(self.changed)
        self.value.textEdited.connect(self.changed)
        remove = IconButton("x", self.tr("Remove"), on_click=self.removed)
        hbox(
            (self.name, 2),
            label("=", tint="text3"),
            (self.value, 3),
            remove,
            spacing=6,
            margins=NO_MARGINS,
            parent=self,
        )
