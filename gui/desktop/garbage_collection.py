"""Python's garbage, collected on the window's thread, at moments of our choosing.

Python itself would collect on whichever thread makes the next object: in the middle of a keystroke
it would look through all that is known of thousands of tools, and on the router's thread it could
destroy a widget. What comes with the start is never looked through: libraries and lists stay, and
would take a tenth of a second. Then what is new is, every two seconds, which takes a millisecond;
and everything else when nobody works in the window.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

EVERY_MS = 2000
_WORTHWHILE = 500
"""So many new objects are looked through; fewer can wait, and an idle application rests."""
_FULL_AFTER = 100
"""Looks at what is new before one at everything; if somebody works in the window, ten times."""
_LONG_S = 0.01


class GarbageCollector(QObject):
    """From its making until `close` nothing is collected but by it, from `start` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._started = False
        self._looks = 0
        self._timer = QTimer(self, interval=EVERY_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Everything is loaded, or will be in a moment."""
        self._timer.start()

    def collect(self) -> None:
        if not self._started:
            self._started = True
            gc.freeze()
        elif self._looks >= _FULL_AFTER * (10 if _is_worked_in() else 1):
            self._collect_everything()
        elif gc.get_count()[0] >= _WORTHWHILE:
            gc.collect(1)
            self._looks += 1

    def close(self) -> None:
        self._timer.stop()
        gc.enable()

    def _collect_everything(self) -> None:
        """What took long to look through are lists of tools, which stay: not again."""
        self._looks = 0
        started = time.perf_counter()
        gc.collect()
        if time.perf_counter() - started > _LONG_S:
            gc.freeze()


def _is_worked_in() -> bool:
    return QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
