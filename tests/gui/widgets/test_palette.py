"""Every text is readable and every field visible, in light and dark mode."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from PySide6.QtGui import QColor

from gui.widgets.paint import tile_colors
from gui.widgets.palette import DARK, LIGHT, Palette, Token

TEXT_PAIRS: list[tuple[Token, Token]] = [
    *product(("text1", "text2", "text3"), ("window", "sidebar", "surface", "hover")),
    *product(("text1", "text2", "text3"), ("accent_soft", "segment_track")),
    *product(("accent", "ok", "warn", "err", "savings"), ("surface", "window", "hover")),
    *product(("accent", "warn", "err"), ("accent_soft",)),
    ("on_accent", "accent"),
    ("accent", "accent_soft"),
    ("ok", "ok_soft"),
    ("warn", "warn_soft"),
    ("err", "err_soft"),
    ("text1", "warn_soft"),
    ("text1", "err_soft"),
    ("savings", "savings_soft"),
    ("text2", "neutral_soft"),
    ("text1", "segment_on"),
    ("surface", "text1"),
    ("accent_soft", "text1"),
]
FIELD_PAIRS: list[tuple[Token, Token]] = [
    ("field", "surface"),
    ("off", "surface"),
    ("accent", "surface"),
    ("accent", "window"),
]


def luminance(color: QColor) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(v) for v in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def over(top: QColor, below: QColor) -> QColor:
    share = top.alphaF()
    return QColor.fromRgbF(
        *(
            a * share + b * (1 - share)
            for a, b in (
                (top.redF(), below.redF()),
                (top.greenF(), below.greenF()),
                (top.blueF(), below.blueF()),
            )
        )
    )


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def palette(request: pytest.FixtureRequest) -> Palette:
    return request.param


@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_has_a_contrast_of_at_least_four_and_a_half_to_one(
    palette: Palette, text: Token, ground: Token
) -> None:
    assert contrast(palette.color(text), palette.color(ground)) >= 4.5


@pytest.mark.parametrize(("edge", "ground"), FIELD_PAIRS)
def test_fields_have_a_contrast_of_at_least_three_to_one(
    palette: Palette, edge: Token, ground: Token
) -> None:
    assert contrast(palette.color(edge), palette.color(ground)) >= 3


@pytest.mark.parametrize("ground", ["surface", "sidebar", "accent_soft"])
def test_the_letter_of_every_tile_can_be_read(palette: Palette, ground: Token) -> None:
    for name in map(str, range(200)):
        letter, background = tile_colors(name, palette)
        assert contrast(letter, over(background, palette.color(ground))) >= 4.5


def test_a_name_keeps_its_tile_color_whatever_its_case() -> None:
    assert tile_colors("GitHub", LIGHT) == tile_colors("github", LIGHT)
    assert len({tile_colors(str(n), LIGHT)[0].name() for n in range(200)}) == len(LIGHT.tiles)


def test_every_token_is_a_color_of_the_palette(palette: Palette) -> None:
    assert set(get_args(Token)) == set(palette.colors)
