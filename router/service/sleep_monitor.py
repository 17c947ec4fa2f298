"""Noticing that the computer slept, or that this process was stopped for a while.

Timers are of no use for that: most clocks stand still meanwhile. One that does not is compared
with how long we meant to wait. Nobody has to tell us, so it holds on every system, with or without
a desktop.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

TICK_S = 2.0
LONGEST_HOLDUP_S = 5.0
"""A busy machine may keep us waiting; longer than this it was asleep."""


def through_sleep_s() -> float:
    """Seconds on a clock that goes on while the computer sleeps, and that nobody can set."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class Waking:
    def __init__(
        self,
        woken: Callable[[], Awaitable[None]],
        *,
        clock: Callable[[], float] = through_sleep_s,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`woken` is called once after each pause, however long it was."""
        self._woken = woken
        self._clock = clock
        self._sleep = sleep
        self._ticking: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._ticking = spawn(self._tick(), name="notice sleep")

    async def close(self) -> None:
        await stop(self._ticking)

    async def _tick(self) -> None:
        while True:
            before = self._clock()
            await self._sleep(TICK_S)
            pause_s = self._clock() - before - TICK_S
            if pause_s > LONGEST_HOLDUP_S:
                log.info("Awake again after %.0f s", pause_s)
                await self._woken()
