"""Tasks that are stopped: once, and whatever they do at their end is done."""

from __future__ import annotations

import asyncio

import pytest

from router.runtime.tasks import Stoppable, spawn, wait_shielded


class Block:
    """A block that waits until it is stopped, and then for something else."""

    def __init__(self) -> None:
        self.stoppable = Stoppable()
        self.waits = asyncio.Event()
        self.cleared = False
        self.went_on = False

    async def run(self) -> None:
        with self.stoppable:
            try:
                self.waits.set()
                await asyncio.Event().wait()
            finally:
                for _ in range(10):
                    await asyncio.sleep(0)
                self.cleared = True
        self.went_on = True


async def test_a_block_is_stopped_once_and_may_wait_while_it_clears_up() -> None:
    block = Block()
    task = spawn(block.run(), name="a block")
    await block.waits.wait()
    block.stoppable.stop()
    block.stoppable.stop()
    await task
    assert block.cleared
    assert block.went_on
    assert block.stoppable.stopped


async def test_a_task_that_is_cancelled_as_well_does_not_go_on() -> None:
    block = Block()
    task = spawn(block.run(), name="a block")
    await block.waits.wait()
    block.stoppable.stop()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not block.went_on


async def test_stopping_a_block_that_was_left_disturbs_nobody() -> None:
    with Stoppable() as block:
        pass
    block.stop()
    await asyncio.sleep(0)
    assert not block.stopped


async def test_an_inner_block_is_left_alone_when_the_outer_one_is_stopped() -> None:
    outer, inner = Stoppable(), Stoppable()
    waits = asyncio.Event()

    async def nested() -> None:
        with outer, inner:
            waits.set()
            await asyncio.Event().wait()

    task = spawn(nested(), name="nested")
    await waits.wait()
    outer.stop()
    await task
    assert outer.stopped
    assert not inner.stopped


async def test_who_is_cancelled_still_waits_for_what_must_end() -> None:
    gate, ended, waits = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def ending() -> None:
        await gate.wait()
        ended.set()

    async def waiter() -> None:
        waits.set()
        await wait_shielded(spawn(ending(), name="an end"))

    task = spawn(waiter(), name="who waits")
    await waits.wait()
    await asyncio.sleep(0)
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
