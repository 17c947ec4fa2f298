"""A server that is killed again and again while it works: its calls hardly notice."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from router.config.server import ServerConfig
from router.runtime.tasks import spawn, stop
from tests.support.listed_server import ListedServer
from tests.support.running_router import RunningRouter, running_router

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes by signals"),
]
SEED = 17
KILLS = 12
LONGEST_SERVICE_S = 8.0
CLIENTS = 4
BETWEEN_CALLS_S = 0.02


class Calls:
    """What became of the calls of one tool, by all clients."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.made = 0
        self.failed: list[str] = []
        self.longest_outage_s = 0.0
        self.answered = time.monotonic()

    async def make(self, running: RunningRouter) -> None:
        while True:
            result = await running.call("tool_execute", {"toolKey": f"listed:{self.tool}"})
            now = time.monotonic()
            self.made += 1
            if result.get("isError"):
                self.failed.append(result["content"][0]["text"])
            else:
                self.longest_outage_s = max(self.longest_outage_s, now - self.answered)
                self.answered = now
            await asyncio.sleep(BETWEEN_CALLS_S)

    def __str__(self) -> str:
        return (
            f"{self.tool}: {self.made} calls, {len(self.failed)} failed, "
            f"longest outage {self.longest_outage_s:.2f} s"
        )


@pytest.mark.proves("REG-7")
async def test_kills_in_service_refuse_few_calls_and_cause_short_outages(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with running_router(tmp_path / "data") as running:
        server = ListedServer(tmp_path / "tools.json")
        server.has({"name": "read", "annotations": {"readOnlyHint": True}}, {"name": "write"})
        await running.add("Listed", server.config)
        calls = [Calls("read"), Calls("write")]
        clients = [
            spawn(each.make(running), name="client") for each in calls for _ in range(CLIENTS)
        ]
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0.5, LONGEST_SERVICE_S))
            kill_server(server.config)
        await asyncio.sleep(LONGEST_SERVICE_S)
        for client in clients:
            await stop(client)
    read, write = calls
    print(f"\n{KILLS} kills. {read}. {write}.")
    assert read.failed == []
    assert len(write.failed) < 0.02 * write.made
    assert max(read.longest_outage_s, write.longest_outage_s) < 2.0


def kill_server(config: ServerConfig) -> None:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if config.args[-1] in process.cmdline():
                process.kill()
