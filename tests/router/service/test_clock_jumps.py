"""A clock that is set by days or by a year, forward and back: calls work, lists dated in the future
are discovered again, usage history and savings stay correct. (`test_freshness` checks that this
causes no storm of discoveries.)"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from router.api.events import DiscoveryProgressed
from router.domain.servers import DiscoveryStep
from router.runtime.clock import utc_now
from router.store.tokens import TokenStore
from tests.support.fakes import FakeClock
from tests.support.listed_server import ListedServer
from tests.support.running_router import PERSONAL, RunningRouter, running_router

READ = {"name": "read", "description": "Read a file."}
THREE_DAYS = timedelta(days=3)
OVER_A_YEAR = timedelta(days=400)


@pytest.fixture
def listed(tmp_path: Path) -> ListedServer:
    listed = ListedServer(tmp_path / "list.json")
    listed.has(READ)
    return listed


@pytest.mark.parametrize("jump", [THREE_DAYS, -THREE_DAYS, OVER_A_YEAR, -OVER_A_YEAR], ids=str)
async def test_a_router_keeps_serving_when_the_clock_jumps_and_is_corrected(
    tmp_path: Path, listed: ListedServer, jump: timedelta
) -> None:
    clock = FakeClock(utc_now())
    async with running_router(tmp_path / "data", clock=clock) as running:
        await running.add("Files", listed.config)
        _, session = await running.open_session("2025-06-18")
        await _serves(running)
        for by in (jump, -jump):
            clock.advance(by)
            await _serves(running)
            ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
            assert (await running.post(ping, **session)).status_code == 200
            [token] = running.router.tokens.list()
            assert token.last_used_at == clock.now
        assert running.router.activity.savings(PERSONAL).requests_today >= 2
        uses = running.router.search.usage_history(PERSONAL, None).uses
        assert [use.tool for use in uses] == ["files:read"]
        assert uses[0].count <= 3


async def _serves(running: RunningRouter) -> None:
    found = await running.call("tool_discovery", {"query": ["read a file"]})
    assert found["structuredContent"]["results"][0]["toolKey"] == "files:read"
    answer = await running.call("tool_execute", {"toolKey": "files:read"})
    assert not answer.get("isError"), answer


async def test_a_list_dated_in_the_future_is_discovered_at_the_next_start(
    tmp_path: Path, listed: ListedServer
) -> None:
    clock = FakeClock(utc_now() + THREE_DAYS)
    async with running_router(tmp_path / "data", clock=clock) as running:
        await running.add("Files", listed.config)
    clock.advance(-THREE_DAYS)
    async with running_router(tmp_path / "data", clock=clock) as running:
        await running.trace.until(
            DiscoveryProgressed, lambda event: event.step is DiscoveryStep.COMPLETE
        )
        await _serves(running)


async def test_a_token_expires_by_the_clock_and_is_valid_again_when_it_is_corrected(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    tokens = TokenStore(tmp_path / "tokens.json", clock)
    issued = tokens.issue("Brief", None, None, clock.now + timedelta(days=1))
    clock.advance(OVER_A_YEAR)
    assert tokens.verify(issued.secret) is None
    clock.advance(-OVER_A_YEAR)
    assert tokens.verify(issued.secret) is not None
    tokens.touch(issued.summary.id)
    clock.advance(-THREE_DAYS)
    tokens.touch(issued.summary.id)
    assert tokens.list()[0].last_used_at == clock.now
