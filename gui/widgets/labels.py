"""Texts: plain, wrapped, elided, as a pill, or as a letter tile."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.text.marks import Tone
from gui.widgets import fonts, icons, paint
from gui.widgets.palette import Token
from gui.widgets.tooltip import plain_tooltip, set_tooltip


class Pill(QLabel):
    """A small badge."""

    def __init__(self, text: str = "", tone: Tone = Tone.NEUTRAL) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "pill")
        self.setProperty("tone", tone.value)
        self.setFont(fonts.semibold(fonts.LABEL))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_as(self, text: str, tone: Tone) -> None:
        self.setText(text)
        if self.property("tone") != tone.value:
            self.setProperty("tone", tone.value)
            restyle(self)


class Tile(QWidget):
    """The letter tile of a server, workspace or application."""

    def __init__(self, name: str = "", size: int = 28) -> None:
        super().__init__()
        self._name = name
        self.setFixedSize(size, size)

    def set_name(self, name: str) -> None:
        self._name = name
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        paint.draw_tile(QPainter(self), QRectF(self.rect()), self._name)


class IconLabel(QWidget):
    """An icon of `resources/icons` in one of the theme's colours."""

    def __init__(self, name: str, color: Token, size: int) -> None:
        super().__init__()
        self._name = name
        self._color: Token = color
        self.setFixedSize(size, size)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        icons.draw(QPainter(self), self._name, QRectF(self.rect()), self._color)


class ElidedLabel(QLabel):
    """One line, elided while painting, whole in the tooltip. `text()` stays whole: changing it with
    the width would lay out everything around it again."""

    def __init__(
        self,
        text: str = "",
        *,
        font: QFont | None = None,
        tint: Token = "text1",
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(text)
        self.elide = elide
        _set_plain(self, font, tint)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, text: str, /) -> None:
        super().setText(text)
        self._explain()

    def sizeHint(self, /) -> QSize:
        return QSize(self._wanted_width(), super().sizeHint().height())

    def minimumSizeHint(self, /) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._explain()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        place = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self.elide, place.width())
        self.style().drawItemText(
            QPainter(self),
            place,
            self.alignment(),
            self.palette(),
            self.isEnabled(),
            shown,
            self.foregroundRole(),
        )

    def _wanted_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self.text()) + 2

    def _explain(self) -> None:
        tip = self.text() if self.width() < self._wanted_width() - 2 else ""
        if plain_tooltip(tip) != self.toolTip():
            set_tooltip(self, tip)


class Message(QLabel):
    """A sentence about what happened, of as many lines as it needs; hidden while it is empty."""

    def __init__(self, tint: Token = "text2") -> None:
        super().__init__()
        _set_plain(self, fonts.ui_font(fonts.SMALL), tint)
        self.setWordWrap(True)
        self.hide()

    def show_text(self, text: str, tint: Token | None = None) -> None:
        """Show `text`, in another colour if `tint` is given."""
        self.setText(text)
        if tint is not None:
            set_tint(self, tint)
        self.setVisible(bool(text))


def label(text: str = "", *, font: QFont | None = None, tint: Token = "text1") -> QLabel:
    """Plain text in one of the theme's colours."""
    made = QLabel(text)
    _set_plain(made, font, tint)
    return made


def _set_plain(widget: QLabel, font: QFont | None, tint: Token) -> None:
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setProperty("tint", tint)
    widget.setFont(font or fonts.ui_font())


def section_label(text: str) -> QLabel:
    """The small heading above a group, 11/600."""
    return label(text, font=fonts.semibold(fonts.LABEL), tint="text3")


def wrapped(
    text: str, tint: Token = "text2", *, font: QFont | None = None, selectable: bool = False
) -> QLabel:
    """A description that takes as many lines as it needs."""
    made = label(text, font=font or fonts.ui_font(fonts.SMALL), tint=tint)
    made.setWordWrap(True)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def centered(
    text: str = "", *, font: QFont | None = None, tint: Token = "text3", margin: int = 0
) -> QLabel:
    """A text in the middle of its place, for example where there are no rows yet."""
    made = wrapped(text, tint, font=font or fonts.ui_font())
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    made.setMargin(margin)
    return made


def set_tint(widget: QLabel, tint: Token) -> None:
    if widget.property("tint") != tint:
        widget.setProperty("tint", tint)
        restyle(widget)


def restyle(widget: QWidget) -> None:
    """Let the style sheet look at `widget` again, after one of its properties changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()
