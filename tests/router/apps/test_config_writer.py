"""Our entry in other applications' files: nothing else changes, and it can be undone."""

from __future__ import annotations

import json
import stat
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from router.api.apps import AppId, AppState
from router.apps import config_document
from router.apps.app_specs import CONNECTABLE, EntryTarget
from router.apps.config_reader import SelfReference
from router.apps.config_writer import AppConfigWriter, spec_of
from router.apps.locations import AppLocations
from router.domain.errors import ConfigError, Conflict
from router.domain.json_values import JsonObject, as_object
from tests.router.apps.client_files import FILES

URL = "http://127.0.0.1:3717/mcp"
TOKEN = "tbt_0123abcd_" + "s" * 43
ENDPOINT = EntryTarget(URL, TOKEN, ("/opt/toolbooth", "connect", "--profile", "claude-desktop"))
NOW = datetime(2026, 5, 4, 13, 2, 1, tzinfo=UTC)
IDS = [str(spec.id) for spec in CONNECTABLE]


def connections(home: Path, port: int = 3717) -> AppConfigWriter:
    places = AppLocations(home, {"PATH": ""}, "linux")
    return AppConfigWriter(places, lambda: SelfReference(frozenset({port})), lambda: NOW)


def put(home: Path, client: str) -> Path:
    name, text = FILES[client]
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def connect(home: Path, client: str) -> Path:
    here = connections(home)
    plan = here.plan(AppId(client), ENDPOINT)
    return here.connect(AppId(client), ENDPOINT, plan.fingerprint).path


def content(client: str, path: Path) -> JsonObject:
    return config_document.read(spec_of(AppId(client)).format, path, path.read_text())


def entry(client: str, path: Path) -> JsonObject:
    spec = spec_of(AppId(client))
    return as_object(config_document.value_at(content(client, path), (*spec.keys, "toolbooth")))


@pytest.mark.parametrize("client", IDS)
def test_connecting_adds_one_entry_and_keeps_every_other_line(client: str, tmp_path: Path) -> None:
    path = put(tmp_path, client)
    before = path.read_text()
    connect(tmp_path, client)
    after = path.read_text()
    if "\n" in before.strip():
        kept = [line.rstrip(",") for line in before.splitlines()]
        now = iter(line.rstrip(",") for line in after.splitlines())
        assert [line for line in kept if line not in now] == []
    assert "toolbooth" in after
    assert (URL in after and TOKEN in after) is not spec_of(AppId(client)).by_bridge


@pytest.mark.parametrize("client", IDS)
def test_disconnecting_restores_the_file(client: str, tmp_path: Path) -> None:
    path = put(tmp_path, client)
    before = path.read_text()
    connect(tmp_path, client)
    connections(tmp_path).disconnect(AppId(client))
    assert config_document.read(spec_of(AppId(client)).format, path, before) == content(
        client, path
    )
    assert len(path.read_text().splitlines()) <= len(before.splitlines()) + 1


@pytest.mark.parametrize("client", IDS)
def test_undo_restores_the_bytes(client: str, tmp_path: Path) -> None:
    path = put(tmp_path, client)
    before = path.read_bytes()
    here = connections(tmp_path)
    plan = here.plan(AppId(client), ENDPOINT)
    connection = here.connect(AppId(client), ENDPOINT, plan.fingerprint)
    assert path.read_bytes() != before
    here.undo(connection.undo)
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", IDS)
def test_an_app_without_a_file_gets_one_and_undo_removes_it(client: str, tmp_path: Path) -> None:
    here = connections(tmp_path)
    plan = here.plan(AppId(client), ENDPOINT)
    assert plan.new_file
    connection = here.connect(AppId(client), ENDPOINT, plan.fingerprint)
    assert connection.backup is None
    assert entry(client, connection.path)
    here.undo(connection.undo)
    assert not connection.path.exists()


def test_entries_have_the_format_each_app_reads(tmp_path: Path) -> None:
    header = {"Authorization": f"Bearer {TOKEN}"}
    expected: dict[str, JsonObject] = {
        "claude-code": {"type": "http", "url": URL, "headers": header, "alwaysLoad": True},
        "claude-desktop": {
            "command": "/opt/toolbooth",
            "args": ["connect", "--profile", "claude-desktop"],
        },
        "cursor": {"url": URL, "headers": header},
        "vscode": {"type": "http", "url": URL, "headers": header},
        "windsurf": {"serverUrl": URL, "headers": header},
        "codex": {"url": URL, "http_headers": header},
        "copilot": {
            "type": "http", "url": URL, "headers": header, "tools": ["*"], "deferTools": "never",
        },
        "opencode": {
            "type": "remote", "url": URL, "headers": header, "oauth": False, "enabled": True,
        },
        "qwen": {"httpUrl": URL, "headers": header},
    }  # fmt: skip
    for client, shape in expected.items():
        assert entry(client, connect(tmp_path / client, client)) == shape


def test_the_formats_are_what_their_own_parsers_read(tmp_path: Path) -> None:
    for client in ("codex", "goose", "claude-code"):
        put(tmp_path, client)
    codex = tomllib.loads(connect(tmp_path, "codex").read_text())
    assert codex["mcp_servers"]["toolbooth"]["http_headers"]["Authorization"] == f"Bearer {TOKEN}"
    assert codex["tui"] == {"animations": False}
    text = connect(tmp_path, "goose").read_text()
    goose: JsonObject = YAML(typ="safe").load(text)  # pyright: ignore[reportUnknownMemberType]
    assert goose["extensions"]["toolbooth"]["uri"] == URL
    assert list(goose) == ["GOOSE_PROVIDER", "extensions", "GOOSE_MODE"]
    claude = json.loads(connect(tmp_path, "claude-code").read_text())
    assert claude["mcpServers"]["toolbooth"]["url"] == URL


