"""`toolbooth COMMAND`, on the files and in a running instance."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import httpx2
import pytest

from router.cli.main import print_lines, run
from router.commands.registry import COMMANDS
from router.commands.servers import print_sign_in
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject
from router.runtime.local_ipc import LocalServer, send, socket_address
from router.store.instance_lock import InstanceLock
from tests.router.cli.terminal import SERVER, Terminal
from tests.servers.oauth_server import OAuthServer
from tests.support.router_process import do_not_confirm
from tests.support.running_router import RunningRouter, running_router
from tests.support.timeouts import WAIT_S


def test_a_server_is_added_listed_searched_and_called_without_an_instance(
    terminal: Terminal,
) -> None:
    added = terminal.json("add", "Test", "--", *SERVER)
    assert (added["id"], added["state"]) == ("test", "idle")
    assert terminal.json("refresh")[0]["discovery"] == "success"
    assert terminal.json("search", "echo arguments")[0]["toolKey"] == "test:echo"
    result = terminal.json("call", "test:echo", '{"a": 1}')
    assert result["structuredContent"] == {"a": 1}
    assert "test" in terminal("list")[1]


@pytest.mark.proves("REG-1")
def test_a_call_discovers_its_server_first(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    assert terminal.json("call", "test:echo", '{"a": 1}')["structuredContent"] == {"a": 1}


def test_the_clients_folder_stays_a_placeholder_and_never_chooses_the_program(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal("add", "Own", "--cwd", "${workspaceFolder}", "--", *SERVER)
    terminal("add", "Theirs", "--cwd", "${workspaceFolder}", "--", "./mcp.sh")
    (file,) = tmp_path.rglob("workspace.json")
    written = json.loads(file.read_text())["mcpServers"]
    assert {entry["cwd"] for entry in written.values()} == {"${workspaceFolder}"}
    code, out, err = terminal("refresh", "theirs")
    assert code == 1
    assert "relative to the client's folder" in out + err


@pytest.mark.proves("DISC-13")
def test_a_server_without_a_list_shows_as_one_placeholder(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    [row] = terminal.json("tools")
    assert row["toolKey"] == "test/*"


def test_adding_is_consent_and_importing_is_not(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    servers = {"Imported": {"command": SERVER[0], "args": [SERVER[1]]}}
    file.write_text(json.dumps({"mcpServers": servers}))
    assert terminal.json("import", str(file))["servers"][0]["state"] == "needs_consent"
    code, _, err = terminal("call", "imported:echo")
    assert code == 1
    assert terminal.json("approve", "imported")["state"] == "idle"
    terminal("refresh")
    assert terminal("call", "imported:echo")[0] == 0, err


@pytest.fixture
def browser_accepts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A user who opens the page as soon as it is printed."""
    visits: list[threading.Thread] = []

    def open_page(begun: JsonObject, *, as_json: bool) -> None:
        print_sign_in(begun, as_json=as_json)
        page = {"url": begun["authorizationUrl"], "follow_redirects": True}
        visits.append(threading.Thread(target=httpx2.get, kwargs=page))
        visits[-1].start()

    monkeypatch.setattr("router.commands.servers.print_sign_in", open_page)
    yield
    for visit in visits:
        visit.join(WAIT_S)


@pytest.mark.usefixtures("in_memory", "browser_accepts")
def test_sign_in_and_sign_out_work_without_an_instance(terminal: Terminal) -> None:
    with OAuthServer().served() as url:
        assert terminal("add", "Notes", "--url", url)[0] == 0
        code, out, err = terminal("sign-in", "notes", "--json")
        assert code == 0, err
        first, _, rest = out.partition("\n")
        assert json.loads(first)["event"] == "sign-in"
        assert (json.loads(rest)["state"], json.loads(rest)["toolCount"]) == ("idle", 4)
        assert terminal.json("call", "notes:echo", '{"a": 1}')["structuredContent"] == {"a": 1}
        assert terminal.json("sign-out", "notes")["state"] == "needs_sign_in"
        code, _, err = terminal("call", "notes:echo")
        assert (code, "toolbooth sign-in notes" in err) == (1, True)


