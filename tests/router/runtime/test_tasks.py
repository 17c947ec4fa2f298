"""Tasks are stopped once, and their cleanup always completes."""

from __future__ import annotations

import asyncio

import pytest

from router.runtime.tasks import Stoppable, spawn, wait_shielded


class Block:
    """A block that waits until it is stopped, and then waits in its cleanup."""

    def __init__(self) -> None:
        self.stoppable = Stoppable()
        self.waiting = asyncio.Event()
        self.cleared = False
        self.went_on = False

    async def run(self) -> None:
        with self.stoppable:
            try:
                self.waiting.set()
                await asyncio.Event().wait()
            finally:
                for _ in range(10):
                    await asyncio.sleep(0)
                self.cleared = True
        self.went_on = True


async def test_a_block_is_stopped_once_and_may_await_in_its_cleanup() -> None:
    block = Block()
    task = spawn(block.run(), name="a block")
    await block.waiting.wait()
    block.stoppable.stop()
    block.stoppable.stop()
    await task
    assert block.cleared
    assert block.went_on
    assert block.stoppable.stopped


async def test_a_stopped_block_whose_task_is_cancelled_stays_cancelled() -> None:
    block = Block()
    task = spawn(block.run(), name="a block")
    await block.waiting.wait()
    block.stoppable.stop()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not block.went_on


async def test_stopping_a_finished_block_does_nothing() -> None:
    with Stoppable() as block:
        pass
    block.stop()
    await asyncio.sleep(0)
    assert not block.stopped


async def test_stopping_an_outer_block_does_not_stop_the_inner_one() -> None:
    outer, inner = Stoppable(), Stoppable()
    waiting = asyncio.Event()

    async def nested() -> None:
        with outer, inner:
            waiting.set()
            await asyncio.Event().wait()

    task = spawn(nested(), name="nested")
    await waiting.wait()
    outer.stop()
    await task
    assert outer.stopped
    assert not inner.stopped


async def test_a_cancelled_task_still_waits_for_required_cleanup() -> None:
    gate, ended, waiting = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def ending() -> None:
        await gate.wait()
        ended.set()

    async def waiter() -> None:
        waiting.set()
        await wait_shielded(spawn(ending(), name="an end"))

    task = spawn(waiter(), name="who waits")
    await waiting.wait()
    await asyncio.sleep(0)
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
