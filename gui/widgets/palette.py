"""The colours of the window, light and dark: every colour used anywhere is a field of `Palette`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from PySide6.QtGui import QColor

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
]


@dataclass(frozen=True, slots=True)
class Palette:
    """One set of colours, as `#RRGGBB`. `tiles` are the hues of the letter tiles."""

    window: str
    sidebar: str
    surface: str
    border: str
    strong: str
    field: str
    text1: str
    text2: str
    text3: str
    accent: str
    accent_soft: str
    on_accent: str
    ok: str
    warn: str
    err: str
    savings: str
    ok_soft: str
    warn_soft: str
    err_soft: str
    savings_soft: str
    neutral_soft: str
    savings_dim: str
    off: str
    track: str
    segment_on: str
    segment_track: str
    hover: str
    tiles: tuple[str, ...]
    tile_strength: float
    """How much of its hue a tile's background takes, from 0 to 1."""

    def hex(self, token: Token) -> str:
        return cast(str, getattr(self, token))

    def color(self, token: Token) -> QColor:
        return QColor(self.hex(token))


LIGHT = Palette(
    window="#F5F6F8",
    sidebar="#ECEEF2",
    surface="#FFFFFF",
    border="#E2E6EB",
    strong="#C9D0D9",
    field="#8B95A3",
    text1="#161A20",
    text2="#515B69",
    text3="#5D6776",
    accent="#2B5FD9",
    accent_soft="#E7EEFD",
    on_accent="#FFFFFF",
    ok="#11763F",
    warn="#A15800",
    err="#C62F35",
    savings="#0B6F76",
    ok_soft="#E4F5EB",
    warn_soft="#FDF1DC",
    err_soft="#FDECEC",
    savings_soft="#DDF1F1",
    neutral_soft="#F3F5F8",
    savings_dim="#7DB0B4",
    off="#8A94A3",
    track="#E4E8ED",
    segment_on="#FFFFFF",
    segment_track="#E7EAEF",
    hover="#F5F7FA",
    tiles=(
        "#3554BB",
        "#7A5800",
        "#7842A8",
        "#0B666C",
        "#A4287A",
        "#1E6632",
        "#A04321",
        "#515E72",
    ),
    tile_strength=0.13,
)

DARK = Palette(
    window="#13161B",
    sidebar="#0F1216",
    surface="#1A1E25",
    border="#2B323C",
    strong="#414B58",
    field="#6B7685",
    text1="#E9EDF2",
    text2="#AAB3C0",
    text3="#8C96A5",
    accent="#7AA5FF",
    accent_soft="#1D2B48",
    on_accent="#0B1426",
    ok="#4CC38A",
    warn="#F0B85A",
    err="#FF8086",
    savings="#46C7C4",
    ok_soft="#15302A",
    warn_soft="#33291A",
    err_soft="#3A2226",
    savings_soft="#123032",
    neutral_soft="#20252D",
    savings_dim="#2F7F80",
    off="#768190",
    track="#2B323C",
    segment_on="#3A4350",
    segment_track="#232932",
    hover="#1F242C",
    tiles=(
        "#8FAEFF",
        "#F5C443",
        "#CF9BFF",
        "#2CD0DA",
        "#FB94D6",
        "#6FDD88",
        "#FF9A76",
        "#B6BFCC",
    ),
    tile_strength=0.18,
)
