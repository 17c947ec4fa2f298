"""Freshness of tool lists: when a server is discovered again, and that an unchanged list causes no
event."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from router.api.events import ServerStatusChanged, StorageStateChanged, ToolsChanged
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_status import ServerStatuses
from router.config.server import ServerConfig
from router.config.settings import ListLimitSettings, Settings
from router.config.workspace import WorkspaceConfig
from router.discovery.vetting.preparation import prepare
from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef
from router.domain.permissions import Permission
from router.domain.tool_lists import CachedListing, CutKind, ServerListing
from router.search.provider import Provider
from router.service import freshness
from router.service.context import ServiceContext
from router.service.discovery_attempts import DiscoveryAttempts
from router.service.freshness import FreshnessMonitor, ListState, due_in
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.config_store import ConfigStore
from router.store.deferred_writes import DeferredWrites
from router.store.redaction import Redactor
from router.store.secrets import LayeredSecrets
from tests.support.fakes import FakeClock, FakeSecrets
from tests.support.listed_server import ListedServer
from tests.support.running_router import PERSONAL, RunningRouter, running_router

READ = {"name": "read", "description": "Read a file."}
WRITE = {"name": "write", "description": "Write a file."}
NOW = datetime(2026, 7, 28, tzinfo=UTC)
FILES = ServerRef(PERSONAL, ServerId("files"))


@pytest.fixture
def listed(tmp_path: Path) -> ListedServer:
    listed = ListedServer(tmp_path / "list.json")
    listed.has(READ)
    return listed


@pytest.mark.proves("REG-2")
@pytest.mark.parametrize(
    ("ttl_ms", "connected", "expected"),
    [
        (None, False, timedelta(hours=24)),
        (None, True, timedelta(minutes=5)),
        (60_000, True, timedelta(minutes=1)),
        (60_000, False, timedelta(hours=24)),
        (0, True, timedelta(seconds=10)),
        (10**12, True, timedelta(hours=24)),
    ],
)
def test_a_list_is_fresh_for_a_day_or_its_connected_servers_ttl(
    ttl_ms: int | None, connected: bool, expected: timedelta
) -> None:
    state = ListState(NOW, ttl_ms=ttl_ms, connected=connected)
    assert due_in(state, NOW) == expected


def ago(**time: float) -> datetime:
    return NOW - timedelta(**time)


def failed(**time: float) -> DiscoveryAttempt:
    """For the second time, which is tried again after two minutes."""
    return DiscoveryAttempt(ago(**time), "", failure=Failure(FailureKind.TIMEOUT), failures=2)


@pytest.mark.proves("REG-2", "DISC-10")
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param(ListState(None), timedelta(0), id="never seen"),
        pytest.param(ListState(ago(hours=20)), timedelta(hours=4), id="seen today"),
        pytest.param(ListState(ago(hours=-20)), timedelta(hours=4), id="seen in the future"),
        pytest.param(ListState(ago(days=-400)), -timedelta(days=399), id="far in the future"),
        pytest.param(ListState(ago(days=2)), -timedelta(days=1), id="overdue"),
        pytest.param(
            ListState(ago(days=2), tried_at=ago(hours=1)), timedelta(hours=23), id="tried since"
        ),
        pytest.param(
            ListState(None, tried_at=ago(hours=1), connected=True),
            timedelta(hours=23),
            id="tried without success",
        ),
        pytest.param(
            ListState(None, attempt=failed(minutes=1)), timedelta(minutes=1), id="failed twice"
        ),
        pytest.param(
            ListState(ago(hours=1), tried_at=ago(minutes=3), attempt=failed(minutes=3)),
            -timedelta(minutes=1),
            id="a known list whose discovery failed",
        ),
        pytest.param(
            ListState(None, tried_at=ago(seconds=9), attempt=failed(minutes=3)),
            timedelta(hours=23, minutes=59, seconds=51),
            id="being tried again",
        ),
        pytest.param(
            ListState(None, attempt=failed(days=-3)), timedelta(minutes=2, days=-3), id="by a clock"
        ),
        pytest.param(ListState(None, just_connected=True), timedelta(0), id="connects unknown"),
        pytest.param(
            ListState(ago(seconds=2), just_connected=True), timedelta(seconds=3), id="just seen"
        ),
        pytest.param(
            ListState(ago(seconds=6), just_connected=True), -timedelta(seconds=1), id="connects"
        ),
        pytest.param(
            ListState(ago(minutes=6), connected=True, idle=timedelta(minutes=1)),
            -timedelta(minutes=1),
            id="in use",
        ),
        pytest.param(
            ListState(ago(minutes=6), connected=True, idle=timedelta(minutes=6)),
            timedelta(hours=23, minutes=54),
            id="connected but idle",
        ),
        pytest.param(
            ListState(ago(days=1), connected=True, idle=timedelta(days=1)),
            timedelta(0),
            id="idle for a day",
        ),
    ],
)
def test_one_rule_decides_how_long_a_list_is_fresh(state: ListState, expected: timedelta) -> None:
    assert due_in(state, NOW) == expected


async def _not_installed(ref: ServerRef, config: ServerConfig) -> ServerConfig:
    return config


class Watch:
    """A `FreshnessMonitor` for one server with a known list, in a state that a test sets."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.connected = False
        self.idle_s: float | None = None
        config = {"name": "Test", "mcpServers": {"files": {"command": "files"}}}
        catalog = WorkspaceCatalog(WorkspaceConfig.model_validate(config), Provider())
        cached = CachedListing(prepare(ServerListing((READ,))), "", self.clock.now)
        catalog.set_listing(FILES.server, cached)
        writes = DeferredWrites()
        workspaces = WorkspaceCatalogs(folder, ConfigStore(folder, writes), Provider(), writes)
        workspaces.catalogs[PERSONAL] = self.catalog = catalog
        self.statuses = ServerStatuses(workspaces.catalogs, lambda _: None)
        context = ServiceContext(
            catalogs=workspaces,
            settings=Settings,
            secrets=LayeredSecrets(FakeSecrets()),
            redactor=Redactor(),
            deferred_writes=writes,
            publish=lambda _: None,
            clock=self.clock,
        )
        self.attempts = DiscoveryAttempts(context, self.statuses, _not_installed)
        self.freshness = FreshnessMonitor(
            workspaces,
            self.attempts,
            self._discover,
            lambda _: None,
            may_run=lambda _: True,
            is_connected=lambda _: self.connected,
            idle_s=lambda _: self.idle_s,
            clock=self.clock,
        )
        self.discoveries = 0

    async def _discover(self, ref: ServerRef) -> None:
        self.discoveries += 1

    def due_after(self, **time: float) -> bool:
        self.clock.advance(timedelta(**time))
        return self.freshness.is_due(FILES)


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path)


