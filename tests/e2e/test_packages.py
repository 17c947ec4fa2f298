"""Real servers from npm and PyPI: fetched, then listed without network, then used."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from router.discovery.sandbox.self_test import supported_sandbox
from router.domain.receipts import IsolationLevel
from tests.support.router_process import TOOLBOOTH, RouterProcess

pytestmark = [pytest.mark.proof, pytest.mark.timeout(300)]


@pytest.fixture
def router(tmp_path: Path) -> Generator[RouterProcess]:
    started = RouterProcess(TOOLBOOTH, tmp_path / "data")
    started.data_dir.mkdir()
    started.command_timeout_s = 150  # for downloads over the network
    yield started
    started.close()


@pytest.mark.parametrize(
    ("command", "source", "call"),
    [
        (["npx", "-y", "@modelcontextprotocol/server-memory"], "npm", "read_graph"),
        (["uvx", "mcp-server-time", "--local-timezone", "UTC"], "pypi", "convert_time"),
    ],
)
def test_a_real_package_is_listed_offline_and_starts_fast_afterwards(
    router: RouterProcess, command: list[str], source: str, call: str
) -> None:
    router.start()
    router.json("add", "Test", "--", *command)
    [server] = router.json("refresh", "test")
    assert server["discovery"] == "success"
    assert f"test:{call}" in {tool["toolKey"] for tool in router.json("tools")}
    receipt = router.json("receipt", "test")
    assert receipt["package"]["source"] == source
    assert receipt["package"]["version"]
    assert receipt["package"]["integrity"]
    if supported_sandbox().profile.level >= IsolationLevel.CONFINED:
        assert receipt["protection"]["networkBlocked"]
    began = time.monotonic()
    router.json("refresh", "test")
    assert time.monotonic() - began < 20, "nothing is fetched again"
