"""The small shapes that widgets and delegates both paint: tiles, marks, toggles, pills.

Each takes the painter, a rectangle and plain values. A text leaves its font and pen set.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import assert_never

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from gui.text.marks import Mark, Tone
from gui.widgets import fonts, icons
from gui.widgets.palette import Palette, Token
from gui.widgets.theme import theme

TOGGLE_WIDTH, TOGGLE_HEIGHT = 34, 20
FOCUS_WIDTH = 2.0

_MARK_TOKENS: dict[Mark, Token] = {
    Mark.READY: "ok",
    Mark.WORKING: "accent",
    Mark.ATTENTION: "warn",
    Mark.FAILED: "err",
    Mark.OFF: "off",
}
_TONE_TOKENS: dict[Tone, tuple[Token, Token]] = {
    Tone.OK: ("ok", "ok_soft"),
    Tone.WARN: ("warn", "warn_soft"),
    Tone.ERR: ("err", "err_soft"),
    Tone.ACCENT: ("accent", "accent_soft"),
    Tone.NEUTRAL: ("text2", "neutral_soft"),
    Tone.SAVINGS: ("savings", "savings_soft"),
    Tone.SOLID: ("on_accent", "accent"),
}


@contextmanager
def saved(painter: QPainter) -> Generator[QPainter]:
    """`painter` with smooth edges, put back afterwards."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield painter
    finally:
        painter.restore()


def draw_box(
    painter: QPainter,
    rect: QRectF,
    radius: float,
    fill: Token | QColor,
    border: Token | None = None,
    width: float = 1,
) -> None:
    """A rectangle with round corners; its border is inside `rect`."""
    inset = width / 2 if border else 0
    with saved(painter):
        painter.setBrush(_color(fill))
        painter.setPen(QPen(_color(border), width) if border else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)


def tone_color(tone: Tone) -> Token:
    """The colour of text in `tone` outside of a pill."""
    return _TONE_TOKENS[tone][0]


def tile_colors(name: str, palette: Palette) -> tuple[QColor, QColor]:
    """Letter and background of the tile for `name`: the same name always gets the same hue."""
    hue = QColor(palette.tiles[zlib.crc32(name.casefold().encode()) % len(palette.tiles)])
    background = QColor(hue)
    background.setAlphaF(palette.tile_strength)
    return hue, background


def draw_tile(painter: QPainter, rect: QRectF, name: str) -> None:
    """A rounded square with the first letter of `name`."""
    letter_color, background = tile_colors(name, theme().palette)
    letter = next((c for c in name if c.isalnum()), "?").upper()
    side = rect.height()
    draw_box(painter, rect, max(4.0, side * 0.22), background)
    font = fonts.semibold(max(8, round(side * 0.43)))
    draw_text(painter, rect, letter, font, letter_color, Qt.AlignmentFlag.AlignCenter)


def draw_mark(painter: QPainter, rect: QRectF, mark: Mark, angle: int = 0) -> None:
    """The status mark: its shape alone shows the state. `angle` turns the working arc."""
    token = _MARK_TOKENS[mark]
    color = _color(token)
    with saved(painter):
        match mark:
            case Mark.READY:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawEllipse(rect.center(), 4.5, 4.5)
            case Mark.OFF:
                painter.setPen(QPen(color, 1.6))
                painter.drawEllipse(rect.center(), 4.2, 4.2)
            case Mark.WORKING:
                _draw_arc(painter, rect.center(), angle)
            case Mark.ATTENTION | Mark.FAILED:
                name = "triangle-alert" if mark is Mark.ATTENTION else "circle-x"
                icons.draw(painter, name, centered(rect, 15), token)
            case _:
                assert_never(mark)


