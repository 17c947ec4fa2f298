"""Closing is bounded: a server can delay it only by its time limits."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream.connection import UpstreamConnection
from tests.proofs.test_cached_tools import filled
from tests.router.upstream.connection_harness import ServerOutput, call, failure_of, open_config
from tests.router.upstream.pool_harness import PoolHarness
from tests.router.upstream.pool_harness import call as call_pooled
from tests.servers.commands import stdio_config
from tests.support.router_process import TOOLBOOTH, RouterProcess, connected
from tests.support.running_router import Record

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX"),
]
CALLS = 20


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}


@asynccontextmanager
async def opened(*options: str) -> AsyncGenerator[UpstreamConnection]:
    connection = await open_config(stdio_config(*options), ServerOutput())
    try:
        yield connection
    finally:
        await connection.close()


async def closing_s(connection: UpstreamConnection) -> float:
    began = time.monotonic()
    await connection.close()
    return time.monotonic() - began


async def test_a_cooperative_server_is_closed_at_once() -> None:
    async with opened() as connection:
        assert await closing_s(connection) < 0.9


@pytest.mark.parametrize("tool", ["daemon", "spawn"])
async def test_processes_outside_the_servers_group_are_not_waited_for(tool: str) -> None:
    async with opened() as connection:
        await call(connection, tool, **({"own_session": True} if tool == "spawn" else {}))
        assert await closing_s(connection) < 1.5


async def test_a_stubborn_server_is_closed_in_bounded_time() -> None:
    async with opened("--stubborn") as connection:
        await call(connection, "spawn")
        pending = spawn(failure_of(call(connection, "slow")), name="slow")
        await call(connection, "echo")
        assert await closing_s(connection) < 4
        await pending


async def test_a_server_that_stops_reading_is_closed_in_bounded_time() -> None:
    async with opened() as connection:
        await call(connection, "stop_reading")
        await failure_of(call(connection, "echo", timeout_s=0.3, text="x" * 1_000_000))
        assert await closing_s(connection) < 4


async def test_a_pool_closes_all_servers_concurrently(tmp_path: Path) -> None:
    harness = PoolHarness(tmp_path / "record")
    harness.options = ["--stubborn", "--child"]
    pool = harness.pool()
    refs = [ServerRef(WorkspaceId("w"), ServerId(f"s{n}")) for n in range(6)]
    await asyncio.gather(*(call_pooled(pool, "echo", ref) for ref in refs))
    began = time.monotonic()
    await pool.close()
    assert time.monotonic() - began < 4


async def test_sigterm_during_calls_ends_the_router_soon(tmp_path: Path) -> None:
    router, record = RouterProcess(TOOLBOOTH, tmp_path / "data"), Record(tmp_path)
    router.start()
    config = stdio_config("--record", str(record.path))
    router.json("add", "s", "--", config.command or "", *config.args)
    router.refresh()
    router.json("call", "s:harden", "{}")
    slow: JsonObject = {"toolKey": "s:slow", "arguments": {}}
    async with connected(router.url, router.token(), "legacy") as client:
        calls = [spawn(client.call_tool("tool_execute", slow), name="slow") for _ in range(CALLS)]
        for _ in calls:
            await record.until("slow")
        began = time.monotonic()
        assert await asyncio.to_thread(router.stop) == 0
        assert time.monotonic() - began < 4
        await asyncio.gather(*calls, return_exceptions=True)
    record.close()


async def test_sigterm_while_a_large_index_is_built_ends_the_router_soon(tmp_path: Path) -> None:
    router = RouterProcess(TOOLBOOTH, tmp_path / "data")
    await (await filled(router.data_dir, servers=100)).stop()
    for delay_s in (0.0, 1.0, 3.0):
        router.start()
        await asyncio.sleep(delay_s)
        began = time.monotonic()
        assert await asyncio.to_thread(router.stop) == 0
        assert time.monotonic() - began < 5
    assert "Traceback" not in router.log


@pytest.mark.parametrize(
    "words", [["list"], ["search", "x"], ["call", "s:echo"], ["refresh"], ["token", "new", "T"]]
)
def test_a_command_says_soon_that_the_router_does_not_answer(
    words: list[str], tmp_path: Path
) -> None:
    router = RouterProcess(TOOLBOOTH, tmp_path / "data")
    router.start()
    os.kill(router.pid, signal.SIGSTOP)
    began = time.monotonic()
    told = router.run(*words)
    took_s = time.monotonic() - began
    os.kill(router.pid, signal.SIGCONT)
    router.close()
    assert took_s < 10
    assert told.returncode == 1
    assert "is running but has not responded" in told.stderr
