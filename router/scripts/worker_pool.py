"""Worker processes: one for each script, and a spare that is started in advance.

The first script starts the first worker, so there is none without scripts. A worker runs one script
and exits, so that scripts share no state.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import resources
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn
from router.scripts.limits import ScriptLimits
from router.upstream.process.spawn import Program, start_program

log = logging.getLogger(__name__)

WORKER_COMMAND = "script-worker"
"""The hidden command that makes a frozen `toolbooth` a worker."""

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_START_S = 30.0
_SPARE_S = 300.0
_EXIT_S = 5.0


class WorkerExited(ToolboothError):
    """The process exited, or sent an invalid line."""

    def __init__(self) -> None:
        super().__init__("The process that runs scripts ended unexpectedly.", "Try again.")


class Worker:
    """One process, from its start to its end."""

    def __init__(self, process: Program) -> None:
        self._process = process
        # Casts, because asyncio can't know that both are pipes.
        self._stdin = cast(asyncio.StreamWriter, process.stdin)
        self._stdout = cast(asyncio.StreamReader, process.stdout)

    @classmethod
    async def start(cls, limits: ScriptLimits) -> Worker:
        """A worker that is ready for its script."""
        process = await start_program(
            *worker_command(),
            stderr=subprocess.DEVNULL,
            env=_environment(),
            cwd=Path(sys.executable).anchor,
            line_bytes=limits.line_bytes,
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_S):
                await worker.ask(encode(_setup(limits)))
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, line: bytes) -> JsonObject:
        """The worker's answer to a line. Raises `WorkerExited`."""
        try:
            self._stdin.write(line + b"\n")
            answer = await self._stdout.readline()
            if not answer.endswith(b"\n"):
                raise WorkerExited
            return as_object(json.loads(answer.decode("utf-8", "replace")))
        except (OSError, ValueError, RecursionError):
            raise WorkerExited from None

    async def end(self) -> None:
        """Kill it, if it has not exited; returns when it is gone."""
        try:
            async with asyncio.timeout(_EXIT_S):
                await self._process.end()
        except TimeoutError:
            log.error("Script worker %d can't be killed", self.pid)


class WorkerPool:
    """Provides workers. `limits` is called whenever one is started."""

    def __init__(self, limits: Callable[[], ScriptLimits], spare_s: float = _SPARE_S) -> None:
        self._limits = limits
        self._spare_s = spare_s
        self._spare: asyncio.Task[Worker] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def take(self) -> Worker:
        """The spare, or a new one; starts another spare."""
        worker = await self._next()
        while not worker.is_alive:
            await worker.end()
            worker = await self._next()
        self._prepare_spare()
        return worker

    async def close(self) -> None:
        self._closed = True
        self._drop_spare()
        if self._ending:
            await asyncio.wait(self._ending)

    async def _next(self) -> Worker:
        # A cancelled start could lose the process, so it goes on and becomes the spare.
        is_new = self._spare is None
        spare, self._spare = self._spare or self._start_worker(), None
        try:
            return await asyncio.shield(spare)
        except ToolboothError:
            if is_new:
                raise
            return await self._next()
        except asyncio.CancelledError:
            if self._spare is None and not self._closed:
                self._spare = spare
            else:
                self._end(spare)
            raise

    def _start_worker(self) -> asyncio.Task[Worker]:
        return spawn(self._start(), name="start a script worker")

    async def _start(self) -> Worker:
        try:
            return await Worker.start(self._limits())
        except (OSError, TimeoutError) as error:
            log.warning("A script worker can't be started: %r", error)
            raise ToolboothError(
                "The process that runs scripts can't be started.",
                "Try again; if that does not help, the log says why.",
            ) from None

    def _prepare_spare(self) -> None:
        if self._closed:
            return
        if self._expiry is not None:
            self._expiry.cancel()
        if self._spare is None:
            self._spare = self._start_worker()
        self._expiry = asyncio.get_running_loop().call_later(self._spare_s, self._drop_spare)

    def _drop_spare(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        spare, self._spare = self._spare, None
        if spare is not None:
            self._end(spare)

    def _end(self, starting: asyncio.Task[Worker]) -> None:
        spawn(_end_once_started(starting), name="end a script worker", group=self._ending)


async def _end_once_started(starting: asyncio.Task[Worker]) -> None:
    await asyncio.wait([starting])
    if not starting.cancelled() and starting.exception() is None:
        await starting.result().end()


def encode(message: JsonObject) -> bytes:
    return ENCODER.encode(message).encode("utf-8", "replace")


def worker_command() -> list[str]:
    """How to start a worker, from a bundle or from source."""
    if getattr(sys, "frozen", False):
        # The program with a console: a windowed one has no standard input or output on Windows.
        beside = Path(sys.executable).with_name(f"toolbooth{Path(sys.executable).suffix}")
        return [str(beside if beside.exists() else sys.executable), WORKER_COMMAND]
    return [sys.executable, "-P", "-s", "-m", "router.scripts.worker"]


def _setup(limits: ScriptLimits) -> JsonObject:
    return {
        "json": resources.read_text("lua", "json.lua"),
        "sandbox": resources.read_text("lua", "sandbox.lua"),
        "memory_bytes": limits.memory_bytes,
        "process_bytes": limits.process_bytes,
        "cpu_s": int(limits.busy_s) + 10,
    }


def _environment() -> dict[str, str]:
    """An empty environment, except for the path of our code and what Windows requires."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TZ") if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[2])}