@pytest.mark.proves("DISC-10")
def test_a_stopped_server_is_discovered_once_a_day(watch: Watch) -> None:
    assert not watch.due_after(hours=23)
    assert watch.due_after(hours=1)


@pytest.mark.proves("REG-2", "DISC-10")
def test_a_connected_server_in_use_is_discovered_every_five_minutes(
    watch: Watch,
) -> None:
    watch.connected, watch.idle_s = True, 20
    assert not watch.due_after(minutes=4)
    assert watch.due_after(minutes=1)


def test_discovery_does_not_keep_an_unused_server_connected(watch: Watch) -> None:
    watch.connected, watch.idle_s = True, 300
    assert not watch.due_after(minutes=5)


async def test_a_failed_check_is_not_retried_at_once(watch: Watch) -> None:
    watch.clock.advance(timedelta(hours=24))
    watch.freshness.discover_due()
    assert not watch.freshness.is_due(FILES)
    assert not watch.due_after(hours=23)
    assert watch.due_after(hours=1)


@pytest.mark.proves("REG-2")
async def test_a_failed_discovery_is_tried_again_with_growing_pauses(watch: Watch) -> None:
    failure = Failure(FailureKind.UNREACHABLE)
    for pause in (30, 120, 480):
        watch.attempts.ended(FILES, "", "", failure)
        assert not watch.due_after(seconds=pause - 1)
        assert watch.due_after(seconds=1)


@pytest.mark.proves("REG-2")
async def test_after_a_sleep_only_what_the_network_may_have_caused_is_tried_again(
    watch: Watch,
) -> None:
    for kind, tried in ((FailureKind.BAD_PROTOCOL, 0), (FailureKind.UNREACHABLE, 1)):
        watch.attempts.ended(FILES, "", "", Failure(kind))
        watch.freshness.retry_failed()
        await asyncio.sleep(0)
        assert watch.discoveries == tried


def test_a_clock_that_was_set_back_does_not_keep_a_list_for_good(watch: Watch) -> None:
    assert not watch.due_after(hours=-1)
    assert watch.due_after(days=-400)


@pytest.mark.parametrize("days", [3, -3, 400, -400])
async def test_each_clock_change_starts_one_check_even_if_it_fails(watch: Watch, days: int) -> None:
    cached = CachedListing(prepare(ServerListing((READ,))), "", watch.clock.now)
    for jump in (timedelta(days=days), timedelta(days=-days)):
        watch.clock.advance(jump)
        if jump > timedelta(0):  # the list is discovered while the clock is ahead
            ahead = replace(cached, cached_at=watch.clock.now)
            watch.catalog.set_listing(FILES.server, ahead)
        before = watch.discoveries
        for _ in range(10):
            watch.freshness.discover_due()
            await asyncio.sleep(0)
            watch.clock.advance(timedelta(seconds=freshness.TICK_S))
        assert watch.discoveries - before <= 1
    assert watch.discoveries >= 1


