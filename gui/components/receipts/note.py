"""The receipt beside a decision: what protected the computer, what was tried, and all of it on
request."""

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
    """Two lines; a button unfolds the rest where there is more."""

    def __init__(self, receipt: Receipt | None) -> None:
        super().__init__()
        self._all = FieldForm()
        self._all.hide()
        self._button = link_button(self.tr("Details"), flush=True, on_click=self._unfold)
        protection = wrapped(protection_words(receipt.protection)) if receipt else None
        texts = vbox(protection, wrapped(tried_text(receipt)), spacing=2)
        if receipt is not None:
            self._all.show_fields(receipt_fields(receipt))
        self._button.setVisible(receipt is not None)
        top = hbox(
            (_shield(receipt), 0, Qt.AlignmentFlag.AlignTop),
            (texts, 1),
            (self._button, 0, Qt.AlignmentFlag.AlignTop),
            spacing=8,
        )
        vbox(top, self._all, spacing=10, margins=NO_MARGINS, parent=self)

    def _unfold(self) -> None:
        unfolded = self._all.isHidden()
        self._all.setVisible(unfolded)
        self._button.setText(self.tr("Less") if unfolded else self.tr("Details"))


def _shield(receipt: Receipt | None) -> IconLabel:
    """Whole where files were blocked; a warning where they were not."""
    if receipt is None:
        return IconLabel("info", "text3", 16)
    if receipt.protection.level >= IsolationLevel.CONFINED:
        return IconLabel("shield-check", "ok", 16)
    return IconLabel("shield-alert", "warn", 16)