@pytest.mark.usefixtures("in_memory", "browser_accepts")
def test_a_refused_sign_in_fails_with_its_reason(terminal: Terminal) -> None:
    server = OAuthServer()
    server.provider.denies = True
    with server.served() as url:
        terminal("add", "Notes", "--url", url)
        code, out, err = terminal("sign-in", "notes")
    assert code == 1
    assert f"{server.url}/authorize" in out
    assert "access_denied" in err


def test_servers_can_be_switched_off_and_on_and_removed(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    assert terminal.json("disable", "Test")["state"] == "disabled"
    assert terminal.json("enable", "test")["state"] == "idle"
    assert terminal("remove", "test")[0] == 0
    assert terminal.json("list") == []


def test_workspaces_projects_and_permissions_are_managed(terminal: Terminal) -> None:
    assert terminal.json("workspace", "new", "Side job")["id"] == "side_job"
    terminal("workspace", "use", "Side job")
    listed = {w["id"]: w["active"] for w in terminal.json("workspace", "list")}
    assert listed == {"personal": False, "side_job": True}
    terminal("add", "Test", "--", *SERVER)
    terminal("project", "new", "Site", "--server", "test")
    changed = terminal.json("project", "set", "site", "--optimization", "off")
    assert changed["optimization"] is None
    assert terminal.json("project", "set", "-", "--optimization", "bm25")["id"] is None
    terminal("refresh")
    assert terminal("permission", "set", "test:echo", "deny")[0] == 0
    assert "test:echo" not in [hit["toolKey"] for hit in terminal.json("search", "echo")]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("frobnicate",), 2, "no command"),
        (("add", "X"), 2, "either a command or --url"),
        (("add", "X", "--env", "novalue", "--", "cmd"), 2, "KEY=VALUE"),
        (("add", "X", "--env", "", "--", "cmd"), 2, "KEY=VALUE"),
        (("add", "X", "--env", "=value", "--", "cmd"), 2, "KEY=VALUE"),
        (("add", "X", "--url", "ftp://x"), 1, "http"),
        (("add", "X", "--url", "http://127.0.0.1:99999/mcp"), 1, "not an address"),
        (("add", "X", "--url", "http://[::1/mcp"), 1, "not an address"),
        (("add", "X", "--url", "http:///mcp"), 1, "name a host"),
        (("remove", "X", "--", "Y"), 2, 'Only "add"'),
        (("list", "--"), 2, 'Only "add"'),
        (("list", "--workspace", ""), 2, "must not be empty"),
        (("search", "x", "--project", ""), 2, "must not be empty"),
        (("token", "new", "X", "--expires", "soon"), 2, "a time like 12h"),
        (("token", "new", "X", "--expires", "9999w"), 1, "ten years"),
        (("token", "new", "X", "--server", "nobody"), 1, 'no server "nobody"'),
        (("project", "new", "Unassigned"), 1, "a reserved name"),
        (("project", "new", "UNASSIGNED_PROJECT_ID"), 1, "a reserved name"),
        (("call", "a:b", "{nonsense"), 2, "not JSON"),
        (("call", "a:b", "[1]"), 2, "JSON object"),
        (("call", "nonsense"), 1, "not a tool key"),
        (("call", "a:b"), 1, "no tool a:b"),
        (("call", "a:b"), 1, "toolbooth search"),
        (("remove", "nobody"), 1, 'no server "nobody"'),
        (("remove", "scripts"), 1, "toolbooth script list"),
        (("list", "--workspace", "nobody"), 1, 'no workspace "nobody"'),
        (("workspace", "use", "nobody"), 1, 'no workspace "nobody"'),
        (("project", "set", "nobody", "--optimization", "off"), 1, 'no project "nobody"'),
        (("project", "set", "-", "--exposure", "none"), 2, "invalid choice"),
        (("token", "revoke", "nobody"), 1, "nobody"),
        (("import", "/no/such/file"), 1, "it does not exist"),
        (("serve", "--port", "99999"), 2, "port"),
        (("search", "x", "--limit", "0"), 2, "from 1 to 100"),
    ],
)
def test_each_cause_has_its_exit_code_and_message(
    terminal: Terminal, words: tuple[str, ...], code: int, sentence: str
) -> None:
    assert terminal(*words)[0] == code
    assert sentence in _stderr_of(terminal, words)


