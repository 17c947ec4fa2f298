"""The commands about discovery: receipts, and what a server may access meanwhile."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from router.cli.main import print_lines
from router.commands.output import shown_key
from router.commands.registry import COMMANDS
from router.discovery.sandbox.self_test import supported_sandbox
from tests.router.cli.terminal import SERVER, Terminal
from tests.support.listed_server import ListedServer
from tests.support.router_process import ROOT
from tests.support.running_router import STDIO_SERVER

NEEDY = ROOT / "tests" / "servers" / "environment_server.py"


def test_the_receipt_shows_the_protections_and_what_the_server_tried(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    code, _, err = terminal("receipt", "test")
    assert code == 1
    assert "toolbooth refresh test" in err
    terminal("refresh")
    receipt = terminal.json("receipt", "test")
    words = receipt["protection"]["words"]
    assert receipt["protection"]["level"] == supported_sandbox().profile.level
    assert words in terminal("receipt", "test")[1]
    assert terminal.json("list")[0]["protection"]["words"] == words


def test_discovery_access_of_a_server_can_be_set(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    assert terminal.json("list")[0]["discoveryAccess"] == "isolated"
    assert terminal.json("approve", "test", "--network")["discoveryAccess"] == "network"
    assert terminal.json("list")[0]["discoveryAccess"] == "network"
    assert terminal.json("approve", "test", "--isolated")["discoveryAccess"] == "isolated"
    assert terminal("approve", "test", "--network", "--unconfined")[0] == 2


@pytest.mark.proves("U-1")
def test_a_variable_that_can_load_code_is_reported(terminal: Terminal) -> None:
    options = ("--env", "NODE_OPTIONS=--require x", "--env", "MODE=a", "--", "server")
    added = terminal.json("add", "Files", *options)
    assert added["warnings"] == [
        "NODE_OPTIONS: controls which programs are loaded. Make sure you want this."
    ]


@pytest.mark.proves("DISC-2", "DISC-12", "CACHE-6")
def test_a_failed_discovery_is_listed_with_its_times_and_the_age_of_the_list(
    terminal: Terminal, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(STDIO_SERVER.read_text())
    terminal("add", "Test", "--", sys.executable, str(script))
    assert terminal("refresh")[0] == 0
    script.write_text("raise SystemExit('out of order')")
    assert terminal("refresh")[0] == 1
    [listed] = terminal.json("list")
    assert listed["discovery"] == "failed"
    assert listed["failure"]["action"] == "retry"
    assert "out of order" in listed["failure"]["cause"]
    assert listed["listedAt"] < listed["attemptedAt"] < listed["retryAt"]
    _, out, _ = terminal("list")
    age = "test: its list is from just now; its discovery last failed just now. Next try after"
    assert age in out
    assert "out of order" in out


def test_a_search_says_which_servers_were_not_searched(terminal: Terminal) -> None:
    terminal("add", "Gone", "--", "no-such-program")
    assert (
        "Gone was not searched: its tools have not been discovered yet."
        in (terminal("search", "echo")[2])
    )
    terminal("refresh")
    code, out, err = terminal("search", "echo", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "Gone was not searched: Command “no-such-program” not found." in err


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("files:read_file", "files:read_file"),
        ("github:repos/get.one", "github:repos/get.one"),
        ("files:my tool", "'files:my tool'"),
        ("files:<b>x</b>", "'files:<b>x</b>'"),
        ("files:$(reboot)", "'files:$(reboot)'"),
        ("files:a\x1b[31m", "'files:a\\u001b[31m'"),
        ("files:p\u0430y", "'files:p\\u0430y'"),
        ("files:読む", "files:読む"),
        ("plain", "plain"),
    ],
)
@pytest.mark.proves("DISC-7")
def test_a_tool_key_is_shown_so_that_nothing_in_it_deceives(key: str, shown: str) -> None:
    assert shown_key(key) == shown


@pytest.mark.proves("DISC-7")
def test_text_of_a_server_does_not_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    text = "one\ttwo\r\nthree \x1b[2J\x07 \u202e\rfour"
    result = {"content": [{"type": "text", "text": text}]}
    print_lines(COMMANDS["call"], result)
    printed = capsys.readouterr().out
    assert printed == "one\ttwo\r\nthree \\u001b[2J\\u0007 \\u202e\\u000dfour\n"


def test_tools_with_odd_names_are_listed_escaped(terminal: Terminal, tmp_path: Path) -> None:
    listed = ListedServer(tmp_path / "list.json")
    listed.has({"name": "my tool"}, {"name": "plain"})
    config = listed.config
    terminal("add", "Odd", "--", config.command or "", *config.args)
    terminal("refresh")
    out = terminal("tools")[1]
    assert "'odd:my tool'" in out
    assert "odd:plain" in out


def test_allowing_the_network_answers_with_the_discovery_that_follows(
    terminal: Terminal,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        terminal("add", "Test", "--", sys.executable, str(NEEDY), "--needs-port", str(port))
        terminal("refresh")
        failed = terminal.json("list")[0]["failure"]
        assert (failed is not None) == (supported_sandbox().profile.level >= 2)
        allowed = terminal.json("approve", "test", "--network")
    assert (allowed["failure"], allowed["toolCount"]) == (None, 1)


def test_files_are_shared_by_a_path_from_the_current_folder(
    tmp_path_factory: pytest.TempPathFactory, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("files")
    (folder / "vault").mkdir()
    monkeypatch.chdir(folder)
    terminal("add", "Test", "--", sys.executable, str(NEEDY))
    shared = terminal.json("approve", "test", "--write", "vault")
    assert f"May read and write {folder / 'vault'}." in shared["protection"]["words"]
    assert terminal("approve", "test", "--read", "missing")[0] == 1
    isolated = terminal.json("approve", "test", "--isolated")
    assert "May read" not in isolated["protection"]["words"]
