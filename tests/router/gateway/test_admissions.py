"""Requests end with the token that let them in."""

from __future__ import annotations

import asyncio

import pytest

from router.domain.ids import TokenId
from router.gateway.http.active_requests import Admissions
from router.gateway.http.authentication import Refusal
from router.runtime.tasks import spawn, stop
from tests.support.timeouts import WAIT_S

KEPT, REVOKED = TokenId("kept"), TokenId("revoked")


async def test_what_runs_ends_soon_after_its_token_stops_to_hold() -> None:
    holding = {KEPT, REVOKED}
    admissions = Admissions(lambda token: token in holding)
    kept = spawn(admissions.run(KEPT, asyncio.Event().wait()), name="kept")
    holding.remove(REVOKED)
    with pytest.raises(Refusal) as refusal:
        async with asyncio.timeout(WAIT_S):
            await admissions.run(REVOKED, asyncio.Event().wait())
    assert refusal.value.status == 401
    assert not kept.done()
    await stop(kept)
    assert kept.cancelled()


async def test_a_token_that_stops_to_hold_after_several_looks_is_noticed() -> None:
    looks = iter([True, False])
    with pytest.raises(Refusal):
        async with asyncio.timeout(WAIT_S):
            await Admissions(lambda _: next(looks)).run(KEPT, asyncio.Event().wait())


async def test_what_ends_in_time_brings_its_result() -> None:
    assert await Admissions(lambda _: True).run(KEPT, asyncio.sleep(0, "done")) == "done"
