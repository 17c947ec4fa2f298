"""Cards and the lines inside them: plain, with rows of settings, or as a choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QRadioButton, QWidget

from gui.text.marks import Tone
from gui.widgets import fonts
from gui.widgets.labels import Pill, label, wrapped
from gui.widgets.layouts import STRETCH, hbox, in_widget, vbox
from gui.widgets.paint import draw_box, draw_focus_ring, draw_text, saved
from gui.widgets.presses import Pressable
from gui.widgets.searchable import searchable
from gui.widgets.theme import theme

T = TypeVar("T")

PADDING = 16
ROW_HEIGHT = 54
RADIO_INDENT = 29


class Card(QFrame):
    """A surface with a border and round corners."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")


class RowCard(Card):
    """A card of rows, each with a title, a description and perhaps a control at its right."""

    def __init__(self) -> None:
        super().__init__()
        self._column = vbox(spacing=0, margins=(PADDING, 2, PADDING, 2), parent=self)

    def add_row(
        self, title: str, description: str, control: QWidget | None = None, *, words: str = ""
    ) -> QLabel:
        """Returns the label of the description, for a text that changes. `words` are synonyms."""
        shown = wrapped(description)
        texts = vbox(STRETCH, label(title, font=fonts.medium()), shown, STRETCH, spacing=3)
        row = QWidget()
        row.setMinimumHeight(ROW_HEIGHT)
        line = hbox((texts, 1), spacing=PADDING, margins=(0, 8, 0, 8), parent=row)
        if control is not None:
            line.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        searchable(row, words)
        self.add_widget(row)
        return shown

    def add_widget(self, widget: QWidget) -> None:
        if self._column.count():
            self._column.addWidget(hline())
        self._column.addWidget(widget)


class RadioCard(QFrame):
    """A choice as a card: a radio button with badges, and what the choice means below it."""

    chosen = Signal()

    def __init__(self, title: str, description: str, *, warning: str = "", words: str = "") -> None:
        super().__init__()
        searchable(self, words)
        self._radio = _Radio(title)
        self._radio.clicked.connect(self._choose)
        self._badges = hbox(self._radio, STRETCH, spacing=6)
        column = vbox(
            self._badges,
            _indented(wrapped(description)),
            spacing=2,
            margins=(PADDING, 11, PADDING, 13),
            parent=self,
        )
        self._warning = wrapped(warning, "warn")
        if warning:
            column.addWidget(_indented(self._warning))

    def set_warning(self, text: str) -> None:
        """Another one, for a card that has one."""
        self._warning.setText(text)

    def add_badge(self, text: str, tone: Tone) -> Pill:
        """Returns it, for a text that changes."""
        badge = Pill(text, tone)
        self._badges.insertWidget(self._badges.count() - 1, badge)
        return badge

    def is_chosen(self) -> bool:
        return self._radio.isChecked()

    def set_chosen(self, chosen: bool) -> None:
        self._radio.setChecked(chosen)
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        chosen = self.is_chosen()
        colors = ("accent_soft", "accent", 2) if chosen else ("surface", "border", 1)
        draw_box(QPainter(self), QRectF(self.rect()), 10, *colors)

    def mousePressEvent(self, event: QMouseEvent, /) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled():
            self._choose()

    def _choose(self) -> None:
        # A click on the chosen card must not clear the choice.
        self._radio.setChecked(True)
        self.chosen.emit()


class _Radio(Pressable, QRadioButton):
    """A ring with a dot, and the title at a distance from it."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.setFont(fonts.semibold())
        self.setAutoExclusive(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.emit_click_on_toggle()

    def sizeHint(self, /) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(RADIO_INDENT + width + 2, 20)

    def hitButton(self, pos: QPoint, /) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        palette, middle = theme().palette, self.height() / 2
        ring = QRectF(1, middle - 7, 14, 14)
        painter = QPainter(self)
        with saved(painter):
            painter.setBrush(palette.color("surface"))
            painter.setPen(QPen(palette.color("accent" if self.isChecked() else "field"), 1.5))
            painter.drawEllipse(ring)
            if self.isChecked():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(palette.color("accent"))
                painter.drawEllipse(ring.center(), 3.5, 3.5)
        text = QRectF(RADIO_INDENT, 0, self.width() - RADIO_INDENT, self.height())
        color = "text1" if self.isEnabled() else "off"
        draw_text(painter, text, self.text(), self.font(), color)
        if self.hasFocus():
            draw_focus_ring(painter, ring.adjusted(-1, -1, 1, 1), 8)


def ruled(rows: Iterable[T]) -> Iterator[T | QFrame]:
    """`rows` with a line between each two of them."""
    for position, row in enumerate(rows):
        if position:
            yield hline()
        yield row


def hline() -> QFrame:
    return _line("hline")


def vline() -> QFrame:
    return _line("vline")


def _line(role: str) -> QFrame:
    line = QFrame()
    line.setProperty("role", role)
    return line


def _indented(text: QLabel) -> QWidget:
    """Under the radio button's own text."""
    return in_widget(hbox(text, margins=(RADIO_INDENT, 0, 0, 0)))
