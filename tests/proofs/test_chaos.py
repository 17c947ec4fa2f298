"""Chaos, with a fixed seed: what is killed, stopped or starved of disk loses nothing that it
acknowledged.

Prints one table at the end. `CHAOS_ROUNDS` makes it shorter.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject
from router.runtime.local_ipc import send, socket_address
from router.runtime.tasks import spawn
from tests.support.router_process import TOOLBOOTH, connected, do_not_confirm
from tests.support.timeouts import WAIT_S

ROUNDS = int(os.environ.get("CHAOS_ROUNDS", "500"))
SEED = 20260501
SERVERS = Path(__file__).parents[1] / "servers"
PATIENT_S = WAIT_S
TABLE = Path(__file__).parents[2] / "build" / "chaos.md"

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(sys.platform != "linux", reason="tmpfs and /proc"),
]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(scope="module")
def table() -> Generator[dict[str, tuple[str, str]]]:
    """What was tried and what was lost, by test."""
    rows: dict[str, tuple[str, str]] = {}
    yield rows
    lines = ["| what | tried | lost |", "|---|---|---|"]
    lines += [f"| {what} | {tried} | {lost} |" for what, (tried, lost) in rows.items()]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n")
    os.write(2, "\n".join(["", *lines, ""]).encode())


class Instance:
    """`toolbooth serve` that can be killed at any moment, and commands to it."""

    def __init__(self, folder: Path, *prefix: str, **variables: str) -> None:
        self.folder = folder
        self._prefix = prefix
        self._variables = variables
        do_not_confirm(folder)
        self.process: asyncio.subprocess.Process
        self.url = ""

    async def start(self) -> None:
        command = [*self._prefix, str(TOOLBOOTH), "serve", "--port", "0"]
        with (self.folder.parent / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *command,
                "--data-dir",
                str(self.folder),
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self._variables},
            )
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENT_S):
            self.url = json.loads(await self.process.stdout.readline())["url"]

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> None:
        self.process.terminate()
        await self.process.wait()

    async def ask(self, command: str, **arguments: Any) -> Any:
        return await send(socket_address(self.folder), command, arguments, retry_for_s=10)


@asynccontextmanager
async def instance(folder: Path, *prefix: str, **variables: str) -> AsyncGenerator[Instance]:
    running = Instance(folder, *prefix, **variables)
    await running.start()
    try:
        yield running
    finally:
        if running.process.returncode is None:
            await running.kill()


@dataclass
class Model:
    """What the instance has acknowledged, and for each subject what it may have done without."""

    servers: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether each is disabled."""
    tokens: set[str] = field(default_factory=set[str])
    port: int = 4100
    approved: int | None = None
    """The version of the listed tool that is approved."""
    unsure: dict[str, Any] = field(default_factory=dict[str, Any])
    operations: int = 0

    def differences(self, seen: Mapping[str, Any]) -> list[str]:
        """What was acknowledged and is not there, or is there and was not even tried."""
        found: list[str] = []
        servers: dict[str, bool] = dict(seen["servers"])
        for name in {*self.servers, *servers} - {self.unsure.get("server")}:
            if self.servers.get(name) != servers.get(name):
                found.append(f"server {name}: {self.servers.get(name)} != {servers.get(name)}")
        if "consent" not in self.unsure:
            found += [f"no consent for {name}" for name in seen["unconsented"]]
        missing = self.tokens - set(seen["tokens"]) - {self.unsure.get("token")}
        found += [f"token {each} is lost" for each in missing]
        if self.unsure.get("tokens") is None and not set(seen["tokens"]) <= self.tokens:
            found.append("a revoked token is back")
        if "port" not in self.unsure and seen["port"] != self.port:
            found.append(f"setting: {seen['port']} != {self.port}")
        if self.approved is not None and "approval" not in self.unsure and seen["pending"]:
            found.append("an approval is lost")
        return found

    def adopt(self, seen: Mapping[str, Any]) -> None:
        """What was not sure is what is there."""
        self.servers, self.tokens = dict(seen["servers"]), set(seen["tokens"])
        self.port, self.unsure = seen["port"], {}
        self.approved = None if seen["pending"] else self.approved


async def observed(running: Instance) -> dict[str, Any]:
    status = await running.ask("status")
    settings = running.folder / "settings.json"
    consented = running.folder / "workspaces" / "personal" / "consents.json"
    consents = json.loads(consented.read_text())["servers"]
    servers = [server for server in status["servers"] if server["id"] != "listed"]
    return {
        "rejected": status["rejected"],
        "servers": {server["id"]: not server["enabled"] for server in servers},
        "unconsented": [s["id"] for s in servers if s["id"] not in consents],
        "tokens": [token["id"] for token in await running.ask("token list")],
        "port": json.loads(settings.read_text()).get("port"),
        "pending": await running.ask("pending"),
    }


