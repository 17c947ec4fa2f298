"""Which presses of a button count.

What assistive technology does to a checkable button counts as a click: Qt offers such technology
only to turn the mark around, without a click, so what hangs on the click would not happen.

The second press of a double click does not count where a decision is made: what is decided makes
room for the next question, and nobody has read that one yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton

_Button = QAbstractButton if TYPE_CHECKING else object


class Pressable(_Button):
    """Comes before the class of a checkable button among the bases."""

    _by_us = False

    def listen_to_assistants(self) -> None:
        """To be called once it is made."""
        self.toggled.connect(self._turned)

    def setChecked(self, checked: bool, /) -> None:
        self._by_us = True
        super().setChecked(checked)
        self._by_us = False

    def nextCheckState(self, /) -> None:
        """Qt calls this for a real click, which is told of without us."""
        self._by_us = True
        super().nextCheckState()
        self._by_us = False

    def _turned(self, checked: bool) -> None:
        group = cast(QButtonGroup | None, self.group())
        one_of_several = self.autoExclusive() or (group is not None and group.exclusive())
        # Of several, only one is chosen by somebody; the others give way.
        if not self._by_us and (checked or not one_of_several):
            self.clicked[bool].emit(checked)  # pyright: ignore


class _SecondPress(QObject):
    """Keeps the second press of a double click from the button it is installed on."""

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        return event.type() == QEvent.Type.MouseButtonDblClick


def single_press(button: QPushButton) -> QPushButton:
    """`button`, pressed once by a double click, wherever the first press of that landed."""
    button.installEventFilter(_SecondPress(button))
    return button
