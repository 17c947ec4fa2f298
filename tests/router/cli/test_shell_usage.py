"""Commands and the shell: help, usage errors, pipes, narrow terminals, odd folders."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from router.cli.foreground import CONNECT, SERVE
from router.cli.parser import parse
from router.commands.command import Command
from router.commands.output import local_time, table
from router.commands.registry import COMMANDS
from tests.router.cli.terminal import SERVER, Terminal
from tests.support.timeouts import WAIT_S

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "command", [*COMMANDS.values(), SERVE, CONNECT], ids=lambda command: command.name
)
def test_the_help_of_every_command_has_examples_that_its_parser_takes(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse([*command.name.split(), "--help"])
    printed = capsys.readouterr().out
    for example in command.example_lines:
        assert example in printed
        program, *words = shlex.split(example)
        assert program == "toolbooth"
        assert parse(words).command is command


def test_a_command_line_is_parsed_without_loading_the_router() -> None:
    code = (
        "import sys, router.cli.main as main\n"
        "main.parse(['token', 'new', 'Laptop'])\n"
        "print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "pydantic",
        "asyncio",
        "filelock",
        "router.api.router",
        "router.config.settings",
        "router.service",
    }
    assert not heavy & set(ended.stdout.split())


def test_the_usage_of_add_shows_where_the_command_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["add", "--help"])
    assert "-- COMMAND ARGS..." in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("remove", "nobody"), 1, 'There is no server "nobody" in workspace Personal.'),
        (("tols",), 2, 'There is no command "tols".'),
        (("call", "a:b", "{"), 2, "The arguments are not JSON"),
        (("add", "X"), 2, "Specify either a command or --url."),
        (("add", "X", "--url", "http://x", "--env", "A=1"), 2, "Use --env and --cwd only"),
        (("workspace", "use", "Nowhere"), 1, 'There is no workspace "Nowhere".'),
    ],
)
def test_with_json_a_failure_is_json_too(
    terminal: Terminal, words: tuple[str, ...], code: int, message: str
) -> None:
    ended, out, err = terminal(*words, "--json")
    assert ended == code
    assert json.loads(out)["error"]["message"].startswith(message)
    assert message in err


def test_calling_a_disabled_server_says_how_to_enable_it(terminal: Terminal) -> None:
    terminal("add", "Test", "--url", "http://127.0.0.1:9/mcp")
    terminal("disable", "Test")
    code, _, err = terminal("call", "test:echo")
    assert (code, "Test: Turned off." in err) == (1, True)
    assert "toolbooth enable test" in err


def test_json_after_the_double_dash_belongs_to_the_server(terminal: Terminal) -> None:
    code, out, _ = terminal("add", "", "--", "server", "--json")
    assert (code, out) == (1, "")


def test_options_that_would_have_no_effect_are_refused(terminal: Terminal) -> None:
    code, _, err = terminal("add", "X", "--header", "A=1", "--", "server")
    assert (code, "Use --header only with --url" in err) == (2, True)
    code, _, err = terminal("--json", "list")
    assert (code, 'Put the command before "--json".' in err) == (2, True)


def test_a_mistyped_command_gets_a_suggestion(terminal: Terminal) -> None:
    assert "Did you mean: toolbooth tools?" in terminal("tols")[2]
    assert "Did you mean: toolbooth token new?" in terminal("token", "nwe")[2]


@pytest.mark.parametrize("words", [("list",), ("serve", "--port", "0")])
def test_a_file_in_place_of_the_data_directory_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    file = tmp_path / "file"
    file.touch()
    code, _, err = Terminal(file, capsys)(*words)
    assert code == 1
    assert f"{file} is not a folder." in err
    assert "--data-dir" in err


def test_empty_lists_say_what_to_do(terminal: Terminal) -> None:
    assert "toolbooth add NAME" in terminal("list")[1]
    assert "toolbooth list" in terminal("tools")[1]
    terminal("add", "Test", "--", *SERVER)
    assert "toolbooth refresh" in terminal("tools")[1]
    assert "toolbooth refresh" in terminal("list")[1]


def test_descriptions_are_cut_only_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("files:read_file", "allow", "Reads a file from the disk and says what is in it.")]
    assert table(rows, prose=True)[0].endswith("what is in it.")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    [line] = table(rows, prose=True)
    assert len(line) == 50
    assert line.endswith("…")


def shell(data_dir: Path, line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    toolbooth = f"{shlex.quote(sys.executable)} -m router"
    environment = {**os.environ, "TOOLBOOTH_HOME": str(data_dir), **variables}
    return subprocess.run(
        ["bash", "-c", f'toolbooth() {{ {toolbooth} "$@"; }}; {line}'],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )


@pytest.mark.parametrize(
    "line", ["toolbooth activity --help | true", "toolbooth workspace list | true"]
)
def test_a_closed_pipe_prints_nothing_to_stderr(tmp_path: Path, line: str) -> None:
    ended = shell(tmp_path, line)
    assert ended.stderr == ""


def test_closed_standard_streams_are_not_reused_for_files(tmp_path: Path) -> None:
    """Files opened next would get their file descriptors."""
    assert shell(tmp_path, "toolbooth workspace new Work >&- 2>&- <&-").returncode == 0


def test_a_terminal_that_knows_only_ascii_gets_every_text(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = shell(tmp_path, "toolbooth workspace new 仕事", **plain)
    assert ended.returncode == 0, ended.stderr
    assert "\\u4ed5\\u4e8b" in ended.stdout
    assert "\x1b" not in ended.stdout


def test_times_are_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    try:
        assert local_time("2026-11-17T15:29:47.645+00:00") == "2026-11-18 00:29:47"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_permission_for_an_unknown_tool_is_saved_with_a_warning(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    assert terminal("permission", "set", "test:nope", "deny")[2] == ""
    terminal("refresh")
    code, _, err = terminal("permission", "set", "test:nope", "deny")
    assert (code, 'test has no tool "nope" now' in err) == (0, True)
    assert terminal("permission", "set", "test:echo", "ask")[2] == ""
