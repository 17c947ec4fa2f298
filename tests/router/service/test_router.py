"""The whole router, with real files and real processes."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import keyring
import keyring.backend
import pytest

from router.api.events import (
    ConfigAccepted,
    ConfigRejected,
    DiscoveryProgressed,
    ServerRemoved,
    ServerStatusChanged,
    ToolsChanged,
    WorkspacesChanged,
)
from router.config.server import ServerConfig
from router.domain.errors import Conflict, NotFound, ToolboothError
from router.domain.failures import FailureKind
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.servers import DiscoveryStatus, DiscoveryStep, ServerState
from router.domain.tools import DataSource
from router.service import Router
from router.store.config_store import Change, ConfigStore, WorkspaceRemoved
from tests.support.running_router import (
    PERSONAL,
    STDIO_SERVER,
    RunningRouter,
    running_router,
    save,
    stdio_config,
)


def workspace_file(data_dir: Path) -> Path:
    return data_dir / "workspaces" / "personal" / "workspace.json"


def files_with(text: bytes, folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]


async def test_a_server_whose_consent_cannot_be_kept_is_not_added(
    running: RunningRouter, tmp_path: Path
) -> None:
    workspace = workspace_file(tmp_path)
    before = workspace.read_bytes()
    workspace.with_name("consents.json").write_bytes(b"damaged")
    with pytest.raises(ToolboothError, match="consents"):
        await running.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True)
    assert workspace.read_bytes() == before
    assert running.router.servers.list(PERSONAL) == ()


async def test_a_change_whose_consent_cannot_be_kept_is_said_to_be_saved(
    running: RunningRouter, tmp_path: Path
) -> None:
    server = await running.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True)
    ref = ServerRef(PERSONAL, server)
    workspace_file(tmp_path).with_name("consents.json").write_bytes(b"damaged")
    changed = stdio_config("--changed")
    with pytest.raises(ToolboothError, match="consents") as refused:
        await running.router.servers.update(ref, "Test", changed, consent=True)
    assert "was saved, but its command is not approved" in refused.value.hint
    assert running.router.servers.config(ref).args == changed.args
    (status,) = running.router.servers.list(PERSONAL)
    assert status.state is ServerState.NEEDS_CONSENT


async def test_a_planted_consent_starts_no_program_that_appears_later(
    running: RunningRouter, tmp_path: Path
) -> None:
    """While the program is missing, nothing can tell whether its consent was signed here."""
    program, started = tmp_path / "program", tmp_path / "started"
    planted = {"formatVersion": 2, "servers": {"test": "planted"}}
    workspace_file(tmp_path).with_name("consents.json").write_text(json.dumps(planted))
    config = ServerConfig(command=str(program))
    server = await running.router.servers.add(PERSONAL, "Test", config, consent=False)
    assert server == "test"
    await running.router.discovery.refresh(PERSONAL)
    (missing,) = running.router.servers.list(PERSONAL)
    assert missing.failure is not None
    assert missing.failure.kind is FailureKind.COMMAND_NOT_FOUND
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o700)
    await running.router.discovery.refresh(PERSONAL)
    (found,) = running.router.servers.list(PERSONAL)
    assert found.state is ServerState.NEEDS_CONSENT
    assert not started.exists()


async def test_adding_a_server_returns_at_once_and_its_tools_follow(running: RunningRouter) -> None:
    server = await running.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True)
    ref = ServerRef(PERSONAL, server)
    await running.trace.until(ToolsChanged, lambda event: event.server == server)
    steps = [e.step for e in running.trace.events if isinstance(e, DiscoveryProgressed)]
    assert steps == [
        DiscoveryStep.STARTING,
        DiscoveryStep.CONNECTING,
        DiscoveryStep.DISCOVERING,
        DiscoveryStep.CACHING,
        DiscoveryStep.COMPLETE,
    ]
    assert "echo" in [view.key.tool for view in running.router.tools.list(ref)]
    [status] = running.router.servers.list(PERSONAL)
    assert status.discovery is DiscoveryStatus.SUCCESS


@pytest.mark.proves("DISC-1")
async def test_an_existing_name_is_an_error(running: RunningRouter) -> None:
    await running.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True)
    with pytest.raises(Conflict):
        await running.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True)


@pytest.mark.proves("CACHE-3")
async def test_a_server_started_for_discovery_is_stopped_afterwards(running: RunningRouter) -> None:
    await running.add("Test")
    [status] = running.router.servers.list(PERSONAL)
    assert status.state is ServerState.IDLE


@pytest.mark.proves("CACHE-2", "CACHE-3")
async def test_at_start_cached_tools_are_listed_and_a_fresh_server_is_not_started(
    tmp_path: Path,
) -> None:
    async with running_router(tmp_path) as first:
        await first.add("Test")
    async with running_router(tmp_path) as second:
        hits = (await second.call("tool_discovery", {"query": ["echo"]}))["structuredContent"]
        assert hits["results"][0]["toolKey"] == "test:echo"
        views = second.router.tools.list(second.router.servers.find(PERSONAL, "Test"))
        assert {view.source for view in views} == {DataSource.CACHED}
        assert not any(isinstance(event, DiscoveryProgressed) for event in second.trace.events)


@pytest.mark.proves("CACHE-3")
async def test_a_list_older_than_a_day_is_refreshed_at_start(tmp_path: Path) -> None:
    async with running_router(tmp_path) as first:
        await first.add("Test")

    def tomorrow() -> datetime:
        return datetime.now(UTC) + timedelta(hours=25)

    async with running_router(tmp_path, clock=tomorrow) as second:
        await second.trace.until(
            DiscoveryProgressed, lambda event: event.step is DiscoveryStep.COMPLETE
        )


@pytest.mark.proves("CACHE-4")
async def test_a_list_for_another_configuration_is_ignored(tmp_path: Path) -> None:
    async with running_router(tmp_path) as first:
        ref = await first.add("Test")
        changed = stdio_config("--noise", "1")
        await first.router.servers.update(ref, "Test", changed, consent=False)
        [status] = first.router.servers.list(PERSONAL)
        assert status.tool_count is None
        assert status.state is ServerState.NEEDS_CONSENT


@pytest.mark.proves("CACHE-6", "REG-6")
async def test_a_failed_refresh_keeps_the_tools_and_shows_their_age(
    running: RunningRouter, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    shutil.copy(STDIO_SERVER, script)
    ref = await running.add("Test", stdio_config(script=script))
    script.write_text("raise SystemExit('out of order')")
    await running.router.discovery.refresh(PERSONAL)
    [status] = running.router.servers.list(PERSONAL)
    assert status.discovery is DiscoveryStatus.FAILED
    assert status.failure is not None
    assert "out of order" in status.failure.detail
    assert len(running.router.tools.list(ref)) == status.tool_count
    found = await running.call("tool_discovery", {"query": ["echo"]})
    assert found["structuredContent"]["results"][0]["readiness"].startswith("cached just now")


@pytest.mark.proves("CACHE-7")
async def test_calling_a_cached_tool_starts_its_server(running: RunningRouter) -> None:
    await running.add("Test")
    arguments = {"toolKey": "test:echo", "arguments": {"text": "hi"}}
    result = await running.call("tool_execute", arguments)
    assert result["structuredContent"] == {"text": "hi"}
    [status] = running.router.servers.list(PERSONAL)
    assert status.state is ServerState.READY


@pytest.mark.proves("CACHE-5")
async def test_a_cache_that_cannot_be_written_blocks_nothing(
    running: RunningRouter, tmp_path: Path
) -> None:
    (tmp_path / "workspaces" / "personal" / "cache").write_text("in the way")
    ref = await running.add("Test")
    assert running.router.tools.list(ref)


@pytest.mark.proves("CACHE-8", "DISC-10")
async def test_a_refresh_without_changes_publishes_no_event(running: RunningRouter) -> None:
    await running.add("Test")
    running.trace.clear()
    await running.router.discovery.refresh(PERSONAL)
    assert not [e for e in running.trace.events if isinstance(e, ToolsChanged)]


async def test_repeated_list_changes_are_read_one_at_a_time(running: RunningRouter) -> None:
    await running.add("Test")
    running.trace.clear()
    arguments = {"method": "notifications/tools/list_changed"}
    for _ in range(20):
        await running.call("tool_execute", {"toolKey": "test:notify", "arguments": arguments})
    await running.trace.until(DiscoveryProgressed, lambda e: e.step is DiscoveryStep.COMPLETE)
    progress = [e.step for e in running.trace.events if isinstance(e, DiscoveryProgressed)]
    ends = [s for s in progress if s in (DiscoveryStep.STARTING, DiscoveryStep.COMPLETE)]
    assert ends[::2] == [DiscoveryStep.STARTING] * len(ends[::2])
    assert ends[1::2] == [DiscoveryStep.COMPLETE] * len(ends[1::2])
    assert len(ends) < 20, "several notices, one look"


@pytest.mark.proves("U-1")
async def test_a_command_added_in_the_file_needs_consent(
    running: RunningRouter, tmp_path: Path
) -> None:
    file = workspace_file(tmp_path)
    content = json.loads(file.read_text())
    content["mcpServers"]["Pasted"] = stdio_config().to_json()
    save(file, json.dumps(content))
    await running.trace.until(
        ServerStatusChanged, lambda event: event.status.state is ServerState.NEEDS_CONSENT
    )
    ref = running.router.servers.find(PERSONAL, "Pasted")
    await running.router.discovery.refresh(PERSONAL)
    assert not any(isinstance(event, DiscoveryProgressed) for event in running.trace.events)
    await running.router.servers.grant_consent(ref)
    await running.trace.until(ToolsChanged, lambda event: event.server == ref.server)


async def test_a_malformed_edit_is_refused_and_the_last_good_state_stays(
    running: RunningRouter, tmp_path: Path
) -> None:
    ref = await running.add("Test")
    file = workspace_file(tmp_path)
    good = file.read_text()
    save(file, '{\n  "schemaVersion": 1,\n  "name": "Personal",,\n}')
    rejected = await running.trace.until(ConfigRejected)
    assert (rejected.path, rejected.line) == (file, 3)
    assert running.router.tools.list(ref)
    save(file, good)
    await running.trace.until(ConfigAccepted)
    assert running.router.tools.list(ref)


async def test_the_file_watch_continues_after_an_error(
    running: RunningRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poll, failures = ConfigStore.poll, iter([ZeroDivisionError("a round")])

    def poll_that_fails_once(store: ConfigStore) -> list[Change]:
        for failure in failures:
            raise failure
        return [WorkspaceRemoved(WorkspaceId("never-there")), *poll(store)]

    monkeypatch.setattr(ConfigStore, "poll", poll_that_fails_once)
    save(workspace_file(tmp_path), '{"name": "Mine", "mcpServers": {}}')
    await running.trace.until(WorkspacesChanged, lambda _: "Mine" in names_of(running))


def names_of(running: RunningRouter) -> list[str]:
    return [workspace.name for workspace in running.router.workspaces.list()]


async def test_a_server_name_takes_precedence_over_anothers_id(
    running: RunningRouter, tmp_path: Path
) -> None:
    web = ServerConfig(url="http://127.0.0.1:9/mcp")
    first = await running.router.servers.add(PERSONAL, "My Files", web, consent=True)
    second = await running.router.servers.add(PERSONAL, "my_files", web, consent=True)
    assert first == "my_files" != second
    assert running.router.servers.find(PERSONAL, "my_files").server == second
    assert running.router.servers.find(PERSONAL, "My Files").server == first
    changed = await running.router.servers.update(
        ServerRef(PERSONAL, second), "my_files", web, consent=True
    )
    assert changed == second
    [imported] = await running.router.servers.add_imported(PERSONAL, {"my files": web})
    assert imported not in (first, second)


async def test_an_unnoticed_edit_of_the_file_survives_our_change(tmp_path: Path) -> None:
    router = Router(tmp_path)
    await router.open()
    web = ServerConfig(url="http://127.0.0.1:9/mcp")
    ref = ServerRef(PERSONAL, await router.servers.add(PERSONAL, "Web", web, consent=True))
    edit_text(workspace_file(tmp_path), "127.0.0.1:9/mcp", "127.0.0.1:9/edited")
    await router.servers.set_enabled(ref, False)
    edited = ServerConfig(url="http://127.0.0.1:9/edited", disabled=True)
    assert router.servers.config(ref) == edited
    edit_text(tmp_path / "settings.json", '"resultsPerSearch": 8', '"resultsPerSearch": 10')
    await router.workspaces.switch(PERSONAL)
    assert router.settings.current().results_per_search == 10
    edit_text(tmp_path / "settings.json", '"resultsPerSearch": 10', '"resultsPerSearch": 9')
    await router.settings.update({"theme": "dark"})
    assert (router.settings.current().results_per_search, router.settings.current().theme) == (
        9,
        "dark",
    )
    await router.stop()


def edit_text(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    assert len(new) != len(old)  # the resolution of file times may be too coarse
    file.write_text(text.replace(old, new))


async def test_imported_commands_need_consent_and_duplicate_names_get_a_number(
    running: RunningRouter,
) -> None:
    await running.add("Test")
    added = await running.router.servers.add_imported(
        PERSONAL, {"Test": stdio_config(), "Web": ServerConfig(url="http://127.0.0.1:9/mcp")}
    )
    states = {s.name: s.state for s in running.router.servers.list(PERSONAL) if s.id in added}
    assert states["Test 2"] is ServerState.NEEDS_CONSENT
    assert states["Web"] is not ServerState.NEEDS_CONSENT


@pytest.mark.proves("REG-6")
async def test_a_disabled_servers_tools_disappear_and_return(running: RunningRouter) -> None:
    ref = await running.add("Test")
    await running.router.servers.set_enabled(ref, False)
    result = await running.call("tool_execute", {"toolKey": "test:echo"})
    assert result["isError"] is True
    await running.router.servers.set_enabled(ref, True)
    result = await running.call("tool_execute", {"toolKey": "test:echo"})
    assert "isError" not in result


async def test_a_removed_server_leaves_nothing_behind(
    running: RunningRouter, tmp_path: Path
) -> None:
    ref = await running.add("Test")
    cached = tmp_path / "workspaces" / "personal" / "cache" / "test.json"
    assert cached.exists()
    await running.router.servers.remove(ref)
    assert running.router.servers.list(PERSONAL) == ()
    assert not cached.exists()
    assert json.loads(workspace_file(tmp_path).read_text())["mcpServers"] == {}
    await running.trace.until(ServerRemoved, lambda event: event.ref == ref)
    with pytest.raises(NotFound):
        running.router.servers.config(ref)


async def test_a_second_instance_on_the_same_directory_is_refused(
    running: RunningRouter, tmp_path: Path
) -> None:
    second = Router(tmp_path, port=0)
    with pytest.raises(Conflict, match=running.url):
        await second.start()
    await second.stop()
    assert (await running.modern("tools/list"))["result"]["tools"]


class MemoryKeyring(keyring.backend.KeyringBackend):
    priority = 1  # pyright: ignore[reportAssignmentType] - a class property in the library

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[username]


async def test_a_secret_goes_to_the_keyring_and_reaches_only_the_server(
    running: RunningRouter, tmp_path: Path
) -> None:
    before, memory = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(memory)
    try:
        await running.add("Test", stdio_config(env={"API_TOKEN": "s3cret-value"}))
        result = await running.call("tool_execute", {"toolKey": "test:env"})
    finally:
        keyring.set_keyring(before)
    assert memory.kept == {"personal/test/API_TOKEN": "s3cret-value"}
    assert "s3cret-value" in json.dumps(result)
    assert not files_with(b"s3cret-value", tmp_path)
    assert "${keyring:personal/test/API_TOKEN}" in workspace_file(tmp_path).read_text()
