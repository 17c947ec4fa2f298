"""Icons drawn from SVG in the colours of the theme.

Drawn as vectors when painted, in the theme's colour of that moment: crisp at every scale, and a
change of theme needs no new icons. Only the tray and the window's own icon are pixmaps, because
they leave the process.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gui.widgets.palette import LIGHT, Token
from gui.widgets.theme import theme
from resources import read_text

_TILE_COLOR = LIGHT.hex("accent")
_SIZES = (16, 20, 22, 24, 32, 44, 48, 64)


class TrayState(StrEnum):
    READY = "ready"
    WORKING = "working"
    ATTENTION = "attention"
    STOPPED = "stopped"


def icon(name: str, color: Token = "text2") -> QIcon:
    """The icon `name` of `resources/icons`, always in the present theme's colour."""
    return QIcon(_ThemedEngine(name, color))


def menu_icon(name: str, color: Token = "text2") -> QIcon:
    """As `icon`, and in the highlight's colour while its menu item is highlighted."""
    return QIcon(_ThemedEngine(name, color, highlighted="on_accent"))


def pixmap(name: str, size: int, color: QColor, dpr: float) -> QPixmap:
    """The icon `name` as a square of `size` logical pixels."""
    return _rendered(_icon_renderer(name, color.name()), size, dpr)


def draw(painter: QPainter, name: str, rect: QRectF, color: Token) -> None:
    """Paint the icon `name` into `rect`."""
    _icon_renderer(name, theme().palette.color(color).name()).render(painter, rect)


def draw_logo(painter: QPainter, rect: QRectF) -> None:
    """Paint the logo in the theme's accent."""
    palette = theme().palette
    _logo_renderer(palette.hex("accent"), palette.hex("on_accent")).render(painter, rect)


def app_icon() -> QIcon:
    return _pixmap_icon(_logo_renderer(_TILE_COLOR, LIGHT.hex("on_accent")), (*_SIZES, 128, 256))


def tray_icon(state: TrayState) -> QIcon:
    """What the tray shows. macOS colours it itself, so there it is the bare mark."""
    svg = read_text("tray", f"{state}.svg")
    if sys.platform != "darwin":
        return _pixmap_icon(_renderer(svg.replace("currentColor", LIGHT.hex("on_accent"))), _SIZES)
    bare = svg.replace('class="tile"', 'display="none"').replace("currentColor", "#000000")
    template = _pixmap_icon(_renderer(bare), _SIZES)
    template.setIsMask(True)
    return template


class _ThemedEngine(QIconEngine):
    """Looks up its colour each time it paints; a wide rectangle leaves space at the right."""

    def __init__(self, name: str, token: Token, highlighted: Token | None = None) -> None:
        super().__init__()
        self._name = name
        self._token: Token = token
        self._highlighted: Token = highlighted or token

    def paint(
        self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State, /
    ) -> None:
        side = min(rect.width(), rect.height())
        square = QRectF(rect.x(), rect.y() + (rect.height() - side) / 2, side, side)
        draw(painter, self._name, square, self._color(mode))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, /) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return pixmap

    def clone(self, /) -> QIconEngine:
        return _ThemedEngine(self._name, self._token, self._highlighted)

    def _color(self, mode: QIcon.Mode) -> Token:
        match mode:
            case QIcon.Mode.Disabled:
                return "off"
            case QIcon.Mode.Active | QIcon.Mode.Selected:
                return self._highlighted
            case _:
                return self._token


@lru_cache(maxsize=256)
def _icon_renderer(name: str, color: str) -> QSvgRenderer:
    return _renderer(read_text("icons", f"{name}.svg").replace("currentColor", color))


@lru_cache(maxsize=4)
def _logo_renderer(tile: str, mark: str) -> QSvgRenderer:
    svg = read_text("logo.svg")
    return _renderer(svg.replace(_TILE_COLOR, tile).replace("currentColor", mark))


def _renderer(svg: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(svg.encode()))


def _rendered(renderer: QSvgRenderer, size: int, dpr: float) -> QPixmap:
    side = round(size * dpr)
    pixmap = QPixmap(side, side)
    pixmap.setDevicePixelRatio(dpr)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side / dpr, side / dpr))
    painter.end()
    return pixmap


def _pixmap_icon(renderer: QSvgRenderer, sizes: tuple[int, ...]) -> QIcon:
    picture = QIcon()
    for size in sizes:
        picture.addPixmap(_rendered(renderer, size, 1.0))
    return picture
