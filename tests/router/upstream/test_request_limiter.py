"""Concurrent calls: up to the server's limit, the others in a bounded queue."""

from __future__ import annotations

import asyncio

import pytest

from router.domain.failures import FailureKind
from router.runtime.tasks import spawn
from router.upstream.request_limiter import RequestLimiter
from tests.router.upstream.connection_harness import failure_of


async def waiting(limiter: RequestLimiter, timeout_s: float | None = None) -> asyncio.Task[None]:
    """A request in the queue."""
    task = spawn(limiter.acquire(timeout_s), name="in line")
    await asyncio.sleep(0)
    return task


async def test_requests_beyond_the_limit_wait_in_order() -> None:
    limiter = RequestLimiter(lambda: 1)
    await limiter.acquire(None)
    first, second = await waiting(limiter), await waiting(limiter)
    limiter.release()
    await first
    assert not second.done()
    limiter.release()
    await second


async def test_a_full_queue_refuses_at_once() -> None:
    limiter = RequestLimiter(lambda: 1, max_waiting=1)
    await limiter.acquire(None)
    in_line = await waiting(limiter)
    failure = await failure_of(limiter.acquire(None))
    assert (failure.kind, failure.subject) == (FailureKind.BUSY, "2")
    limiter.release()
    await in_line


async def test_a_request_that_waits_too_long_times_out_and_leaves_the_queue() -> None:
    limiter = RequestLimiter(lambda: 1, max_waiting=1)
    await limiter.acquire(None)
    assert (await failure_of(limiter.acquire(0.01))).kind is FailureKind.BUSY
    other = await waiting(limiter)
    limiter.release()
    await other


@pytest.mark.parametrize("moment", ["in line", "at its turn"])
async def test_a_cancelled_request_frees_its_place(moment: str) -> None:
    limiter = RequestLimiter(lambda: 1)
    await limiter.acquire(None)
    cancelled, other = await waiting(limiter), await waiting(limiter)
    if moment == "at its turn":
        limiter.release()
        cancelled.cancel()
    else:
        cancelled.cancel()
        await asyncio.wait([cancelled])
        limiter.release()
    await other


async def test_a_raised_limit_admits_more() -> None:
    limit = 1
    limiter = RequestLimiter(lambda: limit)
    await limiter.acquire(None)
    line = [await waiting(limiter) for _ in range(3)]
    limit = 4
    limiter.release()
    await asyncio.gather(*line)
