"""The receipt beside an approval: the protection, what the server tried, and the details."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.components.receipts.receipt_text import receipt_fields, tried_text
from gui.text.server_row import protection_words
from gui.widgets.buttons import link_button
from gui.widgets.field_form import FieldForm
from gui.widgets.labels import IconLabel, wrapped
from gui.widgets.layouts import NO_MARGINS, hbox, vbox
from router.domain.receipts import IsolationLevel, Receipt


class ReceiptNote(QWidget):
    """Two lines; a button shows the details."""

    def __init__(self, receipt: Receipt | None) -> None:
        super().__init__()
        self._details = FieldForm()
        self._details.hide()
        self._button = link_button(self.tr("Details"), flush=True, on_click=self._toggle_details)
        protection = wrapped(protection_words(receipt.protection)) if receipt else None
        texts = vbox(protection, wrapped(tried_text(receipt)), spacing=2)
        if receipt is not None:
            self._details.show_fields(receipt_fields(receipt))
        self._button.setVisible(receipt is not None)
        top = hbox(
            (_shield(receipt), 0, Qt.AlignmentFlag.AlignTop),
            (texts, 1),
            (self._button, 0, Qt.AlignmentFlag.AlignTop),
            spacing=8,
        )
        vbox(top, self._details, spacing=10, margins=NO_MARGINS, parent=self)

    def _toggle_details(self) -> None:
        shown = self._details.isHidden()
        self._details.setVisible(shown)
        self._button.setText(self.tr("Hide details") if shown else self.tr("Details"))


def _shield(receipt: Receipt | None) -> IconLabel:
    """A warning if the server could read files."""
    if receipt is None:
        return IconLabel("info", "text3", 16)
    if receipt.protection.level >= IsolationLevel.CONFINED:
        return IconLabel("shield-check", "ok", 16)
    return IconLabel("shield-alert", "warn", 16)
