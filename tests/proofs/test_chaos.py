"""Chaos, with a fixed seed: what is killed, stopped, starved of disk or given another date loses
nothing that it acknowledged.

Prints one table at the end. `CHAOS_ROUNDS` and `CHAOS_SOAK_S` make it shorter.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from router.domain.errors import ToolboothError
from router.runtime.local_ipc import AnswerLost, NotListening
from router.runtime.tasks import spawn
from tests.proofs.conftest import Table
from tests.support.chaos import (
    SERVERS,
    ApprovalChanges,
    Changes,
    Instance,
    Observation,
    ServerChanges,
    TokenChanges,
    instance,
    observe,
)
from tests.support.router_process import TOOLBOOTH, connected
from tests.support.timeouts import WAIT_S

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "500"))
SOAK_S = int(os.environ.get("CHAOS_SOAK_S", "600"))
CALLS_PER_SECOND, CLIENTS = 200, 8
SEED = 20260501
BURSTS_S = (0.3, 0.3, 0.3, 2.5)
"""How long an instance works at most before it is killed: a discovery takes a second."""

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(sys.platform != "linux", reason="tmpfs, faketime and /proc"),
]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}


async def test_nothing_acknowledged_is_lost_when_the_router_is_killed(
    tmp_path: Path, table: Table
) -> None:
    """Servers, tokens and approvals change at the same time, each until the kill cuts it off."""
    chance, folder = random.Random(SEED), tmp_path / "data"
    approvals = ApprovalChanges(random.Random(SEED), tmp_path / "tool.json")
    servers, tokens = ServerChanges(random.Random(SEED)), TokenChanges(random.Random(SEED))
    changes = (servers, tokens, approvals)
    async with instance(folder) as running:
        await approvals.prepare(running)
        adopt(changes, await observe(running))
    lost: list[str] = []
    for number in range(ROUNDS):
        async with instance(folder) as running:
            seen = await observe(running)
            lost += [f"round {number}: {each}" for each in (*adopt(changes, seen), *seen.damaged)]
            bursts = [
                spawn(until_killed(each, running), name="burst", log_failure=False)
                for each in changes
            ]
            await asyncio.wait(bursts, timeout=chance.random() * chance.choice(BURSTS_S))
            await running.kill()
            await asyncio.gather(*bursts)
    left = [path for path in folder.rglob("*.tmp") if "packages" not in path.parts]
    async with instance(folder) as running:
        seen = await observe(running)
        lost += [*adopt(changes, seen), *seen.damaged]
        assert [path for path in left if path.exists()] == []
        await running.stop()
    table["`kill -9` of the router"] = (
        f"{ROUNDS} kills; acknowledged: {servers.acknowledged} adds, edits and removals of "
        f"servers, {tokens.acknowledged} tokens issued or revoked, {approvals.acknowledged} "
        "discoveries and approvals",
        str(len(lost)),
    )
    assert lost == []


def adopt(changes: Iterable[Changes], seen: Observation) -> list[str]:
    return [loss for each in changes for loss in each.losses(seen)]


async def until_killed(changes: Changes, running: Instance) -> None:
    with suppress(AnswerLost, NotListening):
        while True:
            await changes.change(running)


async def test_a_clock_that_jumps_loses_nothing(tmp_path: Path, table: Table) -> None:
    """Each start has another date; what was acknowledged on one holds on the next."""
    (faketime,) = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
    folder, jumps = tmp_path / "data", ("+0", "+10y", "-10y", "+3d", "+0")
    approvals = ApprovalChanges(random.Random(SEED), tmp_path / "tool.json")
    servers, tokens = ServerChanges(random.Random(SEED)), TokenChanges(random.Random(SEED))
    changes = (servers, tokens, approvals)
    async with instance(folder) as running:
        await approvals.prepare(running)
        adopt(changes, await observe(running))
        await running.stop()
    lost: list[str] = []
    for jump in jumps:
        date = {"FAKETIME": jump, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        async with instance(folder, LD_PRELOAD=str(faketime), **date) as running:
            seen = await observe(running)
            lost += [f"{jump}: {each}" for each in (*adopt(changes, seen), *seen.damaged)]
            for each in changes:
                for _ in range(4):
                    await each.change(running)
            await running.stop()
    table["a clock that jumps between starts"] = (
        f"{', '.join(jumps)}, with {sum(each.acknowledged for each in changes)} changes",
        str(len(lost)),
    )
    assert lost == []


def toolbooth(
    folder: Path, *words: str, prefix: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    place = words.index("--") if "--" in words else len(words)
    given = [*words[:place], "--data-dir", str(folder), *words[place:]]
    return subprocess.run(
        [*(prefix or []), TOOLBOOTH, *given], capture_output=True, text=True, timeout=WAIT_S
    )


@pytest.mark.parametrize("megabytes", [2])
async def test_a_full_disk_that_gets_room_again_has_everything(
    tmp_path: Path, table: Table, megabytes: int
) -> None:
    disk, folder = tmp_path / "disk", tmp_path / "disk" / "data"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)]
    assert run(*mount) == 0, "run this proof as root"
    try:
        async with instance(folder) as running:
            await running.ask("add", name="one", config=stdio())
            token = (await running.ask("token new", name="chaos"))["token"]
            await running.ask("refresh", server="one")
            await running.stop()
        fill(disk / "fill")
        async with instance(folder) as running:
            refused = 0
            async with connected(running.url, token, "auto") as client:
                for number in range(20):
                    called = await client.call_tool(
                        "tool_execute",
                        {"toolKey": "one:echo", "arguments": {"n": number}},
                    )
                    assert not called.is_error
            try:
                await running.ask("add", name="two", config=stdio())
            except ToolboothError as error:
                refused += "No space left" in error.message
            listed = toolbooth(folder, "list")
            assert "No space left on device" in listed.stderr
            (disk / "fill").unlink()
            async with asyncio.timeout(WAIT_S):
                while True:
                    if not (await running.ask("file problems"))["unwritten"]:
                        break
                    await asyncio.sleep(0.5)
            written = await running.ask("activity", kind="call")
            await running.stop()
        kept = 20 - len(written["entries"])
        table["a full disk"] = ("20 calls and an add while it was full", f"{kept}")
        assert (refused, kept) == (1, 0)
    finally:
        run("umount", "-l", str(disk))


def run(*command: str) -> int:
    return subprocess.run(command).returncode


def stdio() -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(SERVERS / "stdio_server.py")]}


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 1024)
        except OSError:
            return


async def test_a_stopped_router_or_server_answers_when_it_goes_on(
    tmp_path: Path, table: Table
) -> None:
    folder = tmp_path / "data"
    async with instance(folder) as running:
        await running.ask("add", name="one", config=stdio())
        await running.ask("refresh", server="one")
        token = (await running.ask("token new", name="chaos"))["token"]
        answered = 0
        async with connected(running.url, token, "auto") as client:
            await client.call_tool("tool_execute", {"toolKey": "one:echo", "arguments": {}})
            pids = [running.process.pid, *server_pids(running.process.pid)]
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                calls = [
                    spawn(
                        client.call_tool(
                            "tool_execute", {"toolKey": "one:echo", "arguments": {"n": number}}
                        ),
                        name="call",
                    )
                    for number in range(10)
                ]
                await asyncio.wait(calls, timeout=3)
                os.kill(pid, signal.SIGCONT)
                async with asyncio.timeout(WAIT_S):
                    results = await asyncio.gather(*calls)
                answered += sum(not result.is_error for result in results)
        table["SIGSTOP of router and server for 3 s"] = (
            f"{10 * len(pids)} calls meanwhile",
            str(10 * len(pids) - answered),
        )
        assert answered == 10 * len(pids)
        await running.stop()


def server_pids(pid: int) -> list[int]:
    return [
        child.pid
        for child in psutil.Process(pid).children()
        if any("stdio_server" in word for word in child.cmdline())
    ]


async def test_a_soak_leaks_neither_descriptors_nor_memory(tmp_path: Path, table: Table) -> None:
    async with instance(tmp_path / "data") as running:
        await running.ask("add", name="one", config=stdio())
        await running.ask("refresh", server="one")
        token = (await running.ask("token new", name="chaos"))["token"]
        process = psutil.Process(running.process.pid)
        samples: list[tuple[float, int, float]] = []
        began = time.monotonic()

        async def call_steadily() -> list[bool]:
            """Whether each call failed."""
            failed: list[bool] = []
            async with connected(running.url, token, "auto") as client:
                while (now := time.monotonic()) < began + SOAK_S:
                    result = await client.call_tool(
                        "tool_execute", {"toolKey": "one:echo", "arguments": {"n": len(failed)}}
                    )
                    failed.append(result.is_error)
                    due = began + len(failed) * CLIENTS / CALLS_PER_SECOND
                    await asyncio.sleep(max(0.0, due - now))
            return failed

        clients = [spawn(call_steadily(), name="client") for _ in range(CLIENTS)]
        while (at := time.monotonic() - began) < SOAK_S:
            samples.append((at, process.num_fds(), process.memory_info().rss / 2**20))
            await asyncio.wait(clients, timeout=SOAK_S / 120, return_when=asyncio.FIRST_EXCEPTION)
        failed = [each for results in await asyncio.gather(*clients) for each in results]
        await running.stop()
    settled = samples[len(samples) // 3 :]
    descriptors = slope_per_minute([(at, count) for at, count, _ in settled])
    memory = slope_per_minute([(at, rss) for at, _, rss in settled])
    table[f"a soak of {SOAK_S} s"] = (
        f"{len(failed)} calls, {len(failed) / SOAK_S:.0f} a second; a minute adds "
        f"{descriptors:+.2f} descriptors and {memory:+.2f} MB",
        str(sum(failed)),
    )
    assert sum(failed) == 0
    assert abs(descriptors) < 1
    assert memory < 2


def slope_per_minute(points: list[tuple[float, float]]) -> float:
    """Of the line that fits best."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
