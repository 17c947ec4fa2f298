"""A frame around the setting that a search has found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.look.painting import saved
from gui.look.theme import theme

_RADIUS = 8


class FoundMark(QWidget):
    """Lies over `setting` as long as that is there, and lets every click through."""

    def __init__(self, setting: QWidget) -> None:
        super().__init__(setting)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setGeometry(setting.rect())
        setting.installEventFilter(self)
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent, /) -> None:
        with saved(QPainter(self)) as painter:
            painter.setPen(QPen(theme().palette.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
