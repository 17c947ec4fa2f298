"""Which presses of a button count.

Toggling a checkable button by assistive technology counts as a click: Qt lets such technology only
toggle it, without a click, so handlers of `clicked` would not run.

The second press of a double click does not count on a button that decides something: the next
request may have taken the place of the first, unread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton

_Button = QAbstractButton if TYPE_CHECKING else object


class Pressable(_Button):
    """Comes before the class of a checkable button among the bases."""

    _expected = False
    """Whether our own code or a real click changes the state."""

    def emit_click_on_toggle(self) -> None:
        """Call this once, after construction."""
        self.toggled.connect(self._on_toggled)

    def setChecked(self, checked: bool, /) -> None:
        self._expected = True
        super().setChecked(checked)
        self._expected = False

    def nextCheckState(self, /) -> None:
        """Qt calls this for a real click, for which it emits `clicked` itself."""
        self._expected = True
        super().nextCheckState()
        self._expected = False

    def _on_toggled(self, checked: bool) -> None:
        group = cast(QButtonGroup | None, self.group())
        one_of_several = self.autoExclusive() or (group is not None and group.exclusive())
        # In an exclusive group only the chosen button counts.
        if not self._expected and (checked or not one_of_several):
            self.clicked[bool].emit(checked)  # pyright: ignore


class _SecondPress(QObject):
    """Keeps the second press of a double click from the button it is installed on."""

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        return event.type() == QEvent.Type.MouseButtonDblClick


def single_press(button: QPushButton) -> QPushButton:
    """`button`, pressed once by a double click, wherever the first press of that landed."""
    button.installEventFilter(_SecondPress(button))
    return button
