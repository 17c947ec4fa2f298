"""The current colours, light or dark, and their use in the application.

Icons and delegates look colours up when they paint, so a change of theme needs a repaint and
nothing else. The system's choice is followed live.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from gui.widgets.fonts import ui_font
from gui.widgets.palette import DARK, LIGHT, Palette, Token
from resources import read_text

Mode: TypeAlias = Literal["system", "light", "dark"]
_Role: TypeAlias = QPalette.ColorRole
_QT_ROLES: dict[Token, tuple[QPalette.ColorRole, ...]] = {
    "window": (_Role.Window, _Role.AlternateBase),
    "surface": (_Role.Base, _Role.Button, _Role.ToolTipBase, _Role.Light),
    "border": (_Role.Midlight,),
    "strong": (_Role.Mid, _Role.Shadow),
    "field": (_Role.Dark,),
    "text1": (_Role.WindowText, _Role.Text, _Role.ButtonText, _Role.ToolTipText),
    "text3": (_Role.PlaceholderText,),
    "accent": (_Role.Highlight, _Role.Accent, _Role.Link, _Role.LinkVisited),
    "on_accent": (_Role.BrightText, _Role.HighlightedText),
}


class Theme(QObject):
    """The current palette; emits `changed` after another one was applied."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mode: Mode = "system"
        self._palette = LIGHT
        self._app: QApplication | None = None
        self._control_images = TemporaryDirectory(prefix="toolbooth-")

    @property
    def palette(self) -> Palette:
        return self._palette

    @property
    def mode(self) -> Mode:
        return self._mode

    def apply(self, app: QApplication) -> None:
        """Style `app`, and from now on follow the system's choice."""
        if self._app is app:
            return
        self._app = app
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.styleHints().colorSchemeChanged.connect(self._follow_system)
        self._use(self._wanted())

    def set_mode(self, mode: Mode) -> None:
        """Follow the system, or use one of the two palettes."""
        if mode == self._mode:
            return
        self._mode = mode
        if self._app is None:
            return
        # The platform draws title bars and native menus; it is to follow the choice as well.
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        self._app.styleHints().setColorScheme(schemes.get(mode, Qt.ColorScheme.Unknown))
        self._follow_system()

    def _follow_system(self) -> None:
        wanted = self._wanted()
        if wanted is not self._palette:
            self._use(wanted)

    def _wanted(self) -> Palette:
        if self._mode == "system" and self._app is not None:
            dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        else:
            dark = self._mode == "dark"
        return DARK if dark else LIGHT

    def _use(self, palette: Palette) -> None:
        self._palette = palette
        if self._app is not None:
            self._app.setPalette(qt_palette(palette))
            self._app.setStyleSheet(stylesheet(palette, Path(self._control_images.name)))
        self.changed.emit()


@cache
def theme() -> Theme:
    """The application's one theme."""
    return Theme()


def qt_palette(p: Palette) -> QPalette:
    """The palette for Fusion, for what the style sheet does not style."""
    palette = QPalette()
    for token, roles in _QT_ROLES.items():
        for role in roles:
            palette.setColor(role, p.color(token))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, p.color("off"))
    return palette


def stylesheet(p: Palette, image_dir: Path) -> str:
    """The style sheet in the colours of `p`. It knows icons by path only: those it names are
    written into `image_dir`, tinted."""

    def tinted(found: re.Match[str]) -> str:
        name, color = found[1], p.hex(cast(Token, found[2]))
        path = image_dir / f"{name}-{color.lstrip('#')}.svg"
        if not path.exists():
            svg = read_text("icons", f"{name}.svg").replace("currentColor", color)
            path.write_text(svg, encoding="utf-8")
        return f'url("{path.as_posix()}")'

    sheet = re.sub(r"icon\(([\w-]+), (\w+)\)", tinted, read_text("style.qss"))
    return Template(sheet).substitute(**p.colors)
