"""Where secrets of a command line or an imported file are stored, and what the terminal prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backends.null import Keyring as NoKeyring

from router.commands.registry import dispatch
from tests.router.cli.terminal import SERVER, Terminal
from tests.router.store.test_secrets import MemoryKeyring
from tests.support.router_process import do_not_confirm
from tests.support.running_router import running_router

VALUES = {
    "SETTING": "sk-proj-0123456789abcdef",
    "DATABASE_URL": "postgres://me:hunter2-pw@db.example/app",
}


@pytest.fixture
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    yield
    keyring.set_keyring(before)


def written(folder: Path) -> str:
    return (folder / "workspaces/personal/workspace.json").read_text()


def test_a_value_that_looks_secret_goes_to_the_keyring_too(
    terminal: Terminal, tmp_path: Path, in_memory: MemoryKeyring
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"Test": {"command": "run", "env": VALUES}}}))
    assert terminal.json("import", str(file))["warnings"] == []
    env = json.loads(written(tmp_path))["mcpServers"]["Test"]["env"]
    assert env == {name: f"${{keyring:personal/test/{name}}}" for name in VALUES}
    assert set(in_memory.values.values()) == set(VALUES.values())


def test_the_password_of_a_url_becomes_a_header_in_the_keyring(
    terminal: Terminal, tmp_path: Path, in_memory: MemoryKeyring
) -> None:
    terminal("add", "Web", "--url", "https://me:hunter2@web.invalid/mcp")
    server = json.loads(written(tmp_path))["mcpServers"]["Web"]
    assert server["url"] == "https://web.invalid/mcp"
    assert server["headers"] == {"Authorization": "${keyring:personal/web/Authorization}"}
    assert list(in_memory.values.values()) == ["Basic bWU6aHVudGVyMg=="]


@pytest.mark.parametrize(
    "words",
    [
        ("--", "run", "--token", "hunter2"),
        ("--", "run", "--api-key=hunter2"),
        ("--url", "https://web.invalid/mcp?api_key=hunter2"),
    ],
)
def test_a_secret_that_cannot_be_a_reference_causes_a_warning_and_is_never_shown(
    terminal: Terminal, words: tuple[str, ...]
) -> None:
    code, out, err = terminal("add", "Test", *words)
    assert code == 0
    assert "of Test is stored in workspace.json as plain text" in err
    shown = [out, err, *(text for each in ("list", "status") for text in terminal(each, "--json"))]
    assert "hunter2" not in "".join(map(str, shown))


async def test_without_a_keyring_a_warning_says_that_the_secret_is_temporary(
    tmp_path: Path, no_keyring: None
) -> None:
    do_not_confirm(tmp_path)
    async with running_router(tmp_path) as running:
        config = {"command": SERVER[0], "args": [SERVER[1]], "env": {"API_TOKEN": "hunter2"}}
        added = await dispatch(running.router, "add", {"name": "Test", "config": config})
    [warning] = added["warnings"]
    assert "API_TOKEN of Test is kept only until Toolbooth stops" in warning
    assert "hunter2" not in written(tmp_path)


def test_an_invalid_entry_is_named_with_its_reason(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    good, bad = {"command": "run"}, {"args": ["x"]}
    file.write_text(json.dumps({"mcpServers": {"Good": good, "Bad": bad}}))
    code, out, err = terminal("import", str(file))
    assert (code, "good" in out) == (0, True)
    assert 'Skipped Bad: a server needs either "command" or "url".' in err


def test_a_file_without_usable_entries_is_an_error(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"Bad": {"args": ["x"]}}}))
    code, _, err = terminal("import", str(file))
    assert (code, "Skipped Bad" in err) == (1, True)


def test_a_server_that_quotes_its_arguments_when_it_fails_shows_no_secret(
    terminal: Terminal,
) -> None:
    quoting = ("sh", "-c", 'echo "what is $2" >&2; exit 3', "serve", "--token", "hunter2-secret")
    terminal("add", "Test", "--", *quoting)
    _, out, err = terminal("refresh")
    assert " — what is ***." in out
    assert "hunter2-secret" not in out + err