def test_a_preview_shows_the_change_and_no_secret(tmp_path: Path) -> None:
    put(tmp_path, "codex")
    plan = connections(tmp_path).plan(AppId("codex"), ENDPOINT)
    shown = "\n".join(f"{line.sign}{line.text}" for line in plan.lines)
    assert "+[mcp_servers.toolbooth]" in shown
    assert f'+url = "{URL}"' in shown
    assert TOKEN not in shown
    assert "tbt_••••••••" in shown
    assert "planted-docs-token" not in shown


def test_a_file_changed_since_the_preview_is_not_written(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    here = connections(tmp_path)
    plan = here.plan(AppId("cursor"), ENDPOINT)
    path.write_text("{}")
    with pytest.raises(Conflict, match="changed in the meantime"):
        here.connect(AppId("cursor"), ENDPOINT, plan.fingerprint)
    assert path.read_text() == "{}"
    assert list(path.parent.glob("*.bak.*")) == []


def test_undo_leaves_a_file_changed_since_then(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    here = connections(tmp_path)
    fingerprint = here.plan(AppId("cursor"), ENDPOINT).fingerprint
    connection = here.connect(AppId("cursor"), ENDPOINT, fingerprint)
    path.write_text('{"mcpServers": {}}')
    with pytest.raises(Conflict):
        here.undo(connection.undo)
    assert path.read_text() == '{"mcpServers": {}}'


def test_each_change_leaves_a_private_backup_of_its_own_and_the_mode_stays(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.chmod(0o640)
    connect(tmp_path, "cursor")
    connections(tmp_path).disconnect(AppId("cursor"))
    backups = sorted(each.name for each in path.parent.glob("mcp.json.bak.*"))
    assert backups == ["mcp.json.bak.20260504-130201", "mcp.json.bak.20260504-130201-1"]
    assert (path.parent / backups[0]).read_text() == FILES["cursor"][1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert {stat.S_IMODE((path.parent / name).stat().st_mode) for name in backups} == {0o600}
    assert list(path.parent.glob(".*.tmp")) == []


@pytest.mark.parametrize(
    ("client", "text", "line"),
    [
        ("cursor", '{\n  "mcpServers": {\n    "a" {}\n  }\n}', 3),
        ("zed", '{\n  "a": 1\n  "b": 2\n}', 3),
        ("codex", "a = 1\nb = = 2\n", 2),
        ("goose", "a: 1\nextensions:\n  - b: [\n", 4),
        ("claude-code", "[]", 1),
    ],
)
def test_a_malformed_file_is_refused_with_its_line_and_left_alone(
    client: str, text: str, line: int, tmp_path: Path
) -> None:
    path = put(tmp_path, client)
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        connections(tmp_path).plan(AppId(client), ENDPOINT)
    assert caught.value.path == path
    assert caught.value.line == line
    assert path.read_text() == text
    app = next(app for app in connections(tmp_path).apps() if app.id == client)
    assert app.state is AppState.UNREADABLE
    assert str(path) in app.reason


def test_apps_are_reported_as_installed_and_connected(tmp_path: Path) -> None:
    put(tmp_path, "zed")
    put(tmp_path, "cursor")
    connect(tmp_path, "cursor")
    apps = {app.id: app for app in connections(tmp_path).apps()}
    assert apps[AppId("zed")].state is AppState.FOUND
    assert apps[AppId("zed")].has_comments
    assert apps[AppId("cursor")].state is AppState.CONNECTED
    assert apps[AppId("cursor")].token == "0123abcd"
    assert apps[AppId("codex")].state is AppState.ABSENT


def test_an_entry_made_by_hand_or_for_an_older_port_is_recognized_as_ours(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.write_text(json.dumps({"mcpServers": {"booth": {"url": URL, "headers": {}}}}))
    connect(tmp_path, "cursor")
    assert list(content("cursor", path)["mcpServers"]) == ["booth"]
    moved = connections(tmp_path, port=4000)
    fingerprint = moved.plan(AppId("cursor"), ENDPOINT).fingerprint
    moved.connect(AppId("cursor"), ENDPOINT, fingerprint)
    assert list(content("cursor", path)["mcpServers"]) == ["booth"]


def test_a_foreign_entry_with_our_name_stays(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.write_text('{"mcpServers": {"toolbooth": {"command": "other"}}}')
    connect(tmp_path, "cursor")
    servers = content("cursor", path)["mcpServers"]
    assert servers["toolbooth"] == {"command": "other"}
    assert servers["toolbooth-2"]["url"] == URL


@pytest.mark.parametrize(
    "text", ["{}", '{\n  "mcpServers": {}\n}\n', '{"mcpServers": {}, "a": 1}', ""]
)
def test_our_entry_is_added_to_an_empty_list_of_servers(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.write_text(text)
    connect(tmp_path, "cursor")
    assert json.loads(path.read_text())["mcpServers"]["toolbooth"]["url"] == URL


def test_a_snippet_is_a_whole_file_with_our_entry(tmp_path: Path) -> None:
    snippet = connections(tmp_path).snippet(AppId("codex"), ENDPOINT)
    assert tomllib.loads(snippet)["mcp_servers"]["toolbooth"]["url"] == URL
