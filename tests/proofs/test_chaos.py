"""Chaos, with a fixed seed: what is killed, stopped or starved of disk loses nothing that it
acknowledged.

Prints one table at the end. `CHAOS_ROUNDS` makes it shorter.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
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
SEED = 20260501
BURSTS_S = (0.3, 0.3, 0.3, 2.5)
"""How long an instance works at most before it is killed: a discovery takes a second."""

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(sys.platform != "linux", reason="tmpfs and /proc"),
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
