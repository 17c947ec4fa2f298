"""SIGINT and SIGTERM, as a call on the GUI thread."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_TICK_MS = 300


def on_interrupt(
    loop: asyncio.AbstractEventLoop, parent: QObject, call: Callable[[], object]
) -> None:
    """Call `call` when the process is asked to end."""
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, call)
        return
    signal.signal(signal.SIGINT, lambda *_: call())
    # Python handles signals only while it runs Python code: the timer lets it, inside Qt's loop.
    timer = QTimer(parent, interval=_TICK_MS)
    timer.timeout.connect(lambda: None)
    timer.start()
