"""The two typefaces of the window and their sizes in pixels.

Inter where it is installed, else the system's own face; figures are tabular, so that changing
counts do not shift.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

BASE = 13
SMALL = 12
LABEL = 11
TITLE = 20

_MONO = ("JetBrains Mono", "DejaVu Sans Mono", "Menlo", "Consolas", "monospace")


@cache
def ui_font(pixels: int = BASE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    return _font(("Inter", *system.families()), pixels, weight)


@cache
def mono_font(pixels: int = SMALL, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """For names that are typed or copied: tools, addresses, commands."""
    font = _font(_MONO, pixels, weight)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag("calt"), 0)  # No ligatures: `->` in a name is two characters.
    return font


def medium(pixels: int = BASE) -> QFont:
    return ui_font(pixels, QFont.Weight.Medium)


def semibold(pixels: int = BASE) -> QFont:
    return ui_font(pixels, QFont.Weight.DemiBold)


def _font(families: tuple[str, ...], pixels: int, weight: QFont.Weight) -> QFont:
    font = QFont(list(families))
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
