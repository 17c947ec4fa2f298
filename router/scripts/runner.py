"""Runs one script: the protocol with its worker, and the outcome.

The worker computes only between a line of ours and its answer, so its computing time is what passes
in between. Events of the calls are collected and sent as the next line.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from router.catalog.tool_definition import estimated_json_length
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_array, as_object
from router.runtime.tasks import spawn, stop, wait_shielded
from router.scripts.limits import ScriptLimits
from router.scripts.worker_pool import ENCODER, Worker, WorkerExited, WorkerPool, encode
from router.upstream.ports import ProgressSink

_MAX_CONCURRENT = 4
_PROGRESS = ("progress", "total", "message")
"""The params of a progress notification, as Lua passes them."""
_LARGE_MESSAGE = 256 * 1024
_PLACE = re.compile(r"script:(\d+): ")


@dataclass(frozen=True, slots=True)
class Script:
    """What to run: `servers` are the globals it gets besides Lua's own."""

    text: str
    servers: Sequence[str] = ()
    arguments: JsonObject = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call made by a script, with its Lua names."""

    number: int
    server: str
    tool: str
    arguments: JsonObject
    on_progress: ProgressSink | None = None


class ScriptHost(Protocol):
    """What a script can do: the router's side of it."""

    async def call(self, call: ScriptCall) -> JsonObject:
        """`{"value": …}`, `{"text": …}` or `{"error": sentence}`; never raises."""
        ...

    async def report(self, progress: JsonObject) -> None:
        """The script reports its progress."""
        ...


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a script that succeeded."""

    result: Any
    has_result: bool
    printed: str
    calls: int


class ScriptFailed(ToolboothError):
    """A script failed or was stopped. `printed` is its output until then."""

    def __init__(self, message: str, hint: str = "", printed: str = "") -> None:
        super().__init__(message, hint)
        self.printed = printed


class ScriptRunner:
    """Runs a few scripts concurrently; others wait."""

    def __init__(self, limits: Callable[[], ScriptLimits]) -> None:
        self._limits = limits
        self._pool = WorkerPool(limits)
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)
        self._inner_slots = asyncio.Semaphore(_MAX_CONCURRENT)

    async def run(self, script: Script, host: ScriptHost, *, inner: bool = False) -> Finished:
        """Raises `ScriptFailed`, or another `ToolboothError` if no script can be run at all.

        `inner` scripts are run by scripts. They have their own limit, so that they never wait for
        the scripts that wait for them.
        """
        limits = self._limits()
        async with self._inner_slots if inner else self._slots:
            worker = await self._pool.take()
            run = _Run(worker, host, limits)
            try:
                async with asyncio.timeout(limits.wall_s):
                    return await run.execute(script)
            except TimeoutError:
                raise ScriptFailed(
                    f"The script took longer than {limits.wall_s:g} s and was ended.",
                    "Do less in one script, or await calls together with await_all.",
                ) from None
            finally:
                await wait_shielded(spawn(run.end(), name="end a script"))

    async def close(self) -> None:
        await self._pool.close()


class _Run:
    def __init__(self, worker: Worker, host: ScriptHost, limits: ScriptLimits) -> None:
        self._worker = worker
        self._host = host
        self._limits = limits
        self._busy_s = 0.0
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._call_count = 0
        self._events: asyncio.Queue[JsonObject] = asyncio.Queue()

    async def execute(self, script: Script) -> Finished:
        message: JsonObject = {
            "script": script.text,
            "servers": list(script.servers),
            "arguments": script.arguments,
            "limits": self._limits.for_lua(),
        }
        while True:
            answer = await self._ask(message)
            await self._report(answer)
            if done := as_object(answer.get("done")):
                return self._finished(done)
            await self._handle(answer)
            message = {"events": await self._next_events()}

    async def end(self) -> None:
        """Cancel the calls in progress and end the worker."""
        for call in tuple(self._calls.values()):
            await stop(call)
        await self._worker.end()

    async def _ask(self, message: JsonObject) -> JsonObject:
        line = await _line(message)
        started = time.monotonic()
        busy = asyncio.timeout(self._limits.busy_s - self._busy_s)
        try:
            async with busy:
                return await self._worker.ask(line)
        except TimeoutError:
            if not busy.expired():
                raise
            raise ScriptFailed(
                f"The script computed for more than {self._limits.busy_s:g} s and was ended.",
                "Look for a loop that does not end, or a pattern with many repetitions.",
            ) from None
        except WorkerExited:
            raise ScriptFailed(
                "The script's process ended: it may have used too much memory or time.",
                "Keep less in memory at once.",
            ) from None
        finally:
            self._busy_s += time.monotonic() - started

    async def _next_events(self) -> list[JsonObject]:
        """The events of the calls since the last time; waits for the first one."""
        events = [await self._events.get()]
        while not self._events.empty():
            events.append(self._events.get_nowait())
        return events

    async def _handle(self, answer: JsonObject) -> None:
        for entry in as_array(answer.get("calls")):
            self._start_call(as_object(entry))
        for number in as_array(answer.get("cancel")):
            await stop(self._calls.get(number))
        if not self._calls and self._events.empty():
            raise ScriptFailed("The script waits for a call that it did not make.")

    async def _report(self, answer: JsonObject) -> None:
        progress = as_array(answer.get("progress"))
        if len(progress) == len(_PROGRESS):
            params = dict(zip(_PROGRESS, progress, strict=True))
            await self._host.report({k: v for k, v in params.items() if v is not None})

    def _start_call(self, entry: JsonObject) -> None:
        number = int(entry["id"])
        call = ScriptCall(
            number,
            str(entry["server"]),
            str(entry["tool"]),
            as_object(entry["arguments"]),
            self._progress_of(number) if entry.get("progress") else None,
        )
        self._call_count += 1
        self._calls[number] = spawn(self._call(call), name=f"call {number} of a script")

    async def _call(self, call: ScriptCall) -> None:
        event: JsonObject = {"error": "the script cancelled this call"}
        limit = self._limits.message_bytes
        try:
            event = await self._host.call(call)
            if estimated_json_length(event, limit) > limit:
                event = {"error": "The result is too large for a script."}
        finally:
            del self._calls[call.number]
            self._events.put_nowait({"id": call.number, **event})

    def _progress_of(self, number: int) -> Callable[[JsonObject], Awaitable[None]]:
        async def report(params: JsonObject) -> None:
            progress = [params.get(name) for name in _PROGRESS]
            self._events.put_nowait({"id": number, "progress": progress})

        return report

    def _finished(self, done: JsonObject) -> Finished:
        printed = str(done.get("printed") or "")
        if (limit := done.get("stopped")) is not None:
            raise ScriptFailed(*self._limit_error(str(limit)), printed=printed)
        if (error := done.get("error")) is not None:
            raise ScriptFailed(_failure(str(error), done.get("line")), printed=printed)
        return Finished(done.get("result"), not done.get("none"), printed, self._call_count)

    def _limit_error(self, limit: str) -> tuple[str, str]:
        if limit == "memory":
            return (
                f"The script used more than {self._limits.memory_mb} MB of memory and was ended.",
                "Keep less in memory at once.",
            )
        return (
            f"The script ran more than {self._limits.instructions:,} instructions and was ended.",
            "Look for a loop that does not end.",
        )


def _failure(error: str, line: object) -> str:
    """`line` is where the script was, unless the error names its own line, as Lua's do."""
    place = _PLACE.match(error)
    if place is not None:
        line, error = place[1], error[place.end() :]
    elif "not enough memory" in error:
        return "The script used all the memory it may use."
    where = "" if line is None else f" at line {line}"
    return f"The script failed{where}: {error}"


async def _line(message: JsonObject) -> bytes:
    """In a thread, piece by piece, if encoding it at once would block the loop."""
    if estimated_json_length(message, _LARGE_MESSAGE) <= _LARGE_MESSAGE:
        return encode(message)
    text = await asyncio.to_thread(lambda: "".join(ENCODER.iterencode(message)))
    return text.encode("utf-8", "replace")
