"""Detects that the computer slept, or that this process was stopped for a while.

Most clocks stand still during sleep, so timers are of no use. A clock that goes on is compared with
the time we meant to wait. That needs no notification by the system, so it works everywhere, with or
without a desktop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

TICK_S = 2.0
LONGEST_DELAY_S = 5.0
"""A busy machine may delay a tick; after a longer delay it was asleep."""


def boot_time_s() -> float:
    """Seconds on a clock that goes on while the computer sleeps, and that nobody can set."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


@dataclass(slots=True)
class SleepMonitor:
    on_wake: Callable[[], Awaitable[None]]
    """Called once after each sleep, however long it was."""
    clock: Callable[[], float] = boot_time_s
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _ticks: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._ticks = spawn(self._tick(), name="sleep monitor")

    async def close(self) -> None:
        await stop(self._ticks)

    async def _tick(self) -> None:
        while True:
            before = self.clock()
            await self.sleep(TICK_S)
            pause_s = self.clock() - before - TICK_S
            if pause_s > LONGEST_DELAY_S:
                log.info("Awake again after %.0f s", pause_s)
                await self.on_wake()
