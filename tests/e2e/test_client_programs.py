"""Real client programs, connected by `toolbooth client connect`, report themselves that it works.

`make clients` installs and runs them. None of them needs an account for this.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.router_process import NODE, ROOT, RouterProcess, python_server

pytestmark = [pytest.mark.clients, pytest.mark.timeout(180)]
MODULES = ROOT / "tests" / "clients" / "node_modules"
PROGRAMS = MODULES / ".bin"
# Two of them install their program by an install script, and no such script is run.
OWN_PLACES = {"claude": "@anthropic-ai/claude-code-*/claude", "opencode": "opencode-*/bin/opencode"}
TOKYO = {"toolKey": "time:get_current_time", "arguments": {"timezone": "Asia/Tokyo"}}
_TIMEOUT_S = 90


@pytest.fixture
def served(router: RouterProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RouterProcess:
    """A router with a real server, and a home folder for the programs' files."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{NODE.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "true")
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    router.start()
    router.json("add", "time", "--", *python_server("time"))
    router.refresh()
    return router


def program(name: str) -> Path:
    place = OWN_PLACES.get(name)
    return sorted(MODULES.glob(place))[0] if place else PROGRAMS / name


def output_of(*command: str | Path) -> str:
    """All output of a program, after it ended."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.proves("CARD-6")
@pytest.mark.parametrize(
    ("client", "name", "connected"),
    [
        ("claude-code", "claude", "✔ Connected"),
        ("gemini", "gemini", "Connected"),
        ("opencode", "opencode", "connected"),
        ("qwen", "qwen", "Connected"),
    ],
)
def test_a_client_that_lists_its_servers_finds_us_connected(
    served: RouterProcess, client: str, name: str, connected: str
) -> None:
    served.json("client", "connect", client)
    listed = output_of(program(name), "mcp", "list")
    assert "toolbooth" in listed
    assert connected in listed
    assert "Disconnected" not in listed
    [token] = served.json("token", "list")
    assert token["lastUsedAt"]


@pytest.mark.proves("CARD-6")
def test_codex_lists_our_tools(served: RouterProcess) -> None:
    served.json("client", "connect", "codex")
    with codex() as ask:
        ask("initialize", {"clientInfo": {"name": "test", "title": "Test", "version": "1"}})
        [server] = ask("mcpServerStatus/list", {})["data"]
    assert server["name"] == "toolbooth"
    assert sorted(server["tools"]) == ["tool_discovery", "tool_execute"]


@contextmanager
def codex() -> Generator[Any]:
    """Codex as an editor starts it, and a function that sends requests to it."""
    command = [program("codex"), "app-server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as editor:
        assert editor.stdin
        assert editor.stdout
        stdin, stdout = editor.stdin, editor.stdout

        def ask(method: str, params: Any) -> Any:
            stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
            stdin.flush()
            answers = (json.loads(line) for line in stdout)
            return next(answer["result"] for answer in answers if answer.get("id") == method)

        try:
            yield ask
        finally:
            editor.kill()


@pytest.mark.proves("CARD-6")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls_in_both_eras(served: RouterProcess, era: str) -> None:
    def inspect(method: str, *more: str) -> Any:
        command = [program("mcp-inspector"), "--cli", served.url, "--transport", "http"]
        header = f"Authorization: Bearer {token}"
        options = ["--protocol-era", era, "--format", "json", "--quiet", "--header", header]
        return json.loads(output_of(*command, *options, "--method", method, *more))["result"]

    token = served.token()
    names = [tool["name"] for tool in inspect("tools/list", "--strict")["tools"]]
    assert names == ["tool_discovery", "tool_execute"]
    call = ("--tool-name", "tool_execute", "--tool-args-json", json.dumps(TOKYO))
    assert inspect("tools/call", *call)["structuredContent"]["timezone"] == "Asia/Tokyo"