def written(data: Path) -> tuple[bytes, int]:
    path = data / "workspaces" / "personal" / "cache" / "files.json"
    return path.read_bytes(), path.stat().st_ino


@pytest.mark.proves("DISC-10", "CACHE-8")
async def test_connecting_to_a_server_discovers_its_list(
    running: RunningRouter, listed: ListedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "_JUST_SEEN", timedelta(0))
    await running.add("Files", listed.config)
    listed.has(READ, WRITE)
    running.trace.clear()
    await running.call("tool_execute", {"toolKey": "files:read"})
    assert (await running.trace.until(ToolsChanged)).count == 2
    await running.trace.until(ServerStatusChanged, lambda e: e.status.pending_count == 1)


@pytest.mark.proves("DISC-10", "CACHE-8")
async def test_an_unchanged_list_writes_and_publishes_nothing(
    tmp_path: Path, listed: ListedServer
) -> None:
    clock = FakeClock()
    async with running_router(tmp_path / "data", clock=clock) as running:
        ref = await running.add("Files", listed.config)
        await running.call("tool_execute", {"toolKey": "files:read"})
        clock.advance(timedelta(seconds=1))
        before, seen = (
            written(tmp_path / "data"),
            running.router.servers.list(PERSONAL)[0].listed_at,
        )
        asked = listed.times_asked
        running.trace.clear()
        await running.router._upstreams.discovery_queue.discover_quietly(ref)  # pyright: ignore[reportPrivateUsage]
        assert listed.times_asked == asked + 1
        assert written(tmp_path / "data") == before
        assert running.trace.events == []
        [status] = running.router.servers.list(PERSONAL)
        assert status.listed_at is not None
        assert seen is not None
        assert status.listed_at > seen


@pytest.mark.proves("DISC-10")
async def test_list_changed_starts_a_discovery(
    running: RunningRouter, listed: ListedServer
) -> None:
    await running.add("Files", listed.config)
    listed.has(READ, WRITE, {"name": "announce"})
    running.trace.clear()
    ref = running.router.servers.find(PERSONAL, "Files")
    await running.router.discovery.refresh(PERSONAL, ref.server)
    await running.router.tools.approve(ref)
    listed.has(READ)
    running.trace.clear()
    await running.call("tool_execute", {"toolKey": "files:announce"})
    await running.trace.until(ToolsChanged, lambda event: event.count == 1)


@pytest.mark.proves("DISC-10")
async def test_neither_reading_nor_a_permission_nor_a_disabled_server_starts_a_discovery(
    running: RunningRouter, listed: ListedServer
) -> None:
    ref = await running.add("Files", listed.config)
    [view] = running.router.tools.list(ref)
    asked = listed.times_asked
    await running.router.permissions.set(PERSONAL, view.key, Permission.DENY)
    await running.call("tool_discovery", {"query": ["file"]})
    await running.router.servers.set_enabled(ref, False)
    await running.router.discovery.refresh(PERSONAL)
    assert listed.times_asked == asked


@pytest.mark.proves("CACHE-5")
async def test_a_list_that_cannot_be_written_is_used_and_reported(
    tmp_path: Path, listed: ListedServer
) -> None:
    async with running_router(tmp_path / "data") as running:
        ref = await running.add("Files", listed.config)
        path = tmp_path / "data" / "workspaces" / "personal" / "cache" / "files.json"
        path.unlink()
        path.mkdir()
        listed.has({"name": "read", "description": "Read a file."}, {**WRITE})
        await running.router.discovery.refresh(PERSONAL, ref.server)
        unwritten = await running.trace.until(StorageStateChanged)
        assert unwritten.reason == f"Can't use {path}: it can't be read (Is a directory)."
        assert running.router.settings.unwritten_reason() == unwritten.reason
        assert len(running.router.tools.list(ref)) == 2
        path.rmdir()
        await running.router.discovery.refresh(PERSONAL, ref.server)
        await running.trace.until(StorageStateChanged, lambda event: event.reason == "")
        assert path.is_file()


@pytest.mark.proves("DISC-8")
async def test_stricter_limits_apply_at_once_to_known_lists(
    running: RunningRouter, listed: ListedServer
) -> None:
    listed.has({"name": "read", "description": "x" * 300})
    ref = await running.add("Files", listed.config)
    strict = ListLimitSettings(preset="strict")
    await running.router.settings.update({"list_limits": strict})
    [view] = running.router.tools.list(ref)
    assert len(view.description) == 200
    [status] = running.router.servers.list(PERSONAL)
    assert [(cut.kind, cut.count) for cut in status.cuts] == [(CutKind.LONG_DESCRIPTION, 1)]