class Operations:
    """Random changes, each recorded in the model when it is acknowledged."""

    def __init__(self, running: Instance, model: Model, chance: random.Random, tool: Path) -> None:
        self._running = running
        self._model = model
        self._chance = chance
        self._tool = tool

    async def one(self) -> None:
        kinds = (self.add, self.edit, self.remove, self.issue, self.revoke, self.approve)
        weights = (8, 8, 2, 6, 2, 1)
        await self._chance.choices(kinds, weights)[0]()
        self._model.operations += 1

    async def add(self) -> None:
        name = f"s{self._model.operations}x{self._chance.randrange(10**6)}"
        self._model.unsure |= {"server": name, "consent": name}
        config = {"command": "/bin/true", "args": [name], "disabled": True}
        added = await self._running.ask("add", name=name, config=config)
        self._model.servers[added["id"]] = True
        self._model.unsure.clear()

    async def edit(self) -> None:
        if not self._model.servers:
            return
        name = self._chance.choice(sorted(self._model.servers))
        self._model.unsure["server"] = name
        await self._running.ask("enable", server=name)
        await self._running.ask("disable", server=name)
        self._model.unsure.clear()

    async def remove(self) -> None:
        if not self._model.servers:
            return
        name = self._chance.choice(sorted(self._model.servers))
        self._model.unsure["server"] = name
        await self._running.ask("remove", server=name)
        del self._model.servers[name]
        self._model.unsure.clear()

    async def issue(self) -> None:
        self._model.unsure["tokens"] = "one more"
        issued = await self._running.ask("token new", name="chaos")
        self._model.tokens.add(issued["id"])
        self._model.unsure.clear()

    async def revoke(self) -> None:
        if not self._model.tokens:
            return
        token = self._chance.choice(sorted(self._model.tokens))
        self._model.unsure["token"] = token
        await self._running.ask("token revoke", token=token)
        self._model.tokens.discard(token)
        self._model.unsure.clear()

    async def approve(self) -> None:
        """A changed tool is discovered, then approved."""
        version = self._chance.randrange(10**9)
        self._model.unsure["approval"] = version
        schema: JsonObject = {}
        tool = {"name": "read", "description": f"Reads {version}.", "inputSchema": schema}
        self._tool.write_text(json.dumps({"tools": [tool]}))
        await self._running.ask("refresh", server="listed")
        await self._running.ask("approve", server="listed")
        self._model.approved = version
        self._model.unsure.clear()


async def test_nothing_acknowledged_is_lost_when_the_router_is_killed(
    tmp_path: Path, table: dict[str, tuple[str, str]]
) -> None:
    chance, model, folder = random.Random(SEED), Model(), tmp_path / "data"
    tool = tmp_path / "tool.json"
    tool.write_text('{"tools": []}')
    async with instance(folder) as running:
        args = [str(SERVERS / "listed_server.py"), str(tool)]
        await running.ask("add", name="listed", config={"command": sys.executable, "args": args})
        model.adopt(await observed(running))
        await running.kill()
    lost: list[str] = []
    for _ in range(ROUNDS):
        async with instance(folder) as running:
            seen = await observed(running)
            lost += [*model.differences(seen), *map(str, seen["rejected"])]
            model.adopt(seen)
            operations = Operations(running, model, chance, tool)
            for _ in range(chance.randint(0, 10)):
                await operations.one()
            last = spawn(operations.one(), name="the operation that is cut off", log_failure=False)
            await asyncio.wait([last], timeout=chance.random() * 0.06)
            await running.kill()
            outcome = await asyncio.gather(last, return_exceptions=True)
            assert isinstance(outcome[0], ToolboothError | OSError | ValueError | None)
    left = [path for path in folder.rglob("*.tmp") if "packages" not in path.parts]
    async with instance(folder) as running:
        lost += model.differences(await observed(running))
        assert [path for path in left if path.exists()] == []
        await running.stop()
    table["`kill -9` of the router"] = (
        f"{ROUNDS} kills, {model.operations} acknowledged adds, edits, removals, approvals and "
        "token writes",
        str(len(lost)),
    )
    assert lost == []


def toolbooth(
    folder: Path, *words: str, prefix: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    place = words.index("--") if "--" in words else len(words)
    given = [*words[:place], "--data-dir", str(folder), *words[place:]]
    return subprocess.run(
        [*(prefix or []), TOOLBOOTH, *given], capture_output=True, text=True, timeout=PATIENT_S
    )


@pytest.mark.parametrize("megabytes", [2])
async def test_a_full_disk_that_gets_room_again_has_everything(
    tmp_path: Path, table: dict[str, tuple[str, str]], megabytes: int
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
            async with asyncio.timeout(PATIENT_S):
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
    tmp_path: Path, table: dict[str, tuple[str, str]]
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
                async with asyncio.timeout(PATIENT_S):
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
