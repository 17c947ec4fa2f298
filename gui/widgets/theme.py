"""The one object that knows which colours hold now, and applies them.

Icons and delegates look colours up when they paint, so a change of theme needs a repaint and
nothing else. The system's choice is followed live.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from gui.widgets.fonts import ui_font
from gui.widgets.palette import DARK, LIGHT, Palette, Token
from gui.widgets.stylesheet import stylesheet

__all__ = ["DARK", "LIGHT", "Mode", "Palette", "Theme", "Token", "qt_palette", "theme"]

Mode: TypeAlias = Literal["system", "light", "dark"]


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
    """What Fusion needs to know, for whatever the style sheet does not reach."""
    roles = QPalette.ColorRole
    palette = QPalette()
    colors: dict[QPalette.ColorRole, str] = {
        roles.Window: p.window,
        roles.WindowText: p.text1,
        roles.Base: p.surface,
        roles.AlternateBase: p.window,
        roles.Text: p.text1,
        roles.Button: p.surface,
        roles.ButtonText: p.text1,
        roles.BrightText: p.on_accent,
        roles.PlaceholderText: p.text3,
        roles.Highlight: p.accent,
        roles.HighlightedText: p.on_accent,
        roles.Accent: p.accent,
        roles.Link: p.accent,
        roles.LinkVisited: p.accent,
        roles.ToolTipBase: p.surface,
        roles.ToolTipText: p.text1,
        roles.Light: p.surface,
        roles.Midlight: p.border,
        roles.Mid: p.strong,
        roles.Dark: p.field,
        roles.Shadow: p.strong,
    }
    for role, color in colors.items():
        palette.setColor(role, QColor(color))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(p.off))
    return palette