def _stderr_of(terminal: Terminal, words: tuple[str, ...]) -> str:
    return terminal(*words)[2]


def test_a_relative_command_is_resolved_against_the_current_folder(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    terminal("add", "Here", "--", "bin/serve")
    terminal("add", "There", "--cwd", "/", "--", "./serve")
    terminal("add", "Anywhere", "--", "serve")
    written = json.loads((tmp_path / "workspaces/personal/workspace.json").read_text())
    folders = {name: entry.get("cwd") for name, entry in written["mcpServers"].items()}
    assert folders == {"Here": str(tmp_path), "There": "/", "Anywhere": None}


def test_a_failed_refresh_sets_the_exit_code(terminal: Terminal) -> None:
    terminal("add", "Missing", "--", "no-such-program")
    code, out, _ = terminal("refresh")
    assert (code, "no-such-program" in out) == (1, True)


def test_an_unexpected_error_is_one_message(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def explode(_: str | None) -> Path:
        raise ZeroDivisionError("by zero")

    assert run(["list"], explode) == 1
    assert capsys.readouterr().err == "toolbooth: Unexpected ZeroDivisionError: by zero\n"


def test_a_workspaces_folder_that_is_a_file_is_one_message(
    terminal: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "workspaces").write_text("")
    code, _, err = terminal("list")
    assert (code, "Traceback" in err) == (1, False)
    assert "toolbooth: " in err


def test_a_closed_stdout_pipe_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        process = subprocess.run(
            [sys.executable, "-m", "router", "list", "--data-dir", str(tmp_path)],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=WAIT_S,
            check=False,
        )
    finally:
        os.close(writing)
    assert (process.returncode, process.stderr) == (1, b"")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_text_the_terminal_cannot_show_is_escaped(
    terminal: Terminal, tmp_path: Path, options: tuple[str, ...]
) -> None:
    terminal("workspace", "new", "Büro 仕事")
    process = subprocess.run(
        [sys.executable, "-m", "router", "workspace", "list", "--data-dir", tmp_path, *options],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=WAIT_S,
        check=True,
    )
    assert rb"\u4ed5" in process.stdout


@pytest.mark.parametrize(
    "result", [{"content": 5}, {"content": [5]}, {"content": [{"type": None}]}, 5, None]
)
def test_a_result_of_any_shape_is_printed(result: object) -> None:
    print_lines(COMMANDS["call"], result)


def test_a_lock_without_an_instance_file_does_not_block_commands(
    terminal: Terminal, tmp_path: Path
) -> None:
    held = InstanceLock(tmp_path)
    held.acquire()
    (tmp_path / "instance.json").unlink()
    assert terminal.json("list") == []
    held.release()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    do_not_confirm(tmp_path)
    async with running_router(tmp_path) as started:
        yield started


async def test_commands_are_carried_out_by_the_running_instance(
    running: RunningRouter, tmp_path: Path
) -> None:
    config = {"command": SERVER[0], "args": [SERVER[1]]}
    address = socket_address(tmp_path)
    await send(address, "add", {"name": "Test", "config": config})
    await send(address, "refresh", {})
    result = await send(address, "call", {"toolKey": "test:echo", "arguments": {"a": 1}})
    assert result["structuredContent"] == {"a": 1}
    status = await send(address, "status", {})
    assert status["listener"]["url"] == running.url
    assert status["servers"][0]["state"] == "ready"


async def test_errors_of_the_instance_are_printed_in_the_terminal(
    running: RunningRouter, tmp_path: Path
) -> None:
    with pytest.raises(ToolboothError, match="no server"):
        await send(socket_address(tmp_path), "remove", {"server": "nobody"})
    with pytest.raises(ToolboothError, match="does not know the command"):
        await send(socket_address(tmp_path), "explode", {})
    with pytest.raises(ToolboothError, match="Unexpected KeyError"):
        await send(socket_address(tmp_path), "add", {})


async def test_an_instance_that_is_not_listening_yet_is_reported_without_a_traceback(
    tmp_path: Path,
) -> None:
    with pytest.raises(ToolboothError, match="at this moment"):
        await send(socket_address(tmp_path), "list", {})


async def test_only_its_user_can_open_the_control_socket(
    running: RunningRouter, tmp_path: Path
) -> None:
    mode = stat.S_IMODE(Path(socket_address(tmp_path)).stat().st_mode)
    assert mode == 0o600


async def test_a_line_that_is_no_command_is_answered(
    running: RunningRouter, tmp_path: Path
) -> None:
    reader, writer = await asyncio.open_unix_connection(socket_address(tmp_path))
    writer.write(b"garbage\n")
    async with asyncio.timeout(WAIT_S):
        assert json.loads(await reader.readline())["ok"] is False
    writer.close()
    await writer.wait_closed()


@pytest.fixture
def short_path() -> Iterator[Path]:
    """The length of `tmp_path` depends on the user's name, and socket paths are limited."""
    with tempfile.TemporaryDirectory(prefix="tb") as folder:
        yield Path(folder)


async def test_a_socket_folder_open_to_others_is_refused(
    tmp_path: Path, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(short_path))
    address = socket_address(tmp_path / ("x" * 120))
    folder = Path(address).parent
    folder.mkdir(mode=0o755)
    server = LocalServer(address, _name_of, lambda _: True)
    with pytest.raises(ToolboothError, match="not private"):
        await server.start()
    with pytest.raises(ToolboothError, match="not private"):
        await send(address, "list", {})
    folder.chmod(0o700)
    await server.start()
    assert await send(address, "list", {}) == "list"
    await server.stop()


async def _name_of(name: str, _: JsonObject) -> str:
    return name


def test_a_socket_path_too_long_for_the_kernel_moves_to_a_short_folder(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)
    assert len(socket_address(long)) < 100
    assert socket_address(long) != socket_address(tmp_path / ("y" * 120))


def test_a_project_is_found_by_its_name_too(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    terminal("project", "new", "My work")
    assert terminal.json("project", "set", "My work", "--optimization", "off")["id"] == "my_work"
    assert terminal.json("token", "new", "App", "--project", "My work")["project"] == "my_work"
    assert terminal("permission", "list", "--project", "My work")[0] == 0
    assert 'no project "Nobody"' in terminal("search", "x", "--project", "Nobody")[2]


def test_an_unusable_file_is_reported(terminal: Terminal, tmp_path: Path) -> None:
    terminal("add", "Test", "--", *SERVER)
    file = tmp_path / "workspaces" / "personal" / "workspace.json"
    file.write_text('{\n"mcpServers": [,]}')
    [rejected] = terminal.json("status")["rejected"]
    assert (rejected["path"], rejected["line"]) == (str(file), 2)
    assert f"{file}, line 2: " in terminal("status")[1]
    code, out, err = terminal("list", "--json")
    assert code == 1
    assert str(file) in json.loads(out)["error"]["message"]
    assert err.startswith(f"toolbooth: {file}, line 2: ")
    assert "the last valid version is used" in err


def test_the_status_names_the_workspaces(terminal: Terminal) -> None:
    terminal("workspace", "new", "Work")
    assert "Workspace: Personal (others: Work)" in terminal("status")[1]
