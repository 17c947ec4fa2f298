"""Timers, connected where they are made."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def timer(
    parent: QObject, interval_ms: int, call: Callable[[], object], *, repeat: bool = False
) -> QTimer:
    """Calls `call` once, or again and again, from its `start` on."""
    made = QTimer(parent, interval=interval_ms, singleShot=not repeat)
    made.timeout.connect(call)
    return made
