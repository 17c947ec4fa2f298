"""Discovering many servers takes hardly more memory than reading their lists after a restart."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from tests.support.listed_server import ListedServer
from tests.support.router_process import TOOLBOOTH, RouterProcess

pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]
SERVERS = 15
TOOLS = 400


@pytest.fixture
def router(tmp_path: Path) -> Generator[RouterProcess]:
    (tmp_path / "data").mkdir()
    process = RouterProcess(TOOLBOOTH, tmp_path / "data")
    process.start()
    yield process
    process.close()


def test_discovery_takes_hardly_more_memory_than_a_restart(
    router: RouterProcess, tmp_path: Path
) -> None:
    servers: dict[str, object] = {}
    for number in range(SERVERS):
        server = ListedServer(tmp_path / f"{number}.json")
        server.has(*(tool(f"{number}_{each}") for each in range(TOOLS)))
        servers[f"s{number}"] = server.config.to_json()
    for name, config in servers.items():
        entry = json.loads(json.dumps(config))
        router.json("add", name, "--", entry["command"], *entry["args"])
    router.command_timeout_s = 300
    router.refresh()
    discovered = searched_mb(router)
    router.stop()
    router.start()
    restarted = searched_mb(router)
    print(f"\n{SERVERS * TOOLS} tools: {discovered:.0f} MB, after a restart {restarted:.0f} MB")
    assert discovered < 1.3 * restarted


def tool(name: str) -> dict[str, object]:
    parameters = {each: {"type": "string", "description": f"The {each}."} for each in "abcdef"}
    schema = {"type": "object", "properties": parameters}
    return {"name": f"read_file_{name}", "description": f"Does {name}. " * 9, "inputSchema": schema}


def searched_mb(router: RouterProcess) -> float:
    router.json("search", "read file")  # builds the index
    return psutil.Process(router.pid).memory_info().rss / 1e6
