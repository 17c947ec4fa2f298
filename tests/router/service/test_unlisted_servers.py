"""Servers whose tools are not known yet: requests wait for their discovery, failed ones are tried
again, and what is known of them survives a restart."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from router.api.events import DiscoveryProgressed
from router.config.server import ServerConfig
from router.domain.discovery_attempt import FIRST_RETRY
from router.domain.failures import FailureKind
from router.domain.ids import ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.result import Failed, Ok
from router.domain.servers import DiscoveryStatus, DiscoveryStep, ServerState, ServerStatus
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import Exposure
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn, stop
from router.service import tool_list_waiter
from router.upstream.ports import ProgressSink
from tests.servers.http_server import sdk_app, serving
from tests.support.fakes import FakeClock
from tests.support.held_server import HeldServer, held_server
from tests.support.ports import reserved_port
from tests.support.running_router import (
    PERSONAL,
    RunningRouter,
    running_router,
    stdio_config,
)
from tests.support.timeouts import WAIT_S

ECHO = {"toolKey": "slow:echo", "arguments": {"text": "hi"}}


@pytest.fixture
async def held() -> AsyncGenerator[HeldServer]:
    with held_server() as server:
        yield server


def status_of(running: RunningRouter) -> ServerStatus:
    [status] = running.router.servers.list(PERSONAL)
    return status


async def begin(running: RunningRouter, name: str, config: ServerConfig) -> ServerRef:
    servers = running.router.servers
    return ServerRef(PERSONAL, await servers.add(PERSONAL, name, config, consent=True))


async def until_step(running: RunningRouter, step: DiscoveryStep) -> None:
    await running.trace.until(DiscoveryProgressed, lambda event: event.step is step)


def steps(running: RunningRouter) -> list[DiscoveryStep]:
    return [e.step for e in running.trace.events if isinstance(e, DiscoveryProgressed)]


async def list_directly(running: RunningRouter) -> None:
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=Exposure.SEARCH
    )


# Waiting


@pytest.mark.proves("REG-1")
async def test_a_call_joins_the_discovery_under_way(
    running: RunningRouter, held: HeldServer
) -> None:
    await begin(running, "Slow", held.config)
    call = spawn(running.call("tool_execute", ECHO), name="call")
    await until_step(running, DiscoveryStep.CONNECTING)
    held.let_go.set()
    result = await call
    assert not result.get("isError"), result
    assert steps(running).count(DiscoveryStep.STARTING) == 1


@pytest.mark.proves("META-2")
async def test_a_direct_listing_waits_for_discoveries_under_way(
    running: RunningRouter, held: HeldServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_list_waiter, "BRIEF_WAIT_S", WAIT_S)
    await list_directly(running)
    await begin(running, "Slow", held.config)
    listing = spawn(running.modern("tools/list"), name="list")
    await until_step(running, DiscoveryStep.CONNECTING)
    held.let_go.set()
    tools = (await listing)["result"]["tools"]
    assert "slow__echo" in [tool["name"] for tool in tools]


@pytest.mark.proves("META-2")
async def test_a_search_waits_no_longer_than_a_moment(
    running: RunningRouter, held: HeldServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_list_waiter, "BRIEF_WAIT_S", 0.01)
    await begin(running, "Slow", held.config)
    found = await running.call("tool_discovery", {"query": ["echo"]})
    [missing] = found["structuredContent"]["unlisted"]
    assert (missing["server"], missing["status"]) == ("slow", "discovering")


@pytest.mark.proves("REG-1", "META-3")
async def test_who_waits_for_a_discovery_gets_its_progress_and_can_cancel(
    running: RunningRouter, held: HeldServer
) -> None:
    ref = await begin(running, "Slow", held.config)
    told: asyncio.Queue[JsonObject] = asyncio.Queue()
    sink: ProgressSink = told.put
    waits = running.router._upstreams.tool_list_waiter  # pyright: ignore[reportPrivateUsage]
    waiting = spawn(waits.until_listed(ref, sink), name="wait")
    async with asyncio.timeout(WAIT_S):
        while (await told.get())["message"] != "Starting Slow to discover its tools…":
            pass
    await stop(waiting)
    assert waiting.cancelled()
    assert status_of(running).discovery is DiscoveryStatus.DISCOVERING
    held.let_go.set()
    await until_step(running, DiscoveryStep.COMPLETE)


@pytest.mark.proves("REG-1", "DISC-5")
async def test_a_request_waits_no_longer_than_the_discovery_timeout(
    running: RunningRouter, tmp_path: Path
) -> None:
    for number in range(2):
        await begin(running, f"Slow {number}", stdio_config("--silent"))
    await begin(running, "Third", stdio_config(discovery_timeout_s=0.2))
    result = await running.call("tool_execute", {"toolKey": "third:echo"})
    assert result["structuredContent"] == {
        "code": "TOOL_UNAVAILABLE",
        "message": "The tools of Third are still being discovered after 0.2 s.",
        "retryable": True,
        "hint": "Try again in a moment.",
    }


# Failing


@pytest.mark.proves("REG-1", "REG-7")
async def test_a_call_to_a_server_that_fails_to_list_says_why(running: RunningRouter) -> None:
    await begin(running, "Broken", stdio_config("--exit-at-start", "3"))
    result = await running.call("tool_execute", {"toolKey": "broken:echo"})
    structured = result["structuredContent"]
    assert (structured["code"], structured["retryable"]) == ("TOOL_UNAVAILABLE", True)
    assert structured["message"] == "Broken: Crashed (exit code 3)."


@pytest.mark.proves("REG-1", "REG-7")
async def test_a_server_without_a_program_is_not_worth_a_retry(running: RunningRouter) -> None:
    await begin(running, "Gone", ServerConfig(command="no-such-program"))
    result = await running.call("tool_execute", {"toolKey": "gone:echo"})
    structured = result["structuredContent"]
    assert (structured["code"], structured["retryable"]) == ("TOOL_UNAVAILABLE", False)
    assert structured["message"].startswith("Gone: Command “no-such-program” not found")


@pytest.mark.proves("REG-2")
async def test_a_server_that_could_not_be_reached_works_at_its_next_use(
    running: RunningRouter,
) -> None:
    port = reserved_port()
    await running.add("Slow", ServerConfig(url=f"http://127.0.0.1:{port}/mcp"))
    assert status_of(running).failure is not None
    for _ in range(3):
        failed = await running.call("tool_execute", ECHO)
        assert failed["structuredContent"]["code"] == "TOOL_UNAVAILABLE"
    with serving(sdk_app(), port):
        result = await running.call("tool_execute", ECHO)
        assert not result.get("isError"), result


@pytest.mark.proves("REG-1")
async def test_the_call_command_waits_for_the_tools_too(
    running: RunningRouter, held: HeldServer
) -> None:
    await begin(running, "Slow", held.config)
    principal = running.router.projects.local_principal(PERSONAL, None)
    call = spawn(
        running.router.tools.call(principal, ToolKey(status_of(running).id, "echo"), {}),
        name="call",
    )
    await until_step(running, DiscoveryStep.CONNECTING)
    held.let_go.set()
    assert isinstance(await call, Ok)


async def test_a_server_removed_while_a_call_waits_for_it_is_unknown(
    running: RunningRouter, held: HeldServer
) -> None:
    ref = await begin(running, "Slow", held.config)
    principal = running.router.projects.local_principal(PERSONAL, None)
    call = spawn(running.router.tools.call(principal, ToolKey(ref.server, "echo"), {}), name="call")
    await until_step(running, DiscoveryStep.CONNECTING)
    await running.router.servers.remove(ref)
    result = await call
    assert isinstance(result, Failed)
    assert result.message == "There is no tool slow:echo."


async def test_a_discovery_cancelled_while_a_call_waits_for_it_is_told_as_that(
    running: RunningRouter, held: HeldServer
) -> None:
    ref = await begin(running, "Slow", held.config)
    principal = running.router.projects.local_principal(PERSONAL, None)
    call = spawn(running.router.tools.call(principal, ToolKey(ref.server, "echo"), {}), name="call")
    await until_step(running, DiscoveryStep.CONNECTING)
    await running.router.discovery.cancel(PERSONAL, ref.server)
    result = await call
    assert isinstance(result, Failed)
    assert result.message == "Slow: Cancelled."


async def test_a_server_turned_off_while_a_call_waits_for_it_is_told_as_that(
    running: RunningRouter, held: HeldServer
) -> None:
    ref = await begin(running, "Slow", held.config)
    principal = running.router.projects.local_principal(PERSONAL, None)
    call = spawn(running.router.tools.call(principal, ToolKey(ref.server, "echo"), {}), name="call")
    await until_step(running, DiscoveryStep.CONNECTING)
    await running.router.servers.set_enabled(ref, False)
    result = await call
    assert isinstance(result, Failed)
    assert result.message == "Slow: Turned off."


async def test_a_server_edited_while_a_call_waits_for_it_is_used_as_it_is_then(
    running: RunningRouter, held: HeldServer
) -> None:
    ref = await begin(running, "Slow", held.config)
    principal = running.router.projects.local_principal(PERSONAL, None)
    call = spawn(running.router.tools.call(principal, ToolKey(ref.server, "echo"), {}), name="call")
    await until_step(running, DiscoveryStep.CONNECTING)
    await running.router.servers.update(ref, "Slow", stdio_config(), consent=True)
    assert isinstance(await call, Ok)


async def test_a_discovery_that_this_computer_can_not_do_ends_as_failed(
    running: RunningRouter, tmp_path: Path
) -> None:
    (tmp_path / "runs").write_text("where the folder of the sandbox would be")
    await begin(running, "Slow", stdio_config())
    result = await running.call("tool_execute", ECHO)
    assert result["structuredContent"]["message"] == "Slow: File exists."
    assert status_of(running).discovery is DiscoveryStatus.FAILED


# Trying again


@pytest.mark.proves("DISC-2", "REG-2")
async def test_a_failed_discovery_survives_a_restart_and_is_tried_again_after_its_pause(
    tmp_path: Path,
) -> None:
    clock = FakeClock(utc_now())
    config = stdio_config("--exit-at-start", "3")
    async with running_router(tmp_path, clock=clock) as first:
        await first.add("Broken", config)
        before = status_of(first)
    async with running_router(tmp_path, clock=clock) as second:
        status = status_of(second)
        assert steps(second) == []
        assert status.discovery is DiscoveryStatus.FAILED
        assert status.failure == before.failure
        assert (status.attempted_at, status.retry_at) == (clock.now, clock.now + FIRST_RETRY)
    clock.advance(FIRST_RETRY)
    async with running_router(tmp_path, clock=clock) as third:
        await until_step(third, DiscoveryStep.FAILED)
        assert status_of(third).retry_at == clock.now + 4 * FIRST_RETRY


@pytest.mark.proves("DISC-2")
async def test_a_timeout_is_told_after_a_restart(tmp_path: Path) -> None:
    async with running_router(tmp_path) as first:
        await first.add("Silent", stdio_config("--silent", discovery_timeout_s=0.5))
    async with running_router(tmp_path) as second:
        status = status_of(second)
        assert status.discovery is DiscoveryStatus.TIMEOUT
        assert status.failure is not None
        assert status.failure.kind is FailureKind.TIMEOUT


@pytest.mark.proves("REG-2")
async def test_a_success_forgets_the_failures_before_it(tmp_path: Path) -> None:
    port = reserved_port()
    async with running_router(tmp_path) as running:
        await running.add("Slow", ServerConfig(url=f"http://127.0.0.1:{port}/mcp"))
        with serving(sdk_app(), port):
            await running.router.discovery.refresh(PERSONAL)
            status = status_of(running)
            assert status.discovery is DiscoveryStatus.SUCCESS
            assert (status.failure, status.retry_at) == (None, None)
    async with running_router(tmp_path) as again:
        assert (status_of(again).failure, status_of(again).retry_at) == (None, None)


async def test_enabling_a_server_tries_it_at_once(running: RunningRouter) -> None:
    ref = await running.add("Broken", stdio_config("--exit-at-start", "3"))
    await running.router.servers.set_enabled(ref, False)
    running.trace.clear()
    await running.router.servers.set_enabled(ref, True)
    await until_step(running, DiscoveryStep.FAILED)


@pytest.mark.proves("REG-2")
async def test_in_another_network_what_was_not_reached_is_tried_again(
    running: RunningRouter,
) -> None:
    port = reserved_port()
    await running.add("Slow", ServerConfig(url=f"http://127.0.0.1:{port}/mcp"))
    running.trace.clear()
    with serving(sdk_app(), port):
        monitor = running.router._upstreams._network_monitor  # pyright: ignore[reportPrivateUsage]
        await monitor.on_change()
        await until_step(running, DiscoveryStep.COMPLETE)


async def test_a_removed_server_leaves_no_record_of_its_discovery(
    running: RunningRouter, tmp_path: Path
) -> None:
    ref = await running.add("Broken", stdio_config("--exit-at-start", "3"))
    [record] = tmp_path.rglob("attempts/*.json")
    await running.router.servers.remove(ref)
    assert not record.exists()


# A program that changed on disk


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A copy of a server that a test may change."""
    path = tmp_path / "server.py"
    path.write_text("TOOLS = 'one'\n" + _SCRIPT)
    return path


