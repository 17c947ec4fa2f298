"""A router that is killed at any moment, and what it must still know afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from router.domain.json_values import JsonObject
from router.runtime.local_ipc import send, socket_address
from tests.support.router_process import TOOLBOOTH, do_not_confirm
from tests.support.timeouts import WAIT_S

SERVERS = Path(__file__).parents[1] / "servers"
_MANY = 12
"""From here on, something is removed before more is added: a round costs the same to the end."""


class Instance:
    """`toolbooth serve` that can be killed at any moment, and commands to it."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.log = folder.parent / "log"
        self._variables = variables
        self.process: asyncio.subprocess.Process
        self.url = ""
        self._began = len(self.log.read_text(errors="replace")) if self.log.exists() else 0
        do_not_confirm(folder)

    async def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(str(TOOLBOOTH), "serve", "--port", "0", "--data-dir", str(self.folder)),
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self._variables},
            )
        assert self.process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            self.url = json.loads(await self.process.stdout.readline())["url"]

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> None:
        self.process.terminate()
        await self.process.wait()

    def complaints(self) -> list[str]:
        """What the log has about files that can't be used, and exceptions with what follows."""
        log = self.log.read_text(errors="replace")[self._began :]
        return re.findall(r".*Can't use.*|Traceback(?:.*\n){,60}", log)

    async def ask(self, command: str, **arguments: Any) -> Any:
        return await send(socket_address(self.folder), command, arguments)


@asynccontextmanager
async def instance(folder: Path, **variables: str) -> AsyncGenerator[Instance]:
    running = Instance(folder, **variables)
    await running.start()
    try:
        yield running
    finally:
        if running.process.returncode is None:
            await running.kill()


@dataclass(frozen=True, slots=True)
class Observation:
    """What an instance knows after its start."""

    disabled: dict[str, bool]
    consents: set[str]
    tokens: dict[str, str]
    """The id of each by its name."""
    pending: list[Any]
    damaged: list[str]


async def observe(running: Instance) -> Observation:
    status = await running.ask("status")
    problems = await running.ask("file problems")
    consented = running.folder / "workspaces" / "personal" / "consents.json"
    consents: dict[str, str] = {}
    if consented.exists():
        consents = json.loads(consented.read_bytes())["servers"]
    set_aside = [*running.folder.rglob("*.damaged"), *running.folder.rglob("*.broken-*")]
    return Observation(
        {server["id"]: not server["enabled"] for server in status["servers"]},
        set(consents),
        {token["name"]: token["id"] for token in await running.ask("token list")},
        await running.ask("pending"),
        [
            *map(str, problems["rejected"]),
            *filter(None, [problems["unwritten"]]),
            *map(str, set_aside),
            *running.complaints(),
        ],
    )


class Changes(Protocol):
    """One kind of state: changes it, and remembers what was acknowledged. One change at a time, so
    at most one is unsure when the instance is killed: sent, and not acknowledged."""

    acknowledged: int

    async def change(self, running: Instance) -> None:
        """One random change."""
        ...

    def losses(self, seen: Observation) -> list[str]:
        """What was acknowledged and is not so. What was unsure is from now on as it was seen."""
        ...


class ServerChanges:
    """Adds, edits and removals of servers."""

    def __init__(self, chance: random.Random) -> None:
        self.acknowledged = 0
        self._chance = chance
        self._disabled: dict[str, bool] = {}
        self._consents: set[str] = set()
        self._unsure: str | None = None
        self._number = 0

    async def change(self, running: Instance) -> None:
        known = sorted(self._disabled)
        if known and self._chance.random() < (0.8 if len(known) >= _MANY else 0.5):
            self._unsure = name = self._chance.choice(known)
            if len(known) >= _MANY:
                await running.ask("remove", server=name)
                del self._disabled[name]
                self._consents.discard(name)
            else:
                disable = not self._disabled[name]
                await running.ask("disable" if disable else "enable", server=name)
                self._disabled[name] = disable
        else:
            self._number += 1
            self._unsure = name = f"s{self._number}"
            config = {"command": "/bin/true", "args": [name], "disabled": True}
            assert (await running.ask("add", name=name, config=config))["id"] == name
            self._disabled[name] = True
            self._consents.add(name)
        self._unsure = None
        self.acknowledged += 1

    def losses(self, seen: Observation) -> list[str]:
        there = {name: off for name, off in seen.disabled.items() if name != LISTED}
        losses = [
            f"server {name}: disabled is {there.get(name)}, not {self._disabled.get(name)}"
            for name in {*self._disabled, *there} - {self._unsure}
            if there.get(name) != self._disabled.get(name)
        ]
        missing = self._consents - seen.consents - {self._unsure}
        losses += [f"the consent to {name}" for name in missing]
        self._disabled, self._unsure = there, None
        self._consents = seen.consents & set(there)
        return losses


class TokenChanges:
    """Issues and revokes tokens."""

    def __init__(self, chance: random.Random) -> None:
        self.acknowledged = 0
        self._chance = chance
        self._tokens: dict[str, str] = {}
        self._unsure: str | None = None
        self._number = 0

    async def change(self, running: Instance) -> None:
        known = sorted(self._tokens)
        if known and self._chance.random() < (0.8 if len(known) >= _MANY else 0.3):
            self._unsure = name = self._chance.choice(known)
            await running.ask("token revoke", token=self._tokens[name])
            del self._tokens[name]
        else:
            self._number += 1
            self._unsure = name = f"t{self._number}"
            self._tokens[name] = (await running.ask("token new", name=name))["id"]
        self._unsure = None
        self.acknowledged += 1

    def losses(self, seen: Observation) -> list[str]:
        losses = [
            f"token {name}: {seen.tokens.get(name)}, not {self._tokens.get(name)}"
            for name in {*self._tokens, *seen.tokens} - {self._unsure}
            if self._tokens.get(name) != seen.tokens.get(name)
        ]
        self._tokens, self._unsure = dict(seen.tokens), None
        return losses


LISTED = "listed"


class ApprovalChanges:
    """A changed tool is discovered, then approved."""

    def __init__(self, chance: random.Random, tool: Path) -> None:
        self.acknowledged = 0
        self._chance = chance
        self._tool = tool
        self._pending: bool | None = False
        """Whether a changed tool is waiting; None: unsure."""
        self._list("first")

    def _list(self, description: str) -> None:
        schema: JsonObject = {}
        tool = {"name": "read", "description": description, "inputSchema": schema}
        self._tool.write_text(json.dumps({"tools": [tool]}))

    async def prepare(self, running: Instance) -> None:
        """Add the server; its first tool list is approved with it."""
        args = [str(SERVERS / "listed_server.py"), str(self._tool)]
        config = {"command": sys.executable, "args": args}
        await running.ask("add", name=LISTED, config=config)
        await running.ask("refresh", server=LISTED)

    async def change(self, running: Instance) -> None:
        waits, self._pending = self._pending, None
        if waits is False:
            self._list(f"Reads {self._chance.randrange(10**9)}.")
        if not waits:
            await running.ask("refresh", server=LISTED)
        if waits is not False:
            await running.ask("approve", server=LISTED)
        self._pending = waits is False
        self.acknowledged += 1

    def losses(self, seen: Observation) -> list[str]:
        """What was unsure stays so until it is refreshed and approved."""
        if self._pending is None or self._pending == bool(seen.pending):
            return []
        lost, self._pending = self._pending, None
        return ["a discovered change" if lost else "an approval"]
