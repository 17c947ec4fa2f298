"""A frame around the setting that a search has found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.widgets.paint import saved
from gui.widgets.theme import theme

_RADIUS = 8
_MARGIN = 8


class SearchHighlight(QWidget):
    """A frame around `setting` as long as it exists; clicks pass through."""

    def __init__(self, setting: QWidget) -> None:
        super().__init__(setting.parentWidget())
        self.setting = setting
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        setting.installEventFilter(self)
        setting.destroyed.connect(self.deleteLater)
        self._follow()
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._follow()
        return False

    def _follow(self) -> None:
        self.setGeometry(self.setting.geometry().adjusted(-_MARGIN, 0, _MARGIN, 0))

    def paintEvent(self, event: QPaintEvent, /) -> None:
        with saved(QPainter(self)) as painter:
            painter.setPen(QPen(theme().palette.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)
