"""What settings pages are built of: cards of rows, cards to choose from, a stepper, a bar."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.look import fonts
from gui.look.painting import draw_focus_ring, draw_text, saved
from gui.look.palette import Token
from gui.look.pressing import Pressable
from gui.look.theme import theme
from gui.look.widgets import Card, IconButton, Pill, hline, label
from gui.presenting import Tone
from gui.settings.finding import searchable

PADDING = 16
ROW_HEIGHT = 54
RADIO_INDENT = 29


# The field inside a spin box is a line edit too and must not be framed a second time. The buttons
# are narrowed because `NoButtons` leaves the field no room under a style sheet.
_PLAIN_NUMBER = """
    QLineEdit { border: none; padding: 0; min-height: 0; background: transparent }
    QSpinBox::up-button, QSpinBox::down-button { width: 0 }
    QSpinBox::up-arrow, QSpinBox::down-arrow { image: none; width: 0 }
"""


class NumberField(QSpinBox):
    """A number to type; it counts when Enter is pressed or the field is left."""

    def __init__(self, accessible_name: str, lowest: int, highest: int) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setRange(lowest, highest)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setKeyboardTracking(False)
        self.setStyleSheet(_PLAIN_NUMBER)

    def show_value(self, value: int) -> None:
        """Set it without telling anyone; what is being typed stays if it changes nothing."""
        if value != self.value():
            blocked = self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(blocked)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        """The wheel is for the page: a setting must not change because somebody scrolled by."""
        event.ignore()


def wrapped(text: str, tint: Token = "text2") -> QLabel:
    """A description that takes as many lines as it needs."""
    made = label(text, font=fonts.ui_font(fonts.SMALL), tint=tint)
    made.setWordWrap(True)
    return made


class RowCard(Card):
    """A card of rows, each with a title, a description and perhaps a control at its right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(PADDING, 2, PADDING, 2)
        self._column.setSpacing(0)

    def add_row(
        self, title: str, description: str, control: QWidget | None = None, *, words: str = ""
    ) -> QLabel:
        """Returns the label of the description, for a text that changes. `words` find it too."""
        shown = wrapped(description)
        texts = QVBoxLayout()
        texts.setSpacing(3)
        texts.addStretch()
        texts.addWidget(label(title, font=fonts.medium()))
        texts.addWidget(shown)
        texts.addStretch()
        row = QWidget()
        row.setMinimumHeight(ROW_HEIGHT)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 8, 0, 8)
        line.setSpacing(PADDING)
        line.addLayout(texts, 1)
        if control is not None:
            line.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        searchable(row, words)
        self.add_widget(row)
        return shown

    def add_widget(self, widget: QWidget) -> None:
        if self._column.count():
            self._column.addWidget(hline())
        self._column.addWidget(widget)


class Stepper(QFrame):
    """A number between a minus and a plus. Tells `changed` only when a person changes it."""

    changed = Signal(int)

    def __init__(self, accessible_name: str, lowest: int, highest: int, *, step: int = 1) -> None:
        super().__init__()
        self.setFixedHeight(32)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._number = NumberField(accessible_name, lowest, highest)
        self._number.setSingleStep(step)
        self._number.setFont(fonts.semibold())
        self._number.setFixedWidth(34 + 8 * max(0, len(str(highest)) - 3))
        self._number.setStyleSheet(f"{_PLAIN_NUMBER} QSpinBox {{ border: none; padding: 0 }}")
        self._number.valueChanged.connect(self.changed)
        self._lay_out()

    def value(self) -> int:
        return self._number.value()

    def set_value(self, value: int) -> None:
        self._number.show_value(value)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        draw_frame(QPainter(self), self.rect(), "surface", "strong", radius=6)

    def _lay_out(self) -> None:
        less = IconButton("minus", self.tr("Less"), size=28, icon_size=14)
        more = IconButton("plus", self.tr("More"), size=28, icon_size=14)
        less.clicked.connect(self._number.stepDown)
        more.clicked.connect(self._number.stepUp)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 1, 2, 1)
        row.setSpacing(0)
        for widget in (less, self._number, more):
            row.addWidget(widget)


class RadioCard(QFrame):
    """A choice as a card: a radio button with badges, and what the choice means below it."""

    chosen = Signal()

    def __init__(self, title: str, description: str, *, warning: str = "", words: str = "") -> None:
        super().__init__()
        searchable(self, words)
        self._radio = _Radio(title)
        self._radio.setAutoExclusive(False)
        self._radio.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._radio.clicked.connect(self._choose)
        self._badges = QHBoxLayout()
        self._badges.setSpacing(6)
        self._badges.addWidget(self._radio)
        self._badges.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(PADDING, 11, PADDING, 13)
        column.setSpacing(2)
        column.addLayout(self._badges)
        column.addWidget(_indented(wrapped(description)))
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
        draw_frame(
            QPainter(self),
            self.rect(),
            "accent_soft" if chosen else "surface",
            "accent" if chosen else "border",
            width=2 if chosen else 1,
        )

    def mousePressEvent(self, event: QMouseEvent, /) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled():
            self._choose()

    def _choose(self) -> None:
        # A click on the one that is chosen already must not take the choice away.
        self._radio.setChecked(True)
        self.chosen.emit()


class _Radio(Pressable, QRadioButton):
    """A ring with a dot, and the title at a distance from it."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self.setFont(fonts.semibold())
        self.listen_to_assistants()

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
        color = palette.color("text1" if self.isEnabled() else "off")
        draw_text(painter, text, self.text(), self.font(), color)
        if self.hasFocus():
            draw_focus_ring(painter, ring.adjusted(-1, -1, 1, 1), 8)


class ShareBar(QWidget):
    """How much of the whole is left, 8 high."""

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self._share = 0.0
        self.setAccessibleName(accessible_name)
        self.setFixedHeight(8)

    def set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        palette, rect = theme().palette, QRectF(self.rect())
        with saved(QPainter(self)) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color("track"))
            painter.drawRoundedRect(rect, 4, 4)
            if self._share > 0:
                rect.setWidth(max(rect.height() * 1.5, rect.width() * self._share))
                painter.setBrush(palette.color("savings"))
                painter.drawRoundedRect(rect, 4, 4)


def draw_frame(
    painter: QPainter,
    rect: QRect,
    fill: Token,
    border: Token,
    *,
    width: int = 1,
    radius: float = 10,
) -> None:
    palette, half = theme().palette, width / 2
    with saved(painter):
        painter.setBrush(palette.color(fill))
        painter.setPen(QPen(palette.color(border), width))
        painter.drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius)


def _indented(text: QLabel) -> QWidget:
    """Under the radio button's own text."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(RADIO_INDENT, 0, 0, 0)
    row.addWidget(text)
    return holder
