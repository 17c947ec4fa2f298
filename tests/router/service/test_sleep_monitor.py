"""A system sleep is noticed once, however long it was; a busy loop or a clock change is not one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from router.service.sleep_monitor import TICK_S, SleepMonitor
from tests.support.timeouts import WAIT_S


class FakeSleep:
    """The time that passes while the monitor waits for a tick."""

    def __init__(self, passes: Sequence[float]) -> None:
        self._passes = list(passes)
        self.now = 0.0
        self.woken = 0
        self.over = asyncio.Event()

    async def sleep(self, _: float) -> None:
        if not self._passes:
            self.over.set()
            await asyncio.get_running_loop().create_future()
        self.now += self._passes.pop(0)

    async def wake(self) -> None:
        self.woken += 1


@pytest.mark.parametrize(
    ("passes", "woken"),
    [
        ([TICK_S] * 3, 0),
        ([TICK_S, TICK_S + 4, TICK_S], 0),
        ([TICK_S, TICK_S + 6, TICK_S], 1),
        ([TICK_S, 8 * 3600, TICK_S, TICK_S], 1),
        ([60, TICK_S, 60], 2),
    ],
)
async def test_each_system_sleep_is_noticed_once(passes: list[float], woken: int) -> None:
    fake_sleep = FakeSleep(passes)
    monitor = SleepMonitor(fake_sleep.wake, clock=lambda: fake_sleep.now, sleep=fake_sleep.sleep)
    monitor.start()
    await asyncio.wait_for(fake_sleep.over.wait(), WAIT_S)
    await monitor.close()
    assert fake_sleep.woken == woken
