"""`toolbooth connect`, as clients start it: a program that speaks MCP on its stdin and stdout."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from router.store.instance_lock import describe
from tests.servers.commands import ends_within
from tests.support.ports import reserved_port
from tests.support.router_process import TOOLBOOTH, RouterProcess
from tests.support.running_router import STDIO_SERVER
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
SERVER = (sys.executable, str(STDIO_SERVER))
KEYRING = """\
from pathlib import Path
from keyring.backend import KeyringBackend

class FileKeyring(KeyringBackend):
    priority = 1
    folder = Path(__file__).parent / "kept"

    def get_password(self, service, username):
        path = self.folder / username.replace("/", "_")
        return path.read_text() if path.exists() else None

    def set_password(self, service, username, password):
        self.folder.mkdir(exist_ok=True)
        (self.folder / username.replace("/", "_")).write_text(password)
"""


@pytest.fixture(scope="module")
def discovered_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with one discovered server."""
    router = RouterProcess(TOOLBOOTH, tmp_path_factory.mktemp("prepared") / "data")
    router.json("add", "Test", "--", *SERVER)
    router.refresh()
    return router.data_dir


@pytest.fixture
def router_with_server(router: RouterProcess, discovered_data: Path) -> RouterProcess:
    shutil.copytree(discovered_data, router.data_dir, dirs_exist_ok=True)
    router.start()
    return router


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment with a keyring, as on a desktop."""
    folder = tmp_path / "keyring"
    folder.mkdir()
    (folder / "file_keyring.py").write_text(KEYRING)
    keyring = {"PYTHON_KEYRING_BACKEND": "file_keyring.FileKeyring", "PYTHONPATH": str(folder)}
    without_display = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    return {**without_display, **keyring}


@asynccontextmanager
async def bridge_client(
    router: RouterProcess, environment: dict[str, str], mode: Any, program: Path = TOOLBOOTH
) -> AsyncGenerator[Client]:
    words = ["connect", "--profile", "desktop", "--data-dir", str(router.data_dir)]
    parameters = StdioServerParameters(command=str(program), args=words, env=environment)
    async with Client(parameters, mode=mode) as client:
        yield client


@pytest.mark.proves("CARD-6")
async def test_a_client_that_starts_programs_searches_and_calls(
    router_with_server: RouterProcess, environment: dict[str, str], tmp_path: Path
) -> None:
    async with bridge_client(router_with_server, environment, "legacy") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["tool_discovery", "tool_execute"]
        found = await client.call_tool("tool_discovery", {"query": ["echo arguments"]})
        assert found.structured_content
        assert found.structured_content["results"][0]["toolKey"] == "test:echo"
        arguments = {"toolKey": "test:echo", "arguments": {"name": "ü"}}
        answer = await client.call_tool("tool_execute", arguments)
        assert answer.structured_content == {"name": "ü"}
    [token] = json.loads((router_with_server.data_dir / "tokens.json").read_text())["tokens"]
    assert token["name"] == "desktop"
    kept = (tmp_path / "keyring" / "kept" / "profile_desktop").read_text()
    assert kept.startswith(f"tbt_{token['id']}_")


async def test_without_a_keyring_a_token_is_issued_for_this_run_only(
    router_with_server: RouterProcess,
) -> None:
    environment = {**os.environ, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    async with bridge_client(router_with_server, environment, "legacy") as client:
        await client.list_tools()
        [token] = json.loads((router_with_server.data_dir / "tokens.json").read_text())["tokens"]
        assert token["expiresAt"]
    assert json.loads((router_with_server.data_dir / "tokens.json").read_text())["tokens"] == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_router_restart_fails_only_the_calls_in_flight(
    router_with_server: RouterProcess, environment: dict[str, str], mode: str
) -> None:
    async with bridge_client(router_with_server, environment, mode) as client:
        await client.list_tools()
        router_with_server.stop()
        router_with_server.start()
        answer = await client.call_tool("tool_execute", {"toolKey": "test:echo", "arguments": {}})
        assert not answer.is_error


async def test_a_call_whose_router_died_fails_with_a_message(
    router_with_server: RouterProcess, environment: dict[str, str]
) -> None:
    async with bridge_client(router_with_server, environment, "legacy") as client:
        await client.list_tools()

        async def kill(progress: float, total: float | None, message: str | None) -> None:
            router_with_server.kill()

        arguments = {"toolKey": "test:progress", "arguments": {"steps": 1000000}}
        with pytest.raises(MCPError, match="stopped while this was under way"):
            await client.call_tool("tool_execute", arguments, progress_callback=kill)
        router_with_server.start()
        assert (await client.list_tools()).tools


async def test_a_router_that_is_not_running_is_started(
    router: RouterProcess, discovered_data: Path, environment: dict[str, str]
) -> None:
    shutil.copytree(discovered_data, router.data_dir, dirs_exist_ok=True)
    settings = {"schemaVersion": 1, "port": reserved_port()}
    (router.data_dir / "settings.json").write_text(json.dumps(settings))
    with stop_started_router(router.data_dir):
        async with bridge_client(router, environment, "legacy") as client:
            answer = await client.call_tool("tool_execute", {"toolKey": "test:echo"})
            assert not answer.is_error
        async with bridge_client(router, environment, "auto") as client:
            assert (await client.list_tools()).tools


@contextmanager
def stop_started_router(data_dir: Path) -> Generator[None]:
    """Stops a router that the bridge started on `data_dir` meanwhile."""
    try:
        yield
    finally:
        instance = describe(data_dir)
        if instance is not None and instance.pid is not None:
            os.kill(instance.pid, signal.SIGTERM)
            assert ends_within(WAIT_S, instance.pid)


def test_a_router_is_not_started_if_the_settings_forbid_it(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "settings.json").write_text('{"schemaVersion": 1, "bridgeStartsRouter": false}')
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run(
        [TOOLBOOTH, "connect", "--data-dir", str(folder)],
        input=ping,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert "Toolbooth is not running" in json.loads(done.stdout)["error"]["message"]


def test_the_bridge_loads_neither_qt_nor_numpy_nor_the_sdk() -> None:
    code = "import sys, router.cli.main, router.bridge.command; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"PySide6", "numpy", "mcp", "mcp_types", "starlette", "uvicorn", "httpx2"}
