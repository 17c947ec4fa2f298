"""Two discoveries run at once; one that a request waits for is the next."""

from __future__ import annotations

import asyncio

import pytest

from router.runtime.tasks import spawn, stop
from router.service.discovery_slots import DiscoverySlots
from tests.support.timeouts import WAIT_S


class Runs:
    """Discoveries that end when a test lets them."""

    def __init__(self, slots: DiscoverySlots, *names: str) -> None:
        self.slots = slots
        self.begun: list[str] = []
        self._changed = asyncio.Condition()
        self._may_end = {name: asyncio.Event() for name in names}
        self.tasks = {name: spawn(self._run(name), name=name) for name in names}

    async def _run(self, name: str) -> None:
        async with self.slots.taken(name):
            async with self._changed:
                self.begun.append(name)
                self._changed.notify_all()
            await self._may_end[name].wait()

    async def until(self, *names: str) -> None:
        async with asyncio.timeout(WAIT_S), self._changed:
            await self._changed.wait_for(lambda: self.begun == list(names))

    def end(self, name: str) -> None:
        self._may_end[name].set()

    async def close(self) -> None:
        for task in self.tasks.values():
            await stop(task)


@pytest.mark.proves("DISC-4")
async def test_they_run_in_order_and_the_preferred_one_first() -> None:
    slots = DiscoverySlots(2)
    runs = Runs(slots, "a", "b", "c", "d", "e")
    await runs.until("a", "b")
    slots.prefer("e")
    slots.prefer("a")  # runs already
    runs.end("a")
    await runs.until("a", "b", "e")
    runs.end("b")
    await runs.until("a", "b", "e", "c")
    await runs.close()


async def test_a_cancelled_one_gives_its_turn_to_the_next() -> None:
    runs = Runs(DiscoverySlots(1), "a", "b", "c")
    await runs.until("a")
    await stop(runs.tasks["b"])
    runs.end("a")
    await runs.until("a", "c")
    await runs.close()


async def test_one_cancelled_when_its_turn_has_just_come_loses_no_slot() -> None:
    slots = DiscoverySlots(1)
    async with slots.taken("a"):
        runs = Runs(slots, "b", "c")
        await asyncio.sleep(0)  # both wait
    runs.tasks["b"].cancel()  # its turn has come, but it did not run yet
    await runs.until("c")
    await runs.close()
