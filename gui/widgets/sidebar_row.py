"""A row of a sidebar: an icon or the letter tile of its own name, and perhaps a count."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton

from gui.widgets import fonts, icons, paint
from gui.widgets.buttons import IconButton, OnClick
from gui.widgets.presses import Pressable

_ROW_HEIGHT = 34


class SidebarRow(Pressable, QPushButton):
    def __init__(self, text: str, icon_name: str = "", *, on_click: OnClick = None) -> None:
        super().__init__(text)
        if on_click is not None:
            self.clicked.connect(on_click)
        self._icon_name = icon_name
        self._count = ""
        self._urgent = False
        self._action: IconButton | None = None
        self.setFixedHeight(_ROW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(text)
        self.emit_click_on_toggle()

    def show_count(self, count: int | None, *, urgent: bool = False) -> None:
        self._count = "" if count is None else str(count)
        self._urgent = urgent and count is not None
        self.setAccessibleName(f"{self.text()}, {self._count}" if self._count else self.text())
        self.update()

    def add_action(self, icon_name: str, tooltip: str, on_click: OnClick) -> IconButton:
        """A small button before the count, shown while the row is chosen."""
        self._action = IconButton(
            icon_name, tooltip, size=24, icon_size=14, parent=self, on_click=on_click
        )
        self.toggled.connect(self._action.setVisible)
        self._action.setVisible(self.isChecked())
        return self._action

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        if self._action is not None:
            self._action.move(self.width() - self._end() - 24, (self.height() - 24) // 2)

    def _end(self) -> int:
        """How much the count takes at the right, with the distances around it."""
        return 18 + QFontMetrics(fonts.medium()).horizontalAdvance(self._count)

    def sizeHint(self, /) -> QSize:
        return QSize(120, _ROW_HEIGHT)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        middle = self.height() / 2
        self._paint_background(painter)
        if self._icon_name:
            icons.draw(painter, self._icon_name, QRectF(10, middle - 8, 16, 16), "text2")
            left = 36
        else:
            paint.draw_tile(painter, QRectF(10, middle - 10, 20, 20), self.text())
            left = 40
        color = "text1" if self.isChecked() else "text2"
        count_width = QFontMetrics(fonts.medium()).horizontalAdvance(self._count)
        room = 26 if self._action is not None and self._action.isVisible() else 0
        text = QRectF(left, 0, self.width() - left - self._end() - room, self.height())
        font = fonts.semibold() if self.isChecked() else fonts.medium()
        paint.draw_text(painter, text, self.text(), font, color)
        count = QRectF(self.width() - 10 - count_width, 0, count_width + 1, self.height())
        if self._urgent:
            paint.draw_box(painter, count.adjusted(-7, 8, 6, -8), 9, "warn_soft")
        tint = "warn" if self._urgent else "text2"
        paint.draw_text(painter, count, self._count, fonts.medium(), tint)

    def _paint_background(self, painter: QPainter) -> None:
        rect = QRectF(self.rect())
        if self.isChecked():
            paint.draw_box(painter, rect, 7, "surface", "border")
        elif self.underMouse():
            paint.draw_box(painter, rect.adjusted(0.5, 0.5, -0.5, -0.5), 7, "track")
        if self.hasFocus():
            paint.draw_focus_ring(painter, rect, 7)
