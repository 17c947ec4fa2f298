"""How a whole router runs servers: lifecycles, giving up, processes, servers of the environment."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import timedelta
from itertools import takewhile
from pathlib import Path

import pytest

from router.api.events import AttentionNeeded, Event, ServerStatusChanged, ToolsChanged
from router.cli.environment_servers import servers_of_environment
from router.commands.registry import dispatch
from router.config.server import Lifecycle
from router.domain.errors import InvalidInput
from router.domain.failures import FailureKind
from router.domain.ids import ServerId, ServerRef
from router.domain.servers import ServerState
from router.service import discovery_queue, freshness
from tests.servers.commands import recorded
from tests.servers.http_server import serving
from tests.servers.odd_http_server import OddServer
from tests.support.running_router import PERSONAL, RunningRouter, running_router, stdio_config
from tests.support.timeouts import WAIT_S

TEST = ServerRef(PERSONAL, ServerId("test"))
READY = ServerState.READY


async def until_state(running: RunningRouter, state: ServerState) -> ServerStatusChanged:
    return await running.trace.until(ServerStatusChanged, lambda e: e.status.state is state)


@pytest.mark.parametrize("lifecycle", [Lifecycle.EAGER, Lifecycle.ALWAYS])
async def test_eager_and_always_running_servers_run_before_the_first_call(
    tmp_path: Path, lifecycle: Lifecycle
) -> None:
    async with running_router(tmp_path) as first:
        config = stdio_config(lifecycle=lifecycle)
        await first.router.servers.add(PERSONAL, "Test", config, consent=True)
        await until_state(first, READY)
    written = json.loads((tmp_path / "workspaces/personal/workspace.json").read_text())
    assert written["mcpServers"]["Test"]["lifecycle"] == lifecycle
    async with running_router(tmp_path) as second:
        await until_state(second, READY)


async def test_the_revision_a_server_speaks_is_remembered_across_starts(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with running_router(tmp_path / "data") as first:
        config = stdio_config("--modern-only", "--record", str(record))
        await first.add("Test", config, unconfined=True)
    assert recorded(record, "refused")[0] == "initialize"
    record.unlink()
    async with running_router(tmp_path / "data") as second:
        await second.router.discovery.refresh(PERSONAL, TEST.server)
    assert len(recorded(record, "started")) == 1
    assert recorded(record, "refused") == []


async def test_a_server_changed_to_always_run_is_started_at_once(running: RunningRouter) -> None:
    await running.add("Test")
    running.trace.clear()
    always = stdio_config(lifecycle=Lifecycle.ALWAYS)
    await running.router.servers.update(TEST, "Test", always, consent=True)
    await until_state(running, READY)
    await running.router.discovery.refresh(PERSONAL, TEST.server)
    assert running.router.servers.list(PERSONAL)[0].state is READY
    await running.router.servers.set_enabled(TEST, False)
    assert running.router.servers.list(PERSONAL)[0].state is ServerState.DISABLED
    running.trace.clear()
    await running.router.servers.set_enabled(TEST, True)
    await until_state(running, READY)


async def test_giving_up_on_a_server_is_published_once_and_the_user_can_retry(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("router.upstream.restart_policy.LONGEST_PAUSE_S", 1e-3)
    monkeypatch.setattr("router.upstream.restart_policy._FIRST_PAUSE_S", 1e-3)
    config = stdio_config("--exit-at-start", "3", lifecycle=Lifecycle.ALWAYS)
    await running.router.servers.add(PERSONAL, "Test", config, consent=True)
    given_up = await running.trace.until(AttentionNeeded)
    assert (given_up.ref, given_up.failure.kind) == (TEST, FailureKind.EXITED)
    await until_state(running, ServerState.FAILED)
    states = [e.status.state for e in running.trace.events if isinstance(e, ServerStatusChanged)]
    assert ServerState.BACKING_OFF in states
    running.trace.clear()
    await running.router.discovery.refresh(PERSONAL, TEST.server)
    await until_state(running, ServerState.CONNECTING)
    # It may have been given up again since.
    before_retry = takewhile(is_not_connecting, running.trace.events)
    assert not any(isinstance(event, AttentionNeeded) for event in before_retry)


def is_not_connecting(event: Event) -> bool:
    return not (
        isinstance(event, ServerStatusChanged) and event.status.state is ServerState.CONNECTING
    )


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is known on Windows")
async def test_status_shows_resource_usage_of_running_servers(running: RunningRouter) -> None:
    await running.add("Test")
    status = await dispatch(running.router, "status", {})
    assert status["servers"][0]["process"] is None
    await running.call("tool_execute", {"toolKey": "test:echo"})
    [server] = (await dispatch(running.router, "status", {}))["servers"]
    assert server["process"]["pid"] > 0
    assert server["process"]["rssBytes"] > 1_000_000
    assert set(server["process"]) == {
        "pid", "startedAt", "processes", "rssBytes", "cpuSeconds", "cpuPercent",
    }  # fmt: skip


@pytest.mark.proves("REG-9")
async def test_a_server_from_the_environment_is_used_with_its_key_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = OddServer()
    monkeypatch.setenv("ODD_API_KEY", "s3cret-key")
    with serving(odd.app) as url:
        from_environment = servers_of_environment(
            {"ODD_MCP_URL": f"{url}/mcp", "ODD_API_KEY": "s3cret-key"}
        )
        async with running_router(tmp_path, extra_servers=from_environment) as running:
            ref = ServerRef(PERSONAL, ServerId("odd"))
            assert [status.id for status in running.router.servers.list(PERSONAL)] == ["odd"]
            await running.router.discovery.refresh(PERSONAL, ref.server)
            assert {seen.headers["authorization"] for seen in odd.requests} == {"Bearer s3cret-key"}
            for change in (
                running.router.servers.remove(ref),
                running.router.servers.set_enabled(ref, False),
                running.router.servers.update(ref, "Odd", from_environment["odd"], consent=True),
            ):
                with pytest.raises(InvalidInput, match="environment"):
                    await change
            await running.add("Test")
            assert len(running.router.servers.list(PERSONAL)) == 2
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"s3cret-key" in text for text in files)
    written = json.loads((tmp_path / "workspaces/personal/workspace.json").read_text())
    assert list(written["mcpServers"]) == ["Test"]


def test_the_environment_defines_servers_switches_and_keys(
    caplog: pytest.LogCaptureFixture,
) -> None:
    servers = servers_of_environment(
        {
            "GIT_HUB_MCP_URL": "https://github.example/mcp",
            "GIT_HUB_API_KEY": "k",
            "PLAIN_MCP_URL": "http://plain.example/mcp",
            "PLAIN_MCP_ENABLED": "False",
            "BAD_MCP_URL": "ftp://bad.example",
            "TOOLBOOTH_MCP_URL": "http://127.0.0.1:3717/mcp",
            "_MCP_URL": "http://nameless.example",
            "OTHER_API_KEY": "k",
        }
    )
    assert list(servers) == ["git_hub", "plain"]
    assert servers["git_hub"].headers == {"Authorization": "Bearer ${env:GIT_HUB_API_KEY}"}
    assert not servers["git_hub"].disabled
    assert (servers["plain"].disabled, servers["plain"].headers) == (True, {})
    assert "BAD_MCP_URL" in caplog.text


async def test_a_server_in_the_file_takes_precedence_over_the_environment(tmp_path: Path) -> None:
    async with running_router(tmp_path) as first:
        await first.add("test")
    from_environment = servers_of_environment({"TEST_MCP_URL": "http://127.0.0.1:9/mcp"})
    async with running_router(tmp_path, extra_servers=from_environment) as second:
        [status] = second.router.servers.list(PERSONAL)
        assert status.target.endswith("stdio_server.py")
        await second.router.servers.remove(status.ref)
        assert [s.target for s in second.router.servers.list(PERSONAL)] == ["127.0.0.1:9/mcp"]


def logged_events(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, object]]]:
    """The structured events in the log."""
    records = [record.__dict__ for record in caplog.records]
    return [(record["event"], record["fields"]) for record in records if "event" in record]


@pytest.mark.proves("REG-8")
async def test_discovery_and_registry_log_structured_events(
    running: RunningRouter, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    await running.add("Test")
    count = len(running.router.tools.list(TEST))
    events = dict(logged_events(caplog))
    trace = events["tools.discovery.started"].pop("traceId")
    assert trace
    assert events["tools.discovery.started"] == {"serverCount": 1}
    assert events["tools.discovery.server.success"] == {
        "serverName": "test", "toolCount": count, "traceId": trace,
    }  # fmt: skip
    assert events["tools.registry.updated"]["mcpCount"] == count
    assert events["tools.registry.updated"]["staticCount"] == 2
    caplog.clear()
    failing = stdio_config("--exit-at-start", "3")
    await running.router.servers.update(TEST, "Test", failing, consent=True)
    await running.router.discovery.refresh(PERSONAL, TEST.server)
    failed = dict(logged_events(caplog))["tools.discovery.server.failed"]
    assert failed["serverName"] == "test"
    assert "code 3" in str(failed["errorMessage"])
    await running.router.servers.remove(TEST)
    removed = dict(logged_events(caplog))["tools.registry.server.removed"]
    assert (removed["serverName"], removed["removedCount"]) == ("test", 0)


@pytest.mark.proves("REG-8")
async def test_disabling_and_enabling_a_server_is_logged_with_one_trace(
    running: RunningRouter, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    await running.add("Test")
    count = len(running.router.tools.list(TEST))
    caplog.clear()
    await running.router.servers.set_enabled(TEST, enabled=False)
    (first, removed), (second, updated) = logged_events(caplog)
    assert (first, second) == ("tools.registry.server.removed", "tools.registry.updated")
    assert (removed["serverName"], removed["removedCount"]) == ("test", count)
    assert updated["mcpCount"] == 0
    assert removed["traceId"] == updated["traceId"] != ""
    caplog.clear()
    await running.router.servers.set_enabled(TEST, enabled=True)
    [(name, updated)] = logged_events(caplog)
    assert (name, updated["mcpCount"]) == ("tools.registry.updated", count)


@pytest.mark.proves("REG-8")
async def test_the_discoveries_of_a_start_have_one_trace_and_their_true_number(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with running_router(tmp_path) as first:
        for name in ("Test", "Other"):
            await first.add(name)
    for cached in tmp_path.rglob("cache/*.json"):
        cached.unlink()
    caplog.clear()
    async with running_router(tmp_path) as second:
        for name in ("test", "other"):
            await second.trace.until(ToolsChanged, lambda e, name=name: e.server == name)
    started, *others = logged_events(caplog)
    assert started[0] == "tools.discovery.started"
    assert started[1]["serverCount"] == 2
    assert {fields["traceId"] for _, fields in others} == {started[1]["traceId"]}
    assert {fields.get("serverName") for _, fields in others} >= {"test", "other"}


@pytest.mark.proves("REG-2", "REG-8")
async def test_a_refresh_by_age_is_logged_from_its_start_with_a_trace(
    running: RunningRouter, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("INFO")
    await running.add("Test")
    monkeypatch.setattr(freshness, "_JUST_SEEN", timedelta(0))
    caplog.clear()
    succeeded_once = asyncio.Event()

    def watch(record: logging.LogRecord) -> bool:
        if record.__dict__.get("event") == "tools.discovery.server.success":
            succeeded_once.set()
        return True

    monkeypatch.setattr(discovery_queue.log, "filters", [watch])
    await running.call("tool_execute", {"toolKey": "test:echo"})
    async with asyncio.timeout(WAIT_S):
        await succeeded_once.wait()
    (first, started), (last, succeeded) = logged_events(caplog)
    assert (first, last) == ("tools.discovery.started", "tools.discovery.server.success")
    assert started["serverCount"] == 1
    assert started["traceId"] == succeeded["traceId"] != ""
