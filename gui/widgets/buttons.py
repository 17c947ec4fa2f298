"""Buttons, switches and segmented choices.

Each has an accessible name and a 2-pixel focus ring. They take focus by keyboard only, so the ring
shows where a keyboard is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gui.widgets import fonts, paint
from gui.widgets.icons import icon
from gui.widgets.layouts import hbox
from gui.widgets.palette import Token
from gui.widgets.presses import Pressable
from gui.widgets.timers import timer
from gui.widgets.tooltip import set_tooltip

COPIED_MS = 1600
OnClick: TypeAlias = Callable[..., object] | SignalInstance | None
"""What `clicked` is connected to, if anything."""


class Toggle(Pressable, QCheckBox):
    """A switch, 34 x 20."""

    def __init__(
        self,
        accessible_name: str,
        *,
        checked: bool = False,
        on_click: Callable[[bool], object] | None = None,
    ) -> None:
        """`on_click` gets whether it is on now."""
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setChecked(checked)
        if on_click is not None:
            self.clicked.connect(on_click)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(paint.TOGGLE_WIDTH, paint.TOGGLE_HEIGHT)
        self.emit_click_on_toggle()

    def hitButton(self, pos: QPoint, /) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        rect, checked = QRectF(self.rect()), self.isChecked()
        paint.draw_toggle(QPainter(self), rect, checked, self.isEnabled(), self.hasFocus())


class Segmented(QFrame):
    """A row of exclusive choices, 30 high. Emits `changed` only when the user chooses."""

    changed = Signal(str)

    def __init__(
        self,
        accessible_name: str,
        choices: Sequence[tuple[str, str]],
        on_change: Callable[[str], object] | None = None,
    ) -> None:
        """`choices` are pairs of key and text; `on_change` gets the key."""
        super().__init__()
        if on_change is not None:
            self.changed.connect(on_change)
        self.setProperty("role", "segments")
        self.setAccessibleName(accessible_name)
        self.setFixedHeight(30)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._segments: dict[str, QPushButton] = {}
        self._current: str | None = None
        self._group = QButtonGroup(self)
        row = hbox(spacing=0, margins=(3, 3, 3, 3), parent=self)
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

    def _segment(self, key: str, text: str) -> QPushButton:
        button = _Segment(text, self)
        button.emit_click_on_toggle()
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
        on_click: OnClick = None,
    ) -> None:
        super().__init__(parent)
        if on_click is not None:
            self.clicked.connect(on_click)
        self.setProperty("role", "icon-bordered" if bordered else "icon")
        self.setIcon(icon(icon_name))
        self.setIconSize(QSize(icon_size, icon_size))
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.describe(tooltip)

    def describe(self, tooltip: str) -> None:
        set_tooltip(self, tooltip)
        self.setAccessibleName(tooltip)


class CopyButton(IconButton):
    """Copies what `text` returns, and shows a check mark for a moment."""

    def __init__(self, tooltip: str, text: Callable[[], str], *, size: int = 28) -> None:
        super().__init__("copy", tooltip, size=size, on_click=self._copy)
        self._text = text
        self._back = timer(self, COPIED_MS, lambda: self.setIcon(icon("copy")))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text())
        self.setIcon(icon("check", "ok"))
        self._back.start()


def primary_button(
    text: str, icon_name: str | None = None, *, on_click: OnClick = None
) -> QPushButton:
    """The one thing to do on a screen."""
    button = text_button(text, "primary", fonts.semibold(), on_click)
    return _with_icon(button, icon_name, "on_accent")


def secondary_button(
    text: str, icon_name: str | None = None, *, on_click: OnClick = None
) -> QPushButton:
    button = text_button(text, "secondary", fonts.medium(), on_click)
    return _with_icon(button, icon_name, "text2")


def link_button(text: str, *, flush: bool = False, on_click: OnClick = None) -> QPushButton:
    """`flush`: its text aligns with what is above and below it."""
    made = text_button(text, "link", fonts.medium(), on_click)
    made.setProperty("flush", "true" if flush else "false")
    return made


def text_button(text: str, role: str, font: QFont, on_click: OnClick = None) -> QPushButton:
    """`role` is its name in the style sheet."""
    button = QPushButton(text)
    if on_click is not None:
        button.clicked.connect(on_click)
    button.setProperty("role", role)
    button.setFont(font)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _with_icon(button: QPushButton, icon_name: str | None, token: Token) -> QPushButton:
    if icon_name:
        button.setIcon(icon(icon_name, token))
        button.setIconSize(QSize(21, 16))  # Wider than the icon, for space before the text.
    return button
