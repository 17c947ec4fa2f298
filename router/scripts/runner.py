"""One script from start to end: the conversation with its worker, and how it ended.

The worker computes only while a line of ours waits for its answer, so its computing time is what
passes meanwhile; what happens to calls in between is collected and sent as the next line.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from router.catalog.tool_definition import estimated_json_length
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_array, as_object
from router.runtime.tasks import spawn, stop, undisturbed
from router.scripts.limits import ScriptLimits
from router.scripts.worker_pool import Worker, WorkerGone, Workers, encoded
from router.upstream.ports import ProgressSink

_AT_ONCE = 4
_LARGE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Script:
    """What to run: `servers` are the globals it gets besides Lua's own."""

    text: str
    servers: Sequence[str] = ()
    arguments: JsonObject = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call a script makes, by the names it knows."""

    number: int
    server: str
    tool: str
    arguments: JsonObject
    on_progress: ProgressSink | None = None


class ScriptHost(Protocol):
    """What a script can do to the world: the router's side of it."""

    async def call(self, call: ScriptCall) -> JsonObject:
        """`{"value": …}`, `{"text": …}` or `{"error": sentence}`; never raises."""
        ...

    async def report(self, progress: JsonObject) -> None:
        """The script says how far it is."""
        ...


@dataclass(frozen=True, slots=True)
class Finished:
    """A script that came to its end."""

    result: Any
    has_result: bool
    printed: str
    calls: int


class ScriptFailed(ToolboothError):
    """A script that did not come to its end. `printed` is what it had printed by then."""

    def __init__(self, message: str, hint: str = "", printed: str = "") -> None:
        super().__init__(message, hint)
        self.printed = printed


class ScriptRunner:
    """Runs scripts, a few at once; others wait."""

    def __init__(self, limits: Callable[[], ScriptLimits]) -> None:
        self._limits = limits
        self._workers = Workers(limits)
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._inner_room = asyncio.Semaphore(_AT_ONCE)

    async def run(self, script: Script, host: ScriptHost, *, inner: bool = False) -> Finished:
        """Raises `ScriptFailed`, or another `ToolboothError` if no script can be run at all.

        `inner` scripts are those that scripts run: they wait only for each other, so that what
        waits for them never keeps them waiting.
        """
        limits = self._limits()
        async with self._inner_room if inner else self._room:
            worker = await self._workers.take()
            run = _Run(worker, host, limits)
            try:
                async with asyncio.timeout(limits.wall_s):
                    return await run.converse(script)
            except TimeoutError:
                raise ScriptFailed(
                    f"The script took longer than {limits.wall_s:g} s and was ended.",
                    "Do less in one script, or await calls together with await_all.",
                ) from None
            finally:
                await undisturbed(spawn(run.end(), name="end a script"))

    async def close(self) -> None:
        await self._workers.close()


class _Run:
    def __init__(self, worker: Worker, host: ScriptHost, limits: ScriptLimits) -> None:
        self._worker = worker
        self._host = host
        self._limits = limits
        self._busy_s = 0.0
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._made = 0
        self._events: asyncio.Queue[JsonObject] = asyncio.Queue()

    async def converse(self, script: Script) -> Finished:
        answer = await self._ask(
            {
                "script": script.text,
                "servers": list(script.servers),
                "arguments": script.arguments,
                "limits": self._limits.for_lua(),
            }
        )
        await self._report(answer)
        while not (done := as_object(answer.get("done"))):
            await self._follow(answer)
            answer = await self._ask({"events": await self._happened()})
            await self._report(answer)
        return self._finished(done)

    async def end(self) -> None:
        """Whatever is still under way ends with the script; the worker too."""
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
        except WorkerGone:
            raise ScriptFailed(
                "The script's process ended: it may have used too much memory or time.",
                "Keep less in memory at once.",
            ) from None
        finally:
            self._busy_s += time.monotonic() - started

    async def _happened(self) -> list[JsonObject]:
        """What happened to the calls since the last time; waits for the first thing."""
        events = [await self._events.get()]
        while not self._events.empty():
            events.append(self._events.get_nowait())
        return events

    async def _follow(self, answer: JsonObject) -> None:
        for entry in as_array(answer.get("calls")):
            self._begin(as_object(entry))
        for number in as_array(answer.get("cancel")):
            await stop(self._calls.get(number))
        if not self._calls and self._events.empty():
            raise ScriptFailed("The script waits for a call that it did not make.")

    async def _report(self, answer: JsonObject) -> None:
        progress = as_array(answer.get("progress"))
        if len(progress) == 3:
            await self._host.report(_progress(*progress))

    def _begin(self, entry: JsonObject) -> None:
        number = int(entry["id"])
        call = ScriptCall(
            number,
            str(entry["server"]),
            str(entry["tool"]),
            as_object(entry["arguments"]),
            self._progress_of(number) if entry.get("progress") else None,
        )
        self._made += 1
        self._calls[number] = spawn(self._call(call), name=f"call {number} of a script")

    async def _call(self, call: ScriptCall) -> None:
        event: JsonObject = {"error": "the script cancelled this call"}
        try:
            event = await self._host.call(call)
            if (
                estimated_json_length(event, self._limits.message_bytes)
                > self._limits.message_bytes
            ):
                event = {"error": "The result is too large for a script."}
        finally:
            del self._calls[call.number]
            self._events.put_nowait({"id": call.number, **event})

    def _progress_of(self, number: int) -> Callable[[JsonObject], Awaitable[None]]:
        async def report(params: JsonObject) -> None:
            told = [params.get("progress"), params.get("total"), params.get("message")]
            self._events.put_nowait({"id": number, "progress": told})

        return report

    def _finished(self, done: JsonObject) -> Finished:
        printed = str(done.get("printed") or "")
        if (limit := done.get("stopped")) is not None:
            raise ScriptFailed(*self._sentence(str(limit)), printed=printed)
        if (error := done.get("error")) is not None:
            raise ScriptFailed(_failure(str(error), done.get("line")), printed=printed)
        return Finished(done.get("result"), not done.get("none"), printed, self._made)

    def _sentence(self, limit: str) -> tuple[str, str]:
        if limit == "memory":
            return (
                f"The script used more than {self._limits.memory_mb} MB of memory and was ended.",
                "Keep less in memory at once.",
            )
        return (
            f"The script ran more than {self._limits.instructions:,} instructions and was ended.",
            "Look for a loop that does not end.",
        )


def _progress(done: Any, total: Any, message: Any) -> JsonObject:
    told: JsonObject = {"progress": done, "total": total, "message": message}
    return {key: value for key, value in told.items() if value is not None}


def _failure(error: str, line: object) -> str:
    """With the line, unless Lua has said it already."""
    if "not enough memory" in error and not error.startswith("script:"):
        return "The script used all the memory it may use."
    placed = error.startswith("script:") or not isinstance(line, int)
    return f"The script failed: {error}" if placed else f"The script failed at line {line}: {error}"


async def _line(message: JsonObject) -> bytes:
    """On a thread, piece by piece, if writing it in one go would hold up the loop."""
    if estimated_json_length(message, _LARGE) <= _LARGE:
        return encoded(message)
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    text = await asyncio.to_thread(lambda: "".join(encoder.iterencode(message)))
    return text.encode("utf-8", "replace")