def draw_toggle(
    painter: QPainter, rect: QRectF, checked: bool, enabled: bool = True, focused: bool = False
) -> None:
    """A switch filling `rect`."""
    with saved(painter):
        painter.setOpacity(1.0 if enabled else 0.45)
        painter.setPen(Qt.PenStyle.NoPen)
        track = rect.adjusted(1, 1, -1, -1)
        draw_box(painter, track, track.height() / 2, "accent" if checked else "off")
        side = track.height() - 5
        x = track.right() - side - 2.5 if checked else track.left() + 2.5
        painter.setBrush(theme().palette.color("on_accent" if checked else "surface"))
        painter.drawEllipse(QRectF(x, track.top() + 2.5, side, side))
    if focused:
        # On the accent's own colour the ring would not be seen.
        draw_focus_ring(painter, rect, rect.height() / 2, "text1")


def draw_checkbox(painter: QPainter, rect: QRectF, checked: bool, enabled: bool = True) -> None:
    with saved(painter):
        painter.setOpacity(1.0 if enabled else 0.45)
        if checked:
            draw_box(painter, rect, 4, "accent")
            _draw_tick(painter, rect)
        else:
            draw_box(painter, rect, 4, "surface", "field", 1.5)


def draw_pill(painter: QPainter, rect: QRectF, text: str, tone: Tone, radius: float = 5.0) -> None:
    color, background = _TONE_TOKENS[tone]
    draw_box(painter, rect, radius, background)
    font = fonts.semibold(fonts.LABEL)
    draw_text(painter, rect, text, font, color, Qt.AlignmentFlag.AlignCenter)


def draw_button(painter: QPainter, rect: QRectF, text: str, hovered: bool) -> None:
    """A small secondary button inside a row."""
    fill, border = ("hover", "field") if hovered else ("surface", "strong")
    draw_box(painter, rect, 6, fill, border)
    font = fonts.semibold(fonts.SMALL)
    draw_text(painter, rect, text, font, "text1", Qt.AlignmentFlag.AlignCenter)


def draw_row_background(painter: QPainter, rect: QRectF, selected: bool, hovered: bool) -> None:
    """The fill behind a row of a list; nothing when it is neither selected nor hovered."""
    if selected or hovered:
        draw_box(painter, rect, 8, "accent_soft" if selected else "hover")


def draw_focus_ring(
    painter: QPainter, rect: QRectF, radius: float, color: Token = "accent"
) -> None:
    """The 2-pixel ring, just inside `rect`."""
    draw_box(painter, rect, radius, QColor(Qt.GlobalColor.transparent), color, FOCUS_WIDTH)


def draw_text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    font: QFont,
    color: Token | QColor,
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """One line of `text`, centred vertically, elided where it does not fit."""
    painter.setFont(font)
    painter.setPen(_color(color))
    shown = painter.fontMetrics().elidedText(text, elide, int(rect.width()))
    painter.drawText(rect, alignment | Qt.AlignmentFlag.AlignVCenter, shown)


def halves(rect: QRectF) -> tuple[QRectF, QRectF]:
    """The upper and the lower line of a row of two."""
    half = rect.height() / 2
    return rect.adjusted(0, 0, 0, -half), rect.adjusted(0, half, 0, 0)


def _color(color: Token | QColor) -> QColor:
    return color if isinstance(color, QColor) else theme().palette.color(color)


def _draw_tick(painter: QPainter, rect: QRectF) -> None:
    pen = QPen(_color("on_accent"), rect.width() / 8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    corners = ((0.28, 0.53), (0.43, 0.68), (0.73, 0.35))
    x, y, side = rect.x(), rect.y(), rect.width()
    painter.drawPolyline([QPointF(x + side * a, y + side * b) for a, b in corners])


def _draw_arc(painter: QPainter, center: QPointF, angle: int) -> None:
    box = QRectF(center.x() - 5.2, center.y() - 5.2, 10.4, 10.4)
    painter.setPen(QPen(_color("track"), 2))
    painter.drawEllipse(box)
    pen = QPen(_color("accent"), 2)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawArc(box, (90 - angle) * 16, -130 * 16)


def centered(rect: QRectF, side: float) -> QRectF:
    """The square of `side` in the middle of `rect`."""
    center = rect.center()
    return QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
