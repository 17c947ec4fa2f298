"""Files as they are found: other line ends, BOMs, tabs, tables out of order, symlinks, locks."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from router.api.apps import AppId, AppState
from router.apps.config_document import Format, edited
from router.domain.errors import ConfigError, Conflict
from tests.router.apps.test_config_writer import ENDPOINT, connect, connections, put

JSONC = """{
\t// mine
\t"mcpServers": {
\t\t"a": {"url": "https://a.example"}, // first
\t\t/* the last one */
\t},
\t"z": [1, 2,] // z
}
"""
TABLES = """# mine
[mcp_servers.a] # first
url = "https://a.example" # its address

[tui]
animations = false

[mcp_servers."b c"]
url = "https://b.example"

# about what follows
[notice]
hide = true
"""
MAPPING = """# mine
extensions:
    a: {enabled: true}  # first
    b:
        text: |
            one

            two
    # the last one
GOOSE_MODE: auto # always
"""
TEXTS = {"cursor": JSONC, "codex": TABLES, "goose": MAPPING}
SHORT = {
    "cursor": ['{"mcpServers": {"a": {}}}',
               '{"mcpServers": {"a": {},}, "z": 1}', '{"mcpServers":{}}'],
    "codex": ["", '[mcp_servers]\na = {url = "u"}\n', 'a = 1\n', "[[profiles]]\nx = 1\n# end\n"],
    "goose": ["extensions: {} # none\nX: 1\n", "---\nextensions:\n  a: 1\n...\n"],
}  # fmt: skip
CASES = [
    *TEXTS.items(),
    *((client, text) for client, texts in SHORT.items() for text in texts),
]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("client", "text"), CASES)
def test_only_our_lines_change_and_disconnecting_restores_every_byte(
    client: str, text: str, newline: str, mark: str, tmp_path: Path
) -> None:
    before = (mark + text.replace("\n", newline)).encode()
    path = put(tmp_path, client)
    path.write_bytes(before)
    connect(tmp_path, client)
    after = path.read_bytes().decode()
    assert after.startswith(mark)
    assert "\ufeff" not in after[1:]
    if newline in before.decode():
        assert after.count("\n") == after.count(newline)
    connections(tmp_path).disconnect(AppId(client))
    assert path.read_bytes() == before


APART = """[mcp_servers.toolbooth]
url = "http://old.example"

[other] # mine
kept = true

# about our environment
[mcp_servers.toolbooth.env]
A = "1"

