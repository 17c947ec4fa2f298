"""Banners that show a problem and carry the buttons that fix it.

`Banners` keeps at most one per subject (a file, the listener, a command): a later one replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.widgets import fonts, icons
from gui.widgets.buttons import IconButton
from gui.widgets.labels import label
from gui.widgets.theme import theme

BannerTone: TypeAlias = Literal["warn", "err"]
BannerButton: TypeAlias = tuple[str, Callable[[], object]]


class Banner(QFrame):
    """A sentence, a quieter one under it, and what can be done."""

    def __init__(
        self,
        text: str,
        detail: str = "",
        *,
        tone: BannerTone = "warn",
        buttons: Sequence[BannerButton] = (),
        on_close: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self.setProperty("role", f"banner-{tone}")
        self.setAccessibleName(f"{text} {detail}".strip())
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(_Sign(tone), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(_texts(text, detail), 1)
        for caption, action in buttons:
            row.addWidget(_button(caption, action))
        if on_close is not None:
            close = IconButton("x", self.tr("Close"), size=28, icon_size=16)
            close.clicked.connect(on_close)
            row.addWidget(close)


class Banners(QWidget):
    """The banners above a screen's content; hidden while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._banners: dict[str, Banner] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.hide()

    def put(
        self,
        subject: str,
        text: str,
        detail: str = "",
        *,
        tone: BannerTone = "warn",
        buttons: Sequence[BannerButton] = (),
    ) -> None:
        """Show this about `subject`, instead of what was shown about it before."""
        self.clear(subject)
        banner = Banner(
            text, detail, tone=tone, buttons=buttons, on_close=lambda: self.clear(subject)
        )
        self._banners[subject] = banner
        self._column.addWidget(banner)
        banner.show()
        self.show()

    def clear(self, subject: str) -> None:
        banner = self._banners.pop(subject, None)
        if banner is not None:
            self._column.removeWidget(banner)
            banner.hide()
            banner.deleteLater()
        self.setVisible(bool(self._banners))

    def subjects(self) -> tuple[str, ...]:
        return tuple(self._banners)


class _Sign(QWidget):
    def __init__(self, tone: BannerTone) -> None:
        super().__init__()
        self._tone: BannerTone = tone
        self.setFixedSize(QSize(18, 18))

    def paintEvent(self, event: QPaintEvent, /) -> None:
        name = "triangle-alert" if self._tone == "warn" else "circle-x"
        color = theme().palette.color(self._tone)
        icons.draw(QPainter(self), name, QRectF(self.rect()), color)


def _texts(text: str, detail: str) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(2)
    column.addWidget(_line(text, bold=True))
    if detail:
        column.addWidget(_line(detail, bold=False))
    return column


def _line(text: str, *, bold: bool) -> QLabel:
    line = label(text, font=fonts.medium() if bold else fonts.ui_font(fonts.SMALL))
    line.setWordWrap(True)
    line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return line


def _button(caption: str, action: Callable[[], object]) -> QPushButton:
    button = QPushButton(caption)
    button.setFont(fonts.medium(fonts.SMALL))
    button.setProperty("role", "small")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(lambda: action())
    return button
