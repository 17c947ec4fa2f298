"""Garbage collection on the window's thread, at chosen moments.

By default Python collects on whichever thread allocates next: it would scan the data of thousands
of tools during a keystroke, and could destroy a widget on the router's thread. Objects from the
start are frozen and never scanned, which would take 100 ms. Young objects are collected every two
seconds, in about a millisecond; everything else while the window is idle.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

EVERY_MS = 2000
_MIN_NEW_OBJECTS = 500
"""Fewer new objects than this are not worth a collection."""
_FULL_AFTER = 100
"""Young collections before a full one; ten times as many while the window is active."""
_SLOW_S = 0.01


class GarbageCollector(QObject):
    """Disables automatic collection until `close`; collects from `start` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._started = False
        self._young_collections = 0
        self._timer = QTimer(self, interval=EVERY_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Start-up is over, or nearly."""
        self._timer.start()

    def collect(self) -> None:
        if not self._started:
            self._started = True
            gc.freeze()
        elif self._young_collections >= _FULL_AFTER * (10 if _is_window_active() else 1):
            self._collect_everything()
        elif gc.get_count()[0] >= _MIN_NEW_OBJECTS:
            gc.collect(1)
            self._young_collections += 1

    def close(self) -> None:
        self._timer.stop()
        gc.enable()

    def _collect_everything(self) -> None:
        """A slow collection means long-lived tool lists: freeze them."""
        self._young_collections = 0
        started = time.perf_counter()
        gc.collect()
        if time.perf_counter() - started > _SLOW_S:
            gc.freeze()


def _is_window_active() -> bool:
    return QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
