"""Tabs with an underline under the chosen one and, where there is one, a count beside the text.

How wide they want to be depends on the font, the language and the counts. Where there is less
room the tabs move closer together, and then the texts are elided; a count is always whole.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from gui.text.marks import Tone
from gui.widgets import fonts, paint

HEIGHT = 37
_GAP, _LEAST_GAP = 24, 8
_LEAST_TEXT = 60
_PILL_HEIGHT = 18


class TabStrip(QTabBar):
    def __init__(self, accessible_name: str, texts: tuple[str, ...]) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(HEIGHT)
        for text in texts:
            self.addTab(text)

    def set_count(self, tab: int, count: int | None) -> None:
        self.setTabData(tab, "" if count is None else str(count))
        name = self.tabText(tab)
        self.setAccessibleTabName(tab, name if count is None else f"{name}, {count}")
        self.updateGeometry()
        # Only a change of its text makes the bar measure a tab again.
        self.setTabText(tab, name)

    def tabSizeHint(self, index: int, /) -> QSize:
        return QSize(self._text_width(index) + self._pill_width(index) + _GAP, HEIGHT)

    def minimumTabSizeHint(self, index: int, /) -> QSize:
        text = min(self._text_width(index), _LEAST_TEXT)
        return QSize(text + self._pill_width(index) + _LEAST_GAP, HEIGHT)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        for tab in range(self.count()):
            self._paint_tab(painter, tab)

    def _paint_tab(self, painter: QPainter, tab: int) -> None:
        chosen = tab == self.currentIndex()
        rect, pill_width = self._content_rect(tab), self._pill_width(tab)
        font = fonts.semibold() if chosen else fonts.medium()
        color = "text1" if chosen else "text2"
        text = rect.adjusted(0, 0, -pill_width, 0)
        paint.draw_text(painter, text, self.tabText(tab), font, color)
        if count := str(self.tabData(tab) or ""):
            width = pill_width - 8
            pill = QRectF(rect.right() - width, rect.center().y() - 9, width, _PILL_HEIGHT)
            tone = Tone.ACCENT if chosen else Tone.NEUTRAL
            paint.draw_pill(painter, pill, count, tone, radius=_PILL_HEIGHT / 2)
        if chosen:
            underline = QRectF(rect.left(), rect.bottom() - 2, rect.width(), 3)
            paint.draw_box(painter, underline, 1.5, "accent")
            if self.hasFocus():
                paint.draw_focus_ring(painter, rect.adjusted(-4, 4, 4, -6), 6)

    def _content_rect(self, tab: int) -> QRectF:
        """The text and the count, without the gap to the next tab."""
        rect = QRectF(self.tabRect(tab))
        wanted = self._text_width(tab) + self._pill_width(tab)
        rect.setWidth(min(wanted, rect.width() - _LEAST_GAP))
        return rect

    def _text_width(self, tab: int) -> int:
        return QFontMetrics(fonts.semibold()).horizontalAdvance(self.tabText(tab)) + 2

    def _pill_width(self, tab: int) -> int:
        """With the distance from the text; nothing without a count."""
        count = str(self.tabData(tab) or "")
        metrics = QFontMetrics(fonts.semibold(fonts.LABEL))
        return 8 + metrics.horizontalAdvance(count) + 14 if count else 0
