"""Requests end with the token that let them in."""

from __future__ import annotations

import asyncio

from router.gateway.admissions import Admissions
from router.model import TokenId

KEPT, REVOKED = TokenId("kept"), TokenId("revoked")
PATIENCE_S = 5


async def test_what_runs_ends_soon_after_its_token_stops_to_hold() -> None:
    holding = {KEPT, REVOKED}
    admissions = Admissions(lambda token: token in holding)
    with admissions.admitted(KEPT) as kept:
        holding.remove(REVOKED)
        async with asyncio.timeout(PATIENCE_S):
            with admissions.admitted(REVOKED) as revoked:
                await asyncio.Event().wait()
    assert kept.refusal is None
    assert revoked.refusal is not None


async def test_a_token_that_stops_to_hold_after_several_looks_is_noticed() -> None:
    looks = iter([True, False])
    async with asyncio.timeout(PATIENCE_S):
        with Admissions(lambda _: next(looks)).admitted(KEPT) as admission:
            await asyncio.Event().wait()
    assert admission.refusal is not None
