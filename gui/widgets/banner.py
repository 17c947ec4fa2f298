"""Banners that show a problem and carry the buttons that fix it.

`Banners` keeps at most one per subject (a file, the listener, a command): a later one replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from gui.widgets import fonts
from gui.widgets.buttons import IconButton, text_button
from gui.widgets.labels import IconLabel, wrapped
from gui.widgets.layouts import NO_MARGINS, hbox, vbox

BannerTone: TypeAlias = Literal["warn", "err"]
BannerButton: TypeAlias = tuple[str, Callable[[], object]]


class Banner(QFrame):
    """A message, a detail below it, and buttons."""

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
        sign = "triangle-alert" if tone == "warn" else "circle-x"
        row = hbox(
            (IconLabel(sign, tone, 18), 0, Qt.AlignmentFlag.AlignVCenter),
            (_texts(text, detail), 1),
            spacing=10,
            margins=(12, 8, 8, 8),
            parent=self,
        )
        for caption, action in buttons:
            row.addWidget(_small_button(caption, action))
        if on_close is not None:
            row.addWidget(IconButton("x", self.tr("Close"), size=28, on_click=on_close))


class Banners(QWidget):
    """The banners above a screen's content; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__()
        self._banners: dict[str, Banner] = {}
        self._column = vbox(spacing=8, margins=NO_MARGINS, parent=self)
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


def _texts(text: str, detail: str) -> QVBoxLayout:
    column = vbox(wrapped(text, "text1", font=fonts.medium(), selectable=True), spacing=2)
    if detail:
        column.addWidget(wrapped(detail, "text1", selectable=True))
    return column


def _small_button(caption: str, action: Callable[[], object]) -> QPushButton:
    return text_button(caption, "small", fonts.medium(fonts.SMALL), lambda: action())
