"""How servers that are child processes end: by themselves, by us, and when we are killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.runtime.tasks import spawn
from router.upstream.connection import UpstreamConnection
from router.upstream.limits import UpstreamLimits
from router.upstream.peer import Peer
from router.upstream.process import stdio
from router.upstream.process.stdio import ServerCommand, StdioTransport
from tests.router.upstream.connection_harness import (
    Open,
    ServerOutput,
    call,
    content_of,
    failure_of,
    open_config,
)
from tests.servers.commands import ends_within, is_running, recorded, stdio_config
from tests.support.router_process import children_of
from tests.support.timeouts import WAIT_S

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


@pytest.mark.proves("REG-7")
async def test_a_crash_fails_the_call_with_the_servers_stderr(open_server: Open) -> None:
    connection = await open_server("--noise", "300")
    failure = await failure_of(call(connection, "crash", code=3, words="out of cheese"))
    assert (failure.kind, failure.subject) == (FailureKind.EXITED, "code 3")
    assert failure.detail.splitlines()[-2:] == ["noise 299", "out of cheese"]
    assert connection.closed
    assert await connection.wait_closed() == failure


async def test_a_response_written_just_before_the_exit_still_counts(open_server: Open) -> None:
    connection = await open_server()
    assert await content_of(connection, "leave", code=0) == {}
    async with asyncio.timeout(WAIT_S):
        assert (await connection.wait_closed()).subject == "code 0"


@POSIX_ONLY
async def test_a_signal_is_named(open_server: Open) -> None:
    connection = await open_server()
    os.kill((await content_of(connection, "env"))["pid"], signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        assert (await connection.wait_closed()).subject == "signal 9"


async def test_an_exit_that_a_busy_loop_notices_late_still_counts() -> None:
    """The exit and the end of the wait for it are noticed in one turn of the loop."""
    exited = asyncio.Event()
    asyncio.get_running_loop().call_soon(exited.set)
    assert await stdio._wait(0, exited)  # pyright: ignore[reportPrivateUsage]


async def test_a_server_that_exits_at_once_says_why(open_server: Open) -> None:
    failure = await failure_of(open_server("--noise", "1", "--exit-at-start", "2"))
    assert failure == Failure(FailureKind.EXITED, "code 2", "noise 0")


async def test_a_silent_server_times_out_and_is_ended(open_server: Open) -> None:
    before = children_of(os.getpid())
    failure = await failure_of(open_server("--silent", startup_timeout_s=0.8))
    assert failure == Failure(FailureKind.TIMEOUT, "0.8 s")
    assert children_of(os.getpid()) <= before


async def test_a_start_that_is_cancelled_leaves_no_process(
    open_server: Open, tmp_path: Path, output: ServerOutput
) -> None:
    record = tmp_path / "record"
    options = ("--silent", "--noise", "1", "--record", str(record))
    starting = spawn(open_config(stdio_config(*options), output), name="starting")
    async with asyncio.timeout(WAIT_S):
        await output.anything.wait()
    starting.cancel()
    await asyncio.wait([starting])
    (pid,) = recorded(record, "started")
    assert not is_running(pid)


@pytest.mark.parametrize("steps", range(8))
async def test_a_start_may_be_cancelled_at_any_step(output: ServerOutput, steps: int) -> None:
    before = children_of(os.getpid())
    starting = spawn(open_config(stdio_config(), output), name="starting")
    for _ in range(steps):
        await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    assert starting.cancelled()
    assert children_of(os.getpid()) <= before


async def opened_with(limits: UpstreamLimits, output: ServerOutput) -> UpstreamConnection:
    config = stdio_config()
    command = ServerCommand(config.command or "", config.args)
    link = StdioTransport(command, on_stderr=output.line, limits=limits)
    connection = UpstreamConnection(link, output.notification)
    await connection.open()
    return connection


async def test_a_line_that_is_too_long_fails_only_its_own_call(output: ServerOutput) -> None:
    connection = await opened_with(UpstreamLimits(message_bytes=1_000_000), output)
    failure = await failure_of(call(connection, "large_answer", size=5_000_000))
    limit = f"{1_000_000 / 2**20:g} MB"
    assert failure == Failure(FailureKind.TOO_LARGE, limit, "it has more than 1,000,000 bytes")
    assert "messageLimitMb" in str(advise(failure, "Files"))
    assert (await call(connection, "echo", a=1))["structuredContent"] == {"a": 1}
    await connection.close()


async def test_an_endless_line_closes_the_connection(output: ServerOutput) -> None:
    limits = UpstreamLimits(message_bytes=1_000_000, overflow_bytes=10_000_000)
    connection = await opened_with(limits, output)
    failure = await failure_of(call(connection, "huge_line", size=50_000_000))
    assert failure.kind is FailureKind.TOO_LARGE
    await connection.close()


async def test_calls_to_a_server_that_stops_reading_time_out(
    open_server: Open,
) -> None:
    connection = await open_server()
    await call(connection, "stop_reading")
    large = "x" * 1_000_000
    failures = await asyncio.gather(
        *(failure_of(call(connection, "echo", timeout_s=0.3, text=large)) for _ in range(5))
    )
    assert {failure.kind for failure in failures} == {FailureKind.CALL_TIMEOUT}
    await connection.close()


@POSIX_ONLY
async def test_closing_ends_even_a_stubborn_server(open_server: Open) -> None:
    connection = await open_server("--stubborn")
    pid = (await content_of(connection, "env"))["pid"]
    child = (await content_of(connection, "spawn"))["pid"]
    pending = spawn(call(connection, "slow"), name="slow")
    await call(connection, "echo")
    await connection.close()
    assert not is_running(pid)
    assert ends_within(WAIT_S, child)
    assert (await failure_of(pending)).kind is FailureKind.OTHER


async def test_a_cooperative_server_is_closed_by_its_stdin(
    open_server: Open, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    connection = await open_server("--record", str(record))
    await connection.close()
    assert recorded(record, "stdin closed") == [None]
    await connection.close()


@POSIX_ONLY
@pytest.mark.parametrize("leaving", ["leave", "crash"])
async def test_grandchildren_end_when_the_server_exits_by_itself(
    open_server: Open, leaving: str
) -> None:
    connection = await open_server()
    child = (await content_of(connection, "spawn"))["pid"]
    with_or_without_answer = spawn(call(connection, leaving, code=1), name="leaving")
    async with asyncio.timeout(WAIT_S):
        failure = await connection.wait_closed()
    await asyncio.wait([with_or_without_answer])
    assert failure.subject == "code 1"
    assert ends_within(WAIT_S, child)


async def test_closing_survives_cancellation_of_the_closing_task(open_server: Open) -> None:
    connection = await open_server("--stubborn")
    pid = (await content_of(connection, "env"))["pid"]
    closing = spawn(connection.close(), name="closing")
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing])
    assert ends_within(0, pid) is False
    await connection.close()
    assert not is_running(pid)


KILLED_ROUTER = """
import asyncio, json, sys
from router.config.server import ServerConfig
from router.upstream.connect import LaunchPlan, open_upstream

