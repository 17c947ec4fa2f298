"""Other applications and a running router: tokens, files and secrets stay consistent."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from router.api.apps import AppId, AppState
from router.apps.locations import AppLocations
from router.domain.errors import ConfigError, Conflict, ToolboothError
from router.domain.json_values import JsonObject
from router.service.apps import bridge_command
from tests.support.running_router import PERSONAL, RunningRouter, running_router

CURSOR = AppId("cursor")


@pytest.fixture
async def running(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    places = AppLocations(home, {"PATH": ""}, "linux")
    async with running_router(tmp_path / "data", app_locations=places) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".cursor" / "mcp.json"


def token_in(file: Path) -> str:
    entry: JsonObject = json.loads(file.read_text())["mcpServers"]["toolbooth"]
    return str(entry["headers"]["Authorization"]).removeprefix("Bearer ")


async def connect(running: RunningRouter) -> str:
    """Connect Cursor; returns how to undo it."""
    apps = running.router.apps
    return (await apps.connect(await apps.plan(CURSOR))).undo


async def is_answered(running: RunningRouter, token: str) -> bool:
    running.token = token
    return "result" in await running.modern("tools/list")


def names(running: RunningRouter) -> list[str]:
    return [token.name for token in running.router.tokens.list()]


async def test_a_connected_app_is_served_at_once(running: RunningRouter, file: Path) -> None:
    await connect(running)
    assert await is_answered(running, token_in(file))
    app = next(app for app in await running.router.apps.list() if app.id == CURSOR)
    assert app.state is AppState.CONNECTED
    assert app.token in {token.id for token in running.router.tokens.list()}


async def test_connecting_again_keeps_a_valid_token(running: RunningRouter, file: Path) -> None:
    await connect(running)
    first = token_in(file)
    await connect(running)
    assert token_in(file) == first
    assert names(running).count("Cursor") == 1


async def test_a_revoked_token_is_replaced_by_connecting_again(
    running: RunningRouter, file: Path
) -> None:
    await connect(running)
    first = token_in(file)
    token = next(t for t in running.router.tokens.list() if t.name == "Cursor")
    await running.router.tokens.revoke(token.id)
    await connect(running)
    assert token_in(file) != first
    assert await is_answered(running, token_in(file))


async def test_undoing_a_connection_revokes_its_token(running: RunningRouter, file: Path) -> None:
    apps = running.router.apps
    connection = await apps.connect(await apps.plan(CURSOR))
    await apps.undo(connection)
    assert not file.exists()
    assert "Cursor" not in names(running)


async def test_a_refused_connection_leaves_no_token(running: RunningRouter, file: Path) -> None:
    plan = await running.router.apps.plan(CURSOR)
    file.write_text("{}")
    with pytest.raises(Conflict):
        await running.router.apps.connect(plan)
    assert "Cursor" not in names(running)


async def test_disconnecting_an_app_revokes_its_token_and_undo_restores_it(
    running: RunningRouter, file: Path
) -> None:
    await connect(running)
    token = token_in(file)
    apps = running.router.apps
    disconnection = await apps.disconnect(CURSOR)
    assert "toolbooth" not in file.read_text()
    assert "Cursor" not in names(running)
    await apps.undo(disconnection)
    assert token_in(file) == token
    assert await is_answered(running, token)


async def test_a_file_that_cannot_be_changed_keeps_its_token(
    running: RunningRouter, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(running)

    def full(*_: object, **__: object) -> None:
        raise ToolboothError("The disk is full.")

    monkeypatch.setattr("router.apps.file_edit.replace", full)
    with pytest.raises(ToolboothError, match="full"):
        await running.router.apps.disconnect(CURSOR)
    assert await is_answered(running, token_in(file))


async def test_imported_secrets_go_to_the_keyring_and_never_to_the_file(
    running: RunningRouter, tmp_path: Path
) -> None:
    path = tmp_path / "theirs.json"
    path.write_text(
        """{
          // from somewhere
          "inputs": [{"id": "key", "password": true}],
          "mcpServers": {
            "a": {"command": "a", "env": {"API_TOKEN": "planted-token", "MODE": "fast"}},
            "b": {"url": "https://b.example/mcp", "headers": {"X-Key": "${input:key}"}},
          },
        }"""
    )
    found = (await running.router.apps.read_file(path)).servers
    await running.router.apps.import_servers(PERSONAL, found, {"key": "planted-answer"})
    written = (tmp_path / "data" / "workspaces" / "personal" / "workspace.json").read_text()
    assert "planted" not in written
    servers = json.loads(written)["mcpServers"]
    assert servers["a"]["env"] == {"API_TOKEN": "${keyring:personal/a/API_TOKEN}", "MODE": "fast"}
    assert servers["b"]["headers"] == {"X-Key": "${keyring:input/file/key}"}


async def test_imported_servers_never_replace_a_server_of_the_same_name(
    running: RunningRouter, tmp_path: Path
) -> None:
    path = tmp_path / "theirs.json"
    path.write_text('{"mcpServers": {"a": {"command": "one"}}}')
    found = (await running.router.apps.read_file(path)).servers
    for _ in range(2):
        await running.router.apps.import_servers(PERSONAL, found, {})
    assert [s.name for s in running.router.servers.list(PERSONAL)] == ["a", "a 2"]


async def test_an_unreadable_file_is_reported_with_the_reason(
    running: RunningRouter, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        await running.router.apps.read_file(tmp_path / "nowhere.json")


def test_the_bridge_is_named_by_its_absolute_path() -> None:
    assert bridge_command("/opt/v/bin/python3", frozen=False) == ("/opt/v/bin/toolbooth",)
    assert bridge_command("/opt/booth/toolbooth", frozen=True) == ("/opt/booth/toolbooth",)
