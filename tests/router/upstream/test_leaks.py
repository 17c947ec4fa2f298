"""Starting and stopping a server repeatedly leaks nothing; nor does a killed router."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from router.upstream.pool import UpstreamPool
from tests.router.upstream.pool_harness import REF, PoolHarness, call
from tests.servers.commands import ends_within, is_running, recorded, stdio_config
from tests.support.router_process import children_of
from tests.support.timeouts import WAIT_S

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="counts by way of /proc")
ROUNDS = 30


@dataclass(frozen=True)
class Held:
    """The system resources this process holds."""

    descriptors: int
    tasks: int

    @classmethod
    def now(cls) -> Held:
        gc.collect()
        return cls(
            descriptors=len(list(Path("/proc/self/fd").iterdir())),
            tasks=len(asyncio.all_tasks()),
        )


async def start_and_stop(pool: UpstreamPool, rounds: int) -> None:
    for number in range(rounds):
        assert await call(pool, "echo", n=number) == {"n": number}
        await pool.disconnect(REF)


@LINUX_ONLY
async def test_starts_and_stops_leave_nothing_behind(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--child"]
    await start_and_stop(pool, 5)
    before, children = Held.now(), children_of(os.getpid())
    await start_and_stop(pool, ROUNDS)
    assert Held.now() == before
    assert len(harness.pids()) == ROUNDS + 5
    guardians = children_of(os.getpid()) - children  # the last one may still be ending
    left = [*harness.pids(), *recorded(harness.record, "child"), *guardians]
    assert [pid for pid in left if not ends_within(WAIT_S, pid)] == []


LOADED_ROUTER = """
import asyncio, json, sys
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.config.server import ServerConfig
from router.upstream.connect import LaunchPlan
from router.upstream.hooks import UpstreamHooks
from router.upstream.pool import UpstreamPool

async def launch(ref, folder):
    return LaunchPlan(ServerConfig(command=sys.executable, args=sys.argv[1:]))

async def call(pool, ref, tool):
    result = await pool.request(ref, "tools/call", {"name": tool, "arguments": {}})
    return result.get("structuredContent", {}).get("pid")

async def keep_calling(pool, ref):
    while True:
        await call(pool, ref, "echo")

async def main():
    nothing = lambda *_: None
    pool = UpstreamPool(UpstreamHooks(launch, nothing, nothing))
    refs = [ServerRef(WorkspaceId("w"), ServerId(f"s{n}")) for n in range(5)]
    pids = await asyncio.gather(
        *(call(pool, ref, tool) for ref in refs for tool in ("env", "spawn", "spawn"))
    )
    load = [asyncio.ensure_future(keep_calling(pool, ref)) for ref in refs for _ in range(10)]
    await asyncio.gather(*(call(pool, ref, "echo") for ref in refs))
    print(json.dumps(pids), flush=True)
    await asyncio.wait(load)

asyncio.run(main())
"""


def test_killing_a_router_under_load_leaves_none_of_five_servers_nor_their_children() -> None:
    config = stdio_config("--stubborn")
    router = subprocess.Popen(
        [sys.executable, "-c", LOADED_ROUTER, *config.args], stdout=subprocess.PIPE
    )
    assert router.stdout is not None
    pids: list[int] = json.loads(router.stdout.readline())
    assert len(set(pids)) == 15
    assert all(map(is_running, pids))
    router.kill()
    router.wait()
    router.stdout.close()
    assert [pid for pid in pids if not ends_within(WAIT_S, pid)] == []