async def main() -> None:
    config = ServerConfig(command=sys.executable, args=sys.argv[2:])
    nothing = lambda *_: None
    upstream = await open_upstream(
        LaunchPlan(config), on_notification=nothing, on_stderr=nothing
    )
    pids = []
    for tool in ("env", "spawn"):
        result = await upstream.request("tools/call", {"name": tool, "arguments": {}})
        pids.append(result["structuredContent"]["pid"])
    print(json.dumps(pids), flush=True)
    await asyncio.Event().wait()

if sys.argv[1] == "uvloop":
    import uvloop
    uvloop.run(main())
else:
    asyncio.run(main())
"""


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"] if sys.platform != "win32" else ["asyncio"])
def test_killing_the_router_leaves_no_child_however_stubborn(loop: str) -> None:
    """The server ignores SIGTERM and its closed stdin, and so does its own child."""
    config = stdio_config("--stubborn")
    router = subprocess.Popen(
        [sys.executable, "-c", KILLED_ROUTER, loop, *config.args], stdout=subprocess.PIPE
    )
    assert router.stdout is not None
    pids: list[int] = json.loads(router.stdout.readline())
    assert all(map(is_running, pids))
    router.kill()
    router.wait()
    router.stdout.close()
    assert [pid for pid in pids if not ends_within(WAIT_S, pid)] == []


async def test_closing_a_connection_that_never_started_does_nothing(output: ServerOutput) -> None:
    link = StdioTransport(ServerCommand("x"), on_stderr=output.line)
    peer = Peer(link, output.notification)
    await link.close()
    assert not peer.closed
