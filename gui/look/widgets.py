"""The controls every screen is built of. Each has an accessible name and a 2-pixel focus ring.

Buttons take focus by keyboard only, so that the ring shows where a keyboard is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gui.look import fonts, icons, painting
from gui.look.icons import icon
from gui.look.palette import Token
from gui.look.pressing import Pressable
from gui.look.theme import theme
from gui.presenting import Tone

COPIED_MS = 1600


class Toggle(Pressable, QCheckBox):
    """A switch, 34 x 20."""

    def __init__(self, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(painting.TOGGLE_WIDTH, painting.TOGGLE_HEIGHT)
        self.listen_to_assistants()

    def hitButton(self, pos: QPoint, /) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        painting.draw_toggle(
            painter, QRectF(self.rect()), self.isChecked(), self.isEnabled(), self.hasFocus()
        )


class Segmented(QFrame):
    """A row of exclusive choices, 30 high. Tells `changed` only when a person chooses."""

    changed = Signal(str)

    def __init__(
        self,
        accessible_name: str,
        choices: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        """`choices` are pairs of key and text."""
        super().__init__(parent)
        self.setProperty("role", "segments")
        self.setAccessibleName(accessible_name)
        self.setFixedHeight(30)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._segments: dict[str, QPushButton] = {}
        self._current: str | None = None
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(3, 3, 3, 3)
        row.setSpacing(0)
        for key, text in choices:
            row.addWidget(self._segment(key, text))

    def current(self) -> str | None:
        return self._current

    def set_current(self, key: str | None) -> None:
        """Show `key` as chosen; `None` shows no choice at all."""
        self._current = key
        self._group.setExclusive(key is not None)
        for name, button in self._segments.items():
            button.setChecked(name == key)
        self._group.setExclusive(True)

    def set_available(self, key: str, available: bool, tooltip: str = "") -> None:
        """Enable or disable one segment; `tooltip` says why."""
        self._segments[key].setEnabled(available)
        self._segments[key].setToolTip(tooltip)

    def _segment(self, key: str, text: str) -> QPushButton:
        button = _Segment(text, self)
        button.listen_to_assistants()
        button.setProperty("role", "segment")
        button.setFont(fonts.medium(fonts.SMALL))
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._choose(key))
        self._group.addButton(button)
        self._segments[key] = button
        return button

    def _choose(self, key: str) -> None:
        if key != self._current:
            self._current = key
            self.changed.emit(key)


class _Segment(Pressable, QPushButton):
    """One of the choices."""


class Pill(QLabel):
    """A small badge. `round_ends` is for counts."""

    def __init__(
        self,
        text: str = "",
        tone: Tone = Tone.NEUTRAL,
        *,
        round_ends: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.setProperty("role", "pill")
        self.setProperty("round", "true" if round_ends else "false")
        self.setProperty("tone", tone.value)
        self.setFont(fonts.semibold(fonts.LABEL))
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_as(self, text: str, tone: Tone) -> None:
        self.setText(text)
        if self.property("tone") != tone.value:
            self.setProperty("tone", tone.value)
            restyle(self)


class IconButton(QToolButton):
    """A square button with an icon; its tooltip is its accessible name as well."""

    def __init__(
        self,
        icon_name: str,
        tooltip: str,
        *,
        size: int = 32,
        icon_size: int = 16,
        bordered: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "icon-bordered" if bordered else "icon")
        self.setIcon(icon(icon_name))
        self.setIconSize(QSize(icon_size, icon_size))
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.describe(tooltip)

    def describe(self, tooltip: str) -> None:
        self.setToolTip(tooltip)
        self.setAccessibleName(tooltip)


class CopyButton(IconButton):
    """Copies what `text` gives at that moment, and shows a tick for a while."""

    def __init__(
        self,
        tooltip: str,
        text: Callable[[], str],
        *,
        size: int = 28,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("copy", tooltip, size=size, icon_size=16, parent=parent)
        self._text = text
        self._back = QTimer(self, interval=COPIED_MS, singleShot=True)
        self._back.timeout.connect(lambda: self.setIcon(icon("copy")))
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text())
        self.setIcon(icon("check", "ok"))
        self._back.start()


class SearchField(QLineEdit):
    """A line to filter by, 32 high, with a lens; Escape clears it."""

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "search")
        self.setFixedHeight(32)
        self.describe(placeholder)
        self._clear = QAction(icon("x", "text3"), self.tr("Clear"), self)
        self._clear.triggered.connect(self.clear)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setVisible(False)
        self.textChanged.connect(self._offer_clearing)

    def _offer_clearing(self, text: str) -> None:
        self._clear.setVisible(bool(text))

    def describe(self, placeholder: str) -> None:
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        """An Escape that has something to clear goes no further: a dialog would close by it."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        super().paintEvent(event)
        rect = QRectF(10, (self.height() - 16) / 2, 16, 16)
        icons.draw(QPainter(self), "search", rect, theme().palette.text2)


class Card(QFrame):
    """A surface with a border and round corners."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")


class Tile(QWidget):
    """The letter tile of a server, workspace or application."""

    def __init__(self, name: str = "", size: int = 28, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setFixedSize(size, size)

    def set_name(self, name: str) -> None:
        self._name = name
        self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painting.draw_tile(QPainter(self), QRectF(self.rect()), self._name)


class ElidedLabel(QLabel):
    """One line, painted with an ellipsis where there is no room and whole in the tooltip. Its text
    stays whole: another one for each width would lay out everything around it again."""

    def __init__(
        self,
        text: str = "",
        *,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.elide = elide
        self.setTextFormat(Qt.TextFormat.PlainText)
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
        if tip != self.toolTip():
            self.setToolTip(tip)


def primary_button(text: str, icon_name: str | None = None) -> QPushButton:
    """The one thing to do on a screen."""
    return _button(text, icon_name, "primary", "on_accent", fonts.semibold())


def secondary_button(text: str, icon_name: str | None = None) -> QPushButton:
    return _button(text, icon_name, "secondary", "text2", fonts.medium())


def link_button(text: str, *, flush: bool = False) -> QPushButton:
    """`flush`: its text stands in line with what is above and below it."""
    made = _button(text, None, "link", "accent", fonts.medium())
    made.setProperty("flush", "true" if flush else "false")
    return made


def label(text: str = "", *, font: QFont | None = None, tint: Token = "text1") -> QLabel:
    """Plain text in one of the theme's colours."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("tint", tint)
    made.setFont(font or fonts.ui_font())
    return made


def section_label(text: str) -> QLabel:
    """The small heading above a group, 11/600."""
    return label(text, font=fonts.semibold(fonts.LABEL), tint="text3")


def set_tint(widget: QLabel, tint: Token) -> None:
    if widget.property("tint") != tint:
        widget.setProperty("tint", tint)
        restyle(widget)


def hline() -> QFrame:
    return _line("hline")


def vline() -> QFrame:
    return _line("vline")


def restyle(widget: QWidget) -> None:
    """Let the style sheet look at `widget` again, after one of its properties changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def _line(role: str) -> QFrame:
    line = QFrame()
    line.setProperty("role", role)
    return line


def _button(text: str, icon_name: str | None, role: str, token: Token, font: QFont) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", role)
    button.setFont(font)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if icon_name:
        button.setIcon(icon(icon_name, token))
        button.setIconSize(QSize(21, 16))  # The icon sits at the left of that: room to the text.
    return button
