"""The colours of the window, light and dark, read from `resources/palettes.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from PySide6.QtGui import QColor

from resources import read_text

Token: TypeAlias = Literal[
    "window",
    "sidebar",
    "surface",
    "border",
    "strong",
    "field",
    "text1",
    "text2",
    "text3",
    "accent",
    "accent_soft",
    "on_accent",
    "ok",
    "warn",
    "err",
    "savings",
    "ok_soft",
    "warn_soft",
    "err_soft",
    "savings_soft",
    "neutral_soft",
    "savings_dim",
    "off",
    "track",
    "segment_on",
    "segment_track",
    "hover",
    "accent_hover",
    "accent_pressed",
    "warn_edge",
    "err_edge",
]


@dataclass(frozen=True, slots=True)
class Palette:
    """One set of colours, as `#RRGGBB`."""

    colors: dict[Token, str]
    tiles: tuple[str, ...]
    """The hues of the letter tiles."""
    tile_strength: float
    """How much of its hue a tile's background takes, from 0 to 1."""

    def hex(self, token: Token) -> str:
        return self.colors[token]

    def color(self, token: Token) -> QColor:
        return QColor(self.colors[token])


_PALETTES: dict[str, dict[str, Any]] = json.loads(read_text("palettes.json"))
LIGHT, DARK = Palette(**_PALETTES["light"]), Palette(**_PALETTES["dark"])
