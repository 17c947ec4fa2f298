"""“1 Import servers — 2 Connect apps — 3 Check”: the current step, by number, tick and weight."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.widgets import fonts, icons, paint
from gui.widgets.theme import theme

_DISC = 20
_GAP = 10
_DASH = 22


class Steps(QWidget):
    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._current = 0
        self._done: frozenset[int] = frozenset()
        self.setFixedHeight(28)
        self.set_current(0)

    def set_current(self, position: int, done: Collection[int] = ()) -> None:
        """Show the current step; those in `done` get a tick, skipped ones don't."""
        self._current, self._done = position, frozenset(done)
        name = self._names[position]
        self.setAccessibleName(
            self.tr("Step {number} of {count}: {name}").format(
                number=position + 1, count=len(self._names), name=name
            )
        )
        self.update()

    def done(self) -> frozenset[int]:
        return self._done

    def sizeHint(self, /) -> QSize:
        font = QFontMetrics(fonts.semibold())
        texts = sum(font.horizontalAdvance(name) + 2 for name in self._names)
        return QSize(texts + len(self._names) * (_DISC + _GAP) + self._dashes(), 28)

    def _dashes(self) -> int:
        return (len(self._names) - 1) * (_DASH + 2 * _GAP)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter, palette = QPainter(self), theme().palette
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, middle = 0.0, self.height() / 2
        for position, name in enumerate(self._names):
            if position:
                dash = QRectF(left + _GAP, middle, _DASH, 1)
                painter.fillRect(dash, palette.color("strong"))
                left += _DASH + 2 * _GAP
            self._paint_disc(painter, position, QRectF(left, middle - 10, _DISC, _DISC))
            left += _DISC + _GAP
            here = position == self._current
            font = fonts.semibold() if here else fonts.medium()
            width = QFontMetrics(fonts.semibold()).horizontalAdvance(name) + 2
            color = "text1" if here else "text2"
            paint.draw_text(painter, QRectF(left, 0, width, self.height()), name, font, color)
            left += width

    def _paint_disc(self, painter: QPainter, position: int, disc: QRectF) -> None:
        palette, here = theme().palette, position == self._current
        done = position in self._done and not here
        with paint.saved(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            fill = "accent" if here else "ok_soft" if done else "track"
            painter.setBrush(palette.color(fill))
            painter.drawEllipse(disc)
        if done:
            icons.draw(painter, "check", disc.adjusted(3, 3, -3, -3), "ok")
            return
        color = "on_accent" if here else "text2"
        middle = Qt.AlignmentFlag.AlignHCenter
        number = str(position + 1)
        paint.draw_text(painter, disc, number, fonts.semibold(12), color, middle)