_SCRIPT = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    tools = [{"name": TOOLS, "inputSchema": {"type": "object"}}]
    result = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "changing", "version": "1"},
        },
        "tools/list": {"tools": tools},
        "tools/call": {"content": [{"type": "text", "text": TOOLS}]},
    }.get(request["method"])
    answer = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
"""


async def trust(running: RunningRouter) -> None:
    await running.router.tools.set_approval_policy(PERSONAL, ApprovalPolicy.TRUST)


def change(script: Path) -> None:
    script.write_text("TOOLS = 'another'\n" + _SCRIPT)


@pytest.mark.proves("CACHE-4")
async def test_a_program_changed_while_we_were_stopped_is_discovered_again(
    tmp_path: Path, script: Path
) -> None:
    data = tmp_path / "data"
    async with running_router(data) as first:
        await trust(first)
        await first.add("Changing", stdio_config(script=script))
    async with running_router(data) as same:
        assert steps(same) == []
    change(script)
    async with running_router(data) as second:
        result = await second.call("tool_execute", {"toolKey": "changing:another"})
        assert result["content"][0]["text"] == "another"
        gone = await second.call("tool_execute", {"toolKey": "changing:one"})
        assert gone["structuredContent"]["code"] == "TOOL_INVALID_INPUT"


@pytest.mark.proves("CACHE-4")
async def test_a_program_changed_while_its_server_is_stopped_is_discovered_before_a_call(
    running: RunningRouter, script: Path
) -> None:
    await trust(running)
    await running.add("Changing", stdio_config(script=script))
    change(script)
    result = await running.call("tool_execute", {"toolKey": "changing:another"})
    assert result["content"][0]["text"] == "another"


@pytest.mark.proves("CACHE-4", "CACHE-6")
async def test_a_changed_program_that_fails_keeps_the_old_list(
    running: RunningRouter, script: Path
) -> None:
    await running.add("Changing", stdio_config(script=script))
    script.write_text("raise SystemExit('out of order')")
    for _ in range(2):
        result = await running.call("tool_execute", {"toolKey": "changing:one"})
        assert "out of order" in result["content"][0]["text"]
    status = status_of(running)
    assert (status.discovery, status.tool_count) == (DiscoveryStatus.FAILED, 1)


# A program that is gone


def install(folder: Path) -> ServerConfig:
    """A server by its name on a PATH of its own."""
    folder.mkdir(exist_ok=True)
    program = folder / "time-server"
    program.symlink_to(sys.executable)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return stdio_config().model_copy(update={"command": program.name, "env": {"PATH": path}})


@pytest.mark.proves("DISC-12")
async def test_a_program_no_longer_on_the_path_is_told_as_that_and_works_when_it_is_back(
    tmp_path: Path,
) -> None:
    data, folder = tmp_path / "data", tmp_path / "bin"
    async with running_router(data) as first:
        await first.add("Time", install(folder))
    (folder / "time-server").unlink()
    async with running_router(data) as second:
        await until_step(second, DiscoveryStep.FAILED)
        status = status_of(second)
        assert status.state is not ServerState.NEEDS_CONSENT
        assert status.failure is not None
        assert status.failure.kind is FailureKind.COMMAND_NOT_FOUND
        gone = await second.call("tool_execute", {"toolKey": "time:echo"})
        assert "Command “time-server” not found" in gone["structuredContent"]["message"]
        assert not gone["structuredContent"]["retryable"]
        install(folder)
        result = await second.call("tool_execute", {"toolKey": "time:echo"})
        assert not result.get("isError"), result


@pytest.mark.proves("U-1")
async def test_a_program_found_elsewhere_than_before_needs_a_consent(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "bin"
    other = tmp_path / "other"
    config = install(folder)
    path = os.pathsep.join((str(folder), str(other), os.environ["PATH"]))
    config = config.model_copy(update={"env": {"PATH": path}})
    async with running_router(data) as running:
        ref = await running.add("Time", config)
        (folder / "time-server").unlink()
        install(other)
        await running.router.discovery.refresh(PERSONAL, ref.server)
        assert status_of(running).state is ServerState.NEEDS_CONSENT