[last]
x = 1
"""


def test_text_between_two_tables_of_ours_is_kept() -> None:
    path, keys = Path("config.toml"), ("mcp_servers", "toolbooth")
    between = "\n[other] # mine\nkept = true\n\n# about our environment\n\n[last]\nx = 1\n"
    new = '[mcp_servers.toolbooth]\nurl = "http://new.example"\n'
    connected = edited(Format.TOML, path, APART, keys, {"url": "http://new.example"})
    assert connected == new + between
    assert edited(Format.TOML, path, APART, keys, None) == between


def test_our_table_follows_the_others_of_its_kind(tmp_path: Path) -> None:
    path = put(tmp_path, "codex")
    path.write_text(TABLES)
    connect(tmp_path, "codex")
    text = path.read_text()
    assert list(tomllib.loads(text)["mcp_servers"]) == ["a", "b c", "toolbooth"]
    assert text.index("toolbooth") < text.index("# about what follows")


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("codex", "mcp_servers = {}\n"),
        ("codex", "mcp_servers = 3\n"),
        ("codex", 'text = """\n[mcp_servers.a]\nurl = 1\n"""\nmcp_servers = {}\n'),
        ("goose", "extensions:\n- a\n"),
        ("goose", "extensions: {a: {enabled: true}}\n"),
        ("goose", "a: 1\n...\n"),
        ("cursor", "// nothing yet\n"),
        ("cursor", '{"mcpServers": []}'),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_refused_and_unchanged(
    client: str, text: str, tmp_path: Path
) -> None:
    path = put(tmp_path, client)
    path.write_text(text)
    with pytest.raises(ConfigError):
        connections(tmp_path).plan(AppId(client), ENDPOINT)
    assert path.read_text() == text


def test_a_symlink_stays_and_its_target_is_changed(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    kept = tmp_path / "dotfiles.json"
    path.rename(kept)
    path.symlink_to(kept)
    before = kept.read_bytes()
    here = connections(tmp_path)
    plan = here.plan(AppId("cursor"), ENDPOINT)
    connection = here.connect(AppId("cursor"), ENDPOINT, plan.fingerprint)
    assert path.is_symlink()
    assert b"toolbooth" in kept.read_bytes()
    here.undo(connection.undo)
    assert path.is_symlink()
    assert kept.read_bytes() == before


def test_a_dangling_symlink_gets_its_file_and_undo_removes_only_the_file(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.unlink()
    path.symlink_to(tmp_path / "dotfiles.json")
    here = connections(tmp_path)
    plan = here.plan(AppId("cursor"), ENDPOINT)
    connection = here.connect(AppId("cursor"), ENDPOINT, plan.fingerprint)
    assert (tmp_path / "dotfiles.json").is_file()
    here.undo(connection.undo)
    assert path.is_symlink()
    assert not path.exists()


def test_a_write_protected_file_is_unchanged_and_has_no_backup(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.chmod(0o444)
    before = path.read_bytes()
    with pytest.raises(Conflict, match="read-only"):
        connect(tmp_path, "cursor")
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_a_path_that_is_not_a_file_is_reported(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.unlink()
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to(path)
    [app] = [app for app in connections(tmp_path).apps() if app.id == "cursor"]
    assert app.state is AppState.UNREADABLE
    assert app.reason.startswith(f"{path}: it ")
    with pytest.raises(ConfigError):
        connections(tmp_path).plan(AppId("cursor"), ENDPOINT)


def test_a_file_readable_by_others_is_reported() -> None:
    with TemporaryDirectory() as folder:  # Pytest's own folders are private.
        home = Path(folder)
        home.chmod(0o755)
        path = put(home, "cursor")
        path.chmod(0o644)
        put(home, "claude-desktop").chmod(0o644)

        def is_reported(client: str) -> bool:
            return connections(home).plan(AppId(client), ENDPOINT).open_to_others

        assert is_reported("cursor")
        assert not is_reported("claude-desktop")  # It has no token in it.
        path.chmod(0o600)
        assert not is_reported("cursor")
        path.chmod(0o644)
        home.chmod(0o700)
        assert not is_reported("cursor")


def test_an_entry_with_an_older_url_is_recognized(tmp_path: Path) -> None:
    put(tmp_path, "cursor")
    connect(tmp_path, "cursor")

    def outdated(port: int) -> bool:
        [app] = [app for app in connections(tmp_path, port).apps() if app.id == "cursor"]
        assert app.state is AppState.CONNECTED
        return app.outdated

    assert not outdated(3717)
    assert outdated(4000)


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("goose", "since: 2020-13-45\n"),
        ("goose", "count: !!int many\n"),
        ("goose", f"count: {'9' * 5000}\n"),
        ("codex", f"count = {'9' * 5000}\n"),
    ],
)
def test_an_invalid_value_makes_only_its_own_file_unreadable(
    client: str, text: str, tmp_path: Path
) -> None:
    put(tmp_path, client).write_text(text)
    put(tmp_path, "cursor")
    states = {app.id: app.state for app in connections(tmp_path).apps()}
    assert states[AppId(client)] is AppState.UNREADABLE
    assert states[AppId("cursor")] is AppState.FOUND


def test_an_entry_on_the_line_of_its_group_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    with pytest.raises(ConfigError, match=r"line 2: .*edit it manually"):
        edited(Format.YAML, path, "a: 1\ne: {t: {x: 1}}\n", ("e", "t"), None)


@pytest.mark.parametrize(
    "text",
    [
        "base: &base\n  toolbooth: {enabled: true}\nextensions:\n  <<: *base\n  a: {}\n",
        "base: &base\n  a: {enabled: true}\nextensions:\n  <<: *base\n",
    ],
)
def test_yaml_merge_keys_are_left_to_the_user(text: str, tmp_path: Path) -> None:
    put(tmp_path, "goose").write_text(text)
    with pytest.raises(ConfigError, match="edit it manually"):
        connect(tmp_path, "goose")
