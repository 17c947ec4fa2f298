"""A clock that is set by days or by years, forward and back: calls work, lists dated in the future
are discovered again, and nothing is lost. (`test_freshness` checks that this causes no storm of
discoveries.)"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from router.api.events import DiscoveryProgressed
from router.domain.activity import ActivityQuery
from router.domain.discovery_attempt import FIRST_RETRY
from router.domain.servers import DiscoveryStep
from router.runtime.clock import utc_now
from router.store.tokens import TokenStore
from tests.support.fakes import FakeClock
from tests.support.listed_server import ListedServer
from tests.support.running_router import PERSONAL, RunningRouter, running_router, stdio_config

READ = {"name": "read", "description": "Read a file."}
THREE_DAYS = timedelta(days=3)
OVER_A_YEAR = timedelta(days=400)
TEN_YEARS = timedelta(days=3653)


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


async def test_ten_years_ahead_and_back_lose_nothing(tmp_path: Path, listed: ListedServer) -> None:
    clock, data = FakeClock(utc_now()), tmp_path / "data"
    async with running_router(data, clock=clock) as running:
        await running.add("Files", listed.config)
        removed = await running.router.workspaces.create("Removed")
        await running.router.workspaces.remove(removed)
        await _serves(running)
        made = {entry.request_id for entry in running.router.activity.recent()}
        tokens = {token.id for token in running.router.tokens.list()}
    clock.advance(TEN_YEARS)
    for _ in range(2):  # it is also started again meanwhile
        async with running_router(data, clock=clock) as running:
            await _serves(running)
        clock.advance(timedelta(hours=3))
    clock.advance(-TEN_YEARS)
    async with running_router(data, clock=clock) as running:
        page = await running.router.activity.page(ActivityQuery(limit=500))
        assert made < {entry.request_id for entry in page.entries}
        [use] = running.router.search.usage_history(PERSONAL, None).uses
        assert use.tool == "files:read"
        assert tokens < {token.id for token in running.router.tokens.list()}
        await running.router.workspaces.restore(removed)
        assert removed in {each.id for each in running.router.workspaces.list()}


async def test_a_failure_dated_in_the_future_is_tried_again_after_its_pause(
    tmp_path: Path,
) -> None:
    clock = FakeClock(utc_now() + TEN_YEARS)
    async with running_router(tmp_path, clock=clock) as running:
        await running.add("Broken", stdio_config("--exit-at-start", "3"))
    clock.advance(-TEN_YEARS)
    async with running_router(tmp_path, clock=clock) as running:
        [status] = running.router.servers.list(PERSONAL)
        assert (status.attempted_at, status.retry_at) == (clock.now, clock.now + FIRST_RETRY)


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
