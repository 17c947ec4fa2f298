"""The receipt beside a decision: what protected the computer, what was tried, and all of it on
request."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.components.receipts.presentation import receipt_fields, tried_text
from gui.text.presentation import protection_words
from gui.widgets import icons
from gui.widgets.buttons import link_button
from gui.widgets.field_form import FieldForm
from gui.widgets.labels import wrapped
from gui.widgets.theme import theme
from router.domain.receipts import IsolationLevel, Receipt


class ReceiptNote(QWidget):
    """Two lines; a button unfolds the rest where there is more."""

    def __init__(self, receipt: Receipt | None) -> None:
        super().__init__()
        self._all = FieldForm()
        self._all.hide()
        self._button = link_button(self.tr("Details"), flush=True)
        self._button.clicked.connect(self._unfold)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        if receipt is not None:
            self._all.show_fields(receipt_fields(receipt))
            texts.addWidget(wrapped(protection_words(receipt.protection)))
        texts.addWidget(wrapped(tried_text(receipt)))
        self._button.setVisible(receipt is not None)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(_Shield(receipt), 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(texts, 1)
        top.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._all)

    def _unfold(self) -> None:
        unfolded = self._all.isHidden()
        self._all.setVisible(unfolded)
        self._button.setText(self.tr("Less") if unfolded else self.tr("Details"))


class _Shield(QWidget):
    """Whole where files were blocked; a warning where they were not."""

    def __init__(self, receipt: Receipt | None) -> None:
        super().__init__()
        self._level = receipt.protection.level if receipt is not None else None
        self.setFixedSize(QSize(16, 16))

    def paintEvent(self, event: QPaintEvent, /) -> None:
        palette, rect = theme().palette, QRectF(self.rect())
        if self._level is None:
            icons.draw(QPainter(self), "info", rect, palette.color("text3"))
        elif self._level >= IsolationLevel.CONFINED:
            icons.draw(QPainter(self), "shield-check", rect, palette.color("ok"))
        else:
            icons.draw(QPainter(self), "shield-alert", rect, palette.color("warn"))
