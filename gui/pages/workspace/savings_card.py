"""Tokens saved by Context Optimization: per request, today, and hour by hour. No money figures."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from gui.text import formats
from gui.text.marks import Tone
from gui.widgets import fonts, paint
from gui.widgets.cards import Card, vline
from gui.widgets.labels import ElidedLabel, Pill, label
from gui.widgets.layouts import STRETCH, Part, hbox, vbox
from gui.widgets.share_bar import ShareBar
from gui.widgets.theme import theme
from gui.widgets.tooltip import set_tooltip
from router.domain.activity import Savings

HEIGHT = 104
_NUMBER = 24


class SavingsCard(Card):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT)
        set_tooltip(
            self,
            self.tr(
                "Estimated at about 4 characters per token.\nThe cost of search results is "
                "already deducted."
            ),
        )
        self._now = label(font=fonts.semibold(_NUMBER))
        self._before = _small("", fonts.ui_font())
        self._less = Pill(tone=Tone.SAVINGS)
        self._bar = ShareBar(least_width=8)
        self._bar.setMinimumWidth(340)
        self._today = label(font=fonts.semibold(_NUMBER))
        self._requests = _small("", fonts.ui_font(fonts.SMALL))
        self._hours = _Hours()
        hbox(
            (self._per_request(), 46),
            vline(),
            (_column(self.tr("Saved today"), self._today, self._requests), 19),
            vline(),
            (self._per_hour(), 35),
            spacing=22,
            margins=(20, 14, 20, 14),
            parent=self,
        )

    def _per_request(self) -> QVBoxLayout:
        # Box layouts have no baselines: the smaller text is raised to that of the number.
        self._before.setContentsMargins(0, 0, 0, 3)
        line = hbox(
            self._now,
            (self._before, 1, Qt.AlignmentFlag.AlignBottom),
            (self._less, 0, Qt.AlignmentFlag.AlignVCenter),
            spacing=10,
        )
        return _column(self.tr("Tool context per request"), line, 7, self._bar)

    def _per_hour(self) -> QVBoxLayout:
        top = hbox(
            _small(self.tr("Saved per hour"), fonts.medium(fonts.SMALL)),
            STRETCH,
            _small(self.tr("Last 24 h"), fonts.ui_font(fonts.SMALL)),
        )
        return vbox(top, (self._hours, 1), spacing=10)

    def show_savings(self, savings: Savings) -> None:
        exposed, full = savings.exposed_tokens, savings.full_tokens
        less = formats.percent_less(exposed, full)
        self._now.setText(formats.grouped(exposed))
        self._less.setVisible(less is not None)
        if less is None:
            self._before.setText(self.tr("tokens"))
        else:
            self._less.setText(less)
            before = formats.grouped(full)
            self._before.setText(self.tr("tokens instead of {count}").format(count=before))
        share = exposed / full if full else 0.0
        self._bar.set_share(share)
        self._bar.setAccessibleName(
            self.tr("%n percent of the full context", "", round(share * 100))
        )
        self._today.setText(formats.short(savings.saved_today))
        self._requests.setText(self.tr("tokens · %n requests", "", savings.requests_today))
        self._hours.set_values(savings.hourly)


def _column(heading: str, *parts: Part) -> QVBoxLayout:
    return vbox(_small(heading, fonts.medium(fonts.SMALL)), 3, *parts, STRETCH, spacing=0)


def _small(text: str, font: QFont) -> ElidedLabel:
    """In a narrow window the words are hidden, the numbers stay."""
    return ElidedLabel(text, font=font, tint="text2")


class _Hours(QWidget):
    """24 bars; the current hour is last and darker."""

    def __init__(self) -> None:
        super().__init__()
        self._values: tuple[int, ...] = ()
        self.setAccessibleName(self.tr("Tokens saved in each of the last 24 hours"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def set_values(self, values: tuple[int, ...]) -> None:
        if values != self._values:
            self._values = values
            self.update()

    def paintEvent(self, event: QPaintEvent, /) -> None:
        if not self._values:
            return
        count = len(self._values)
        step = (self.width() + 3) / count
        top = max(max(self._values), 1)
        base = self.height() - 1.0
        painter = QPainter(self)
        painter.fillRect(QRectF(0, base, self.width(), 1), theme().palette.color("border"))
        for number, value in enumerate(self._values):
            height = max(2.0, (base - 1) * max(value, 0) / top)
            bar = QRectF(number * step, base - height, step - 3, height)
            color = "savings" if number == count - 1 else "savings_dim"
            paint.draw_box(painter, bar, min(2.0, height / 2), color)
