"""Requests end when their token becomes invalid."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from router.domain.ids import TokenId
from router.gateway.http.active_requests import ActiveRequests
from router.gateway.http.http_request import HTTPError
from router.runtime.tasks import spawn, stop
from tests.support.timeouts import WAIT_S

KEPT, REVOKED = TokenId("kept"), TokenId("revoked")
T = TypeVar("T")


async def run(requests: ActiveRequests, token: TokenId, work: Awaitable[T]) -> T:
    with requests.track(token):
        return await work


async def test_a_request_ends_soon_after_its_token_becomes_invalid() -> None:
    holding = {KEPT, REVOKED}
    active_requests = ActiveRequests(lambda token: token in holding)
    kept = spawn(run(active_requests, KEPT, asyncio.Event().wait()), name="kept")
    holding.remove(REVOKED)
    with pytest.raises(HTTPError) as refusal:
        async with asyncio.timeout(WAIT_S):
            await run(active_requests, REVOKED, asyncio.Event().wait())
    assert refusal.value.status == 401
    assert not kept.done()
    await stop(kept)
    assert kept.cancelled()


async def test_a_token_that_becomes_invalid_later_is_noticed() -> None:
    looks = iter([True, False])
    with pytest.raises(HTTPError):
        async with asyncio.timeout(WAIT_S):
            await run(ActiveRequests(lambda _: next(looks)), KEPT, asyncio.Event().wait())


async def test_a_request_that_ends_in_time_returns_its_result() -> None:
    assert await run(ActiveRequests(lambda _: True), KEPT, asyncio.sleep(0, "done")) == "done"
