"""The bundle works like the source: `make bundle` builds it, `make proof` runs these tests."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from tests.desktop.desktop_app import desktop_app
from tests.desktop.session import ended
from tests.e2e.test_bridge import bridge_client, stop_started_router
from tests.servers.commands import is_running
from tests.support.ports import reserved_port
from tests.support.router_process import ROOT, RouterProcess, children_of, python_server
from tests.support.timeouts import WAIT_S

BUNDLE = ROOT / "dist" / "toolbooth"
TOKYO = {"toolKey": "time:get_current_time", "arguments": {"timezone": "Asia/Tokyo"}}
_START_WITHIN_S = 30
_STOP_WITHIN_S = 10

pytestmark = [pytest.mark.proof, pytest.mark.timeout(300)]


@pytest.fixture
def bundled(tmp_path: Path) -> Iterator[RouterProcess]:
    router = RouterProcess(BUNDLE / "toolbooth", tmp_path / "data")
    yield router
    router.close()


async def call(url: str, token: str) -> str:
    """The text that a client connected to `url` gets when it asks for the time in Tokyo."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        result = await client.call_tool("tool_execute", TOKYO)
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.proves("CARD-5")
async def test_the_bundle_serves_a_tool_call_and_leaves_nothing_behind(
    bundled: RouterProcess,
) -> None:
    bundled.start()
    add_time_server(bundled)
    assert "Asia/Tokyo" in await call(bundled.url, bundled.token())
    children = children_of(bundled.pid)
    assert children
    assert bundled.stop() == 0
    assert [pid for pid in children if is_running(pid)] == []


@pytest.mark.proves("CARD-5")
async def test_the_windowed_program_of_the_bundle_serves_too(bundled: RouterProcess) -> None:
    add_time_server(bundled)
    token = bundled.token()
    with window_on(bundled.data_dir) as window:
        assert "Asia/Tokyo" in await call(url_of(bundled), token)
        window.send_signal(signal.SIGTERM)
        _, window_stderr = window.communicate(timeout=_STOP_WITHIN_S)
    assert window.returncode == 0
    assert "Traceback" not in window_stderr


@pytest.mark.proves("CARD-5", "CARD-6")
async def test_the_bridge_of_the_bundle_starts_the_router_and_finds_it_again(
    bundled: RouterProcess,
) -> None:
    add_time_server(bundled)
    settings = {"schemaVersion": 1, "port": reserved_port()}
    (bundled.data_dir / "settings.json").write_text(json.dumps(settings))
    # No display and no keyring, as on a machine without a desktop.
    environment = {name: text for name, text in os.environ.items() if "DISPLAY" not in name}
    environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    with stop_started_router(bundled.data_dir):
        for mode in ("legacy", "auto"):
            async with bridge_client(bundled, environment, mode, bundled.program) as client:
                result = await client.call_tool("tool_execute", TOKYO)
                assert "Asia/Tokyo" in str(result.content)
    tokens = json.loads((bundled.data_dir / "tokens.json").read_text())["tokens"]
    assert tokens == []


def add_time_server(router: RouterProcess) -> None:
    router.json("add", "time", "--", *python_server("time"))
    router.json("refresh")


@contextmanager
def window_on(data_dir: Path) -> Generator[subprocess.Popen[str]]:
    command = [BUNDLE / "toolbooth-desktop", "--port", "0", "--data-dir", data_dir]
    offscreen = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(command, env=offscreen, stderr=subprocess.PIPE, text=True) as window:
        try:
            yield window
        finally:
            window.kill()


def url_of(router: RouterProcess) -> str:
    """The URL of the instance on this data directory, once it listens."""
    deadline = time.monotonic() + _START_WITHIN_S
    while time.monotonic() < deadline:
        if url := router.json("status")["listener"].get("url"):
            return url
    raise AssertionError("The window's router does not listen.")


@pytest.mark.proves("CARD-5")
async def test_the_bundle_shows_its_window_and_tray_icon(
    tmp_path: Path,
) -> None:
    async with desktop_app(tmp_path) as app:
        await app.tray.begin()
        await app.start(program=BUNDLE / "toolbooth-desktop")
        await app.ready()
        await app.screen.find("Connect your AI apps")
        assert await app.tray.icon()
        await app.tray.choose("Quit Toolbooth")
        assert await asyncio.to_thread(ended, app.process) == 0
        assert "Traceback" not in app.session.log.read_text()


def test_the_bundle_has_a_desktop_entry_and_icons() -> None:
    share = BUNDLE / "share"
    entry = (share / "applications" / "toolbooth.desktop").read_text()
    assert "Exec=toolbooth-desktop %u" in entry
    assert "MimeType=x-scheme-handler/toolbooth;" in entry
    assert (share / "icons/hicolor/scalable/apps/toolbooth.svg").read_text().startswith("<svg")
