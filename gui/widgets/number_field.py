"""Numbers to type or to step through."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QSpinBox

from gui.widgets import fonts
from gui.widgets.buttons import IconButton
from gui.widgets.layouts import hbox
from gui.widgets.paint import draw_box

# The field inside a spin box is a line edit too and must not be framed a second time. The buttons
# are narrowed because `NoButtons` leaves the field no space under a style sheet.
_PLAIN_NUMBER = """
    QLineEdit { border: none; padding: 0; min-height: 0; background: transparent }
    QSpinBox::up-button, QSpinBox::down-button { width: 0 }
    QSpinBox::up-arrow, QSpinBox::down-arrow { image: none; width: 0 }
"""


class NumberField(QSpinBox):
    """A number to type; it takes effect when Enter is pressed or the field loses focus."""

    def __init__(self, accessible_name: str, lowest: int, highest: int) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setRange(lowest, highest)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setKeyboardTracking(False)
        self.setStyleSheet(_PLAIN_NUMBER)

    def show_value(self, value: int) -> None:
        """Set it without emitting `valueChanged`; an equal value keeps what is being typed."""
        if value != self.value():
            blocked = self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(blocked)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        """The wheel scrolls the page: it must not change a setting on the way."""
        event.ignore()


class Stepper(QFrame):
    """A number between a minus and a plus button. Emits `changed` only for the user's changes."""

    changed = Signal(int)

    def __init__(self, accessible_name: str, lowest: int, highest: int, *, step: int = 1) -> None:
        super().__init__()
        self.setFixedHeight(32)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._number = NumberField(accessible_name, lowest, highest)
        self._number.setSingleStep(step)
        self._number.setFont(fonts.semibold())
        self._number.setFixedWidth(34 + 8 * max(0, len(str(highest)) - 3))
        self._number.setStyleSheet(f"{_PLAIN_NUMBER} QSpinBox {{ border: none; padding: 0 }}")
        self._number.valueChanged.connect(self.changed)
        down, up = self._number.stepDown, self._number.stepUp
        less = IconButton("minus", self.tr("Decrease"), size=28, icon_size=14, on_click=down)
        more = IconButton("plus", self.tr("Increase"), size=28, icon_size=14, on_click=up)
        hbox(less, self._number, more, spacing=0, margins=(2, 1, 2, 1), parent=self)

    def value(self) -> int:
        return self._number.value()

    def set_value(self, value: int) -> None:
        self._number.show_value(value)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        draw_box(QPainter(self), QRectF(self.rect()), 6, "surface", "strong")
