"""`toolbooth serve` in operation: a port in use, a second start, system sleep, many restarts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp.client import Client

from tests.servers.commands import ends_within
from tests.servers.http_server import sdk_app, serving
from tests.support.router_process import RouterProcess, children_of, connected
from tests.support.running_router import stdio_config
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
PAGE = os.sysconf("SC_PAGE_SIZE")
MB = 1024 * 1024
ASLEEP_S = 9.0
ROUNDS, CALLS, IDLE_S = 50, 20, 1.0
KILLS = (20, 40)
"""The rounds in which the server is killed; seldom enough to be no crash loop."""


@dataclass(frozen=True)
class Held:
    """The system resources a process holds."""

    rss_bytes: int
    descriptors: int
    threads: int

    @classmethod
    def by(cls, pid: int) -> Held:
        proc = Path(f"/proc/{pid}")
        return cls(
            int((proc / "statm").read_text().split()[1]) * PAGE,
            len(list((proc / "fd").iterdir())),
            len(list((proc / "task").iterdir())),
        )


def add_test_server(router: RouterProcess) -> None:
    config = stdio_config()
    router.json("add", "s", "--", config.command or "", *config.args)


async def call(client: Client, tool: str, **arguments: object) -> None:
    params = {"toolKey": f"s:{tool}", "arguments": arguments}
    result = await client.call_tool("tool_execute", params)
    assert not result.is_error, result.structured_content


def test_a_port_in_use_is_reported_with_a_hint(router: RouterProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = router.run("serve", "--port", str(port))
    assert refused.returncode == 1
    assert f"Port {port} is already in use by another program." in refused.stderr
    assert "--port" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_second_router_on_the_same_directory_is_refused_unless_the_first_was_killed(
    router: RouterProcess,
) -> None:
    router.start()
    second = router.run("serve", "--port", "0")
    assert second.returncode == 1
    assert f"Toolbooth is already running (process {router.pid}" in second.stderr
    router.kill()
    router.start()
    assert router.json("status")["listener"]["url"] == router.url


@pytest.mark.proof
async def test_calls_work_within_ten_seconds_of_a_system_sleep(router: RouterProcess) -> None:
    router.start()
    add_test_server(router)
    with serving(sdk_app(json_response=True)) as url:
        router.json("add", "remote", "--url", f"{url}/mcp")
        router.refresh()
        async with connected(router.url, router.token(), "auto") as client:
            remote = {"toolKey": "remote:echo", "arguments": {"n": 1}}
            await call(client, "echo", n=1)
            await client.call_tool("tool_execute", remote)
            os.kill(router.pid, signal.SIGSTOP)
            await asyncio.sleep(ASLEEP_S)
            os.kill(router.pid, signal.SIGCONT)
            woken = time.monotonic()
            await call(client, "echo", n=2)
            assert not (await client.call_tool("tool_execute", remote)).is_error
            assert time.monotonic() - woken < 10
        assert router.stop() == 0
    assert "Awake again after" in router.log


@pytest.mark.proof
async def test_a_thousand_calls_and_many_restarts_leak_no_memory_files_or_threads(
    router: RouterProcess,
) -> None:
    router.data_dir.mkdir()
    settings = {"schemaVersion": 1, "idleTimeoutS": IDLE_S}
    (router.data_dir / "settings.json").write_text(json.dumps(settings))
    router.start()
    add_test_server(router)
    router.refresh()
    async with connected(router.url, router.token(), "auto") as client:
        await soak(router, client, range(10))
        before = Held.by(router.pid)
        await soak(router, client, range(ROUNDS))
        after = Held.by(router.pid)
    assert after.descriptors <= before.descriptors + 2
    assert after.threads <= before.threads + 2
    assert after.rss_bytes - before.rss_bytes < 8 * MB


async def soak(router: RouterProcess, client: Client, rounds: range) -> None:
    """Each round makes calls, after which the server is killed or stopped as idle."""
    for number in rounds:
        await asyncio.gather(*(call(client, "echo", n=n) for n in range(CALLS)))
        # None if it was stopped before we looked, which can happen on a busy machine.
        for server in [pid for pid in children_of(router.pid) if _is_test_server(pid)]:
            if number in KILLS:
                os.kill(server, signal.SIGKILL)
                await until_answered(client)
            assert await asyncio.to_thread(ends_within, WAIT_S, server)


async def until_answered(client: Client) -> None:
    """Call a killed server: calls before the exit is noticed get an error."""
    async with asyncio.timeout(WAIT_S):
        while (await client.call_tool("tool_execute", {"toolKey": "s:echo"})).is_error:
            pass


def _is_test_server(pid: int) -> bool:
    with suppress(FileNotFoundError):
        return b"stdio_server.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
