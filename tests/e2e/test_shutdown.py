"""`toolbooth serve` always ends soon and leaves no process behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from router.runtime.tasks import spawn
from tests.servers.commands import ends_within, is_running, stdio_config
from tests.support.router_process import RouterProcess, children_of, connected
from tests.support.running_router import Record
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
CALLS = 20


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    record = Record(tmp_path)
    yield record
    record.close()


@pytest.fixture
def serving(router: RouterProcess, record: Record) -> RouterProcess:
    """A router with the test server."""
    router.start()
    config = stdio_config("--record", str(record.path))
    router.json("add", "s", "--", config.command or "", *config.args)
    router.refresh()
    return router


def descendants(router: RouterProcess) -> list[int]:
    """A server that ignores SIGTERM and closed stdin; a child in its own session and a daemon, both
    of which hold its pipes."""
    calls = {"harden": {}, "spawn": {"own_session": True}, "daemon": {}}
    results = [router.json("call", f"s:{tool}", json.dumps(given)) for tool, given in calls.items()]
    return [result["structuredContent"]["pid"] for result in results]


async def call_until_shutdown(client: Client) -> None:
    with pytest.raises(MCPError, match="Toolbooth is stopping"):
        await client.call_tool("tool_execute", {"toolKey": "s:slow", "arguments": {}})


async def test_sigterm_during_calls_ends_everything_whatever_the_servers_do(
    serving: RouterProcess, record: Record
) -> None:
    pids = descendants(serving)
    async with connected(serving.url, serving.token(), "legacy") as client:
        calls = [spawn(call_until_shutdown(client), name="slow") for _ in range(CALLS)]
        for _ in calls:
            await record.until("slow")
        stopping = asyncio.to_thread(serving.stop)
        assert await stopping == 0
        assert [pid for pid in pids if not ends_within(WAIT_S, pid)] == []
        await asyncio.gather(*calls)


def test_a_start_ends_processes_a_killed_router_left_behind(serving: RouterProcess) -> None:
    pids = descendants(serving)
    for guardian in children_of(serving.pid) - set(pids):
        os.kill(guardian, signal.SIGKILL)
    serving.kill()
    assert all(map(is_running, pids))
    serving.start()
    assert [pid for pid in pids if not ends_within(WAIT_S, pid)] == []
    assert "Ended 3 processes that an earlier Toolbooth left behind" in serving.log
