"""Calls at once: as many as a server takes, the others in line, and a line that has an end."""

from __future__ import annotations

import asyncio

import pytest

from router.domain.failures import FailureKind
from router.runtime.tasks import spawn
from router.upstream.request_limiter import Turnstile
from tests.router.upstream.talking import failure_of


async def waiting(turnstile: Turnstile, timeout_s: float | None = None) -> asyncio.Task[None]:
    """Someone in line."""
    task = spawn(turnstile.enter(timeout_s), name="in line")
    await asyncio.sleep(0)
    return task


async def test_those_beyond_the_limit_wait_their_turn_in_order() -> None:
    turnstile = Turnstile(lambda: 1)
    await turnstile.enter(None)
    first, second = await waiting(turnstile), await waiting(turnstile)
    turnstile.leave()
    await first
    assert not second.done()
    turnstile.leave()
    await second


async def test_a_full_line_is_refused_at_once() -> None:
    turnstile = Turnstile(lambda: 1, max_waiting=1)
    await turnstile.enter(None)
    in_line = await waiting(turnstile)
    failure = await failure_of(turnstile.enter(None))
    assert (failure.kind, failure.subject) == (FailureKind.BUSY, "2")
    turnstile.leave()
    await in_line


async def test_a_turn_that_does_not_come_in_time_is_a_timeout_and_leaves_the_line() -> None:
    turnstile = Turnstile(lambda: 1, max_waiting=1)
    await turnstile.enter(None)
    assert (await failure_of(turnstile.enter(0.01))).kind is FailureKind.TIMEOUT
    patient = await waiting(turnstile)
    turnstile.leave()
    await patient


@pytest.mark.parametrize("moment", ["in line", "at its turn"])
async def test_who_gives_up_takes_nobodys_place(moment: str) -> None:
    turnstile = Turnstile(lambda: 1)
    await turnstile.enter(None)
    hasty, patient = await waiting(turnstile), await waiting(turnstile)
    if moment == "at its turn":
        turnstile.leave()
        hasty.cancel()
    else:
        hasty.cancel()
        await asyncio.wait([hasty])
        turnstile.leave()
    await patient


async def test_a_raised_limit_lets_more_in() -> None:
    limit = 1
    turnstile = Turnstile(lambda: limit)
    await turnstile.enter(None)
    line = [await waiting(turnstile) for _ in range(3)]
    limit = 4
    turnstile.leave()
    await asyncio.gather(*line)
