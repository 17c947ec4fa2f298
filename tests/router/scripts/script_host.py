"""Scripts for the tests: run in a real worker process, with a host that answers from memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject
from router.scripts.limits import ScriptLimits
from router.scripts.runner import Finished, Script, ScriptCall, ScriptRunner

GENEROUS = ScriptLimits(busy_s=30.0)
"""Computing time is counted on a clock, and the machine may be busy with other things."""


class EchoHost:
    """Results by tool name: `echo` returns its arguments, `text` a text, `fail` an error."""

    def __init__(self) -> None:
        self.calls: list[ScriptCall] = []
        self.reported: list[JsonObject] = []
        self.active_calls = 0
        self.max_active_calls = 0
        self.waiting = asyncio.Event()
        self.release = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def call(self, call: ScriptCall) -> JsonObject:
        self.calls.append(call)
        self.active_calls += 1
        self.max_active_calls = max(self.max_active_calls, self.active_calls)
        try:
            return await self._answer(call)
        finally:
            self.active_calls -= 1

    async def report(self, progress: JsonObject) -> None:
        self.reported.append(progress)

    async def _answer(self, call: ScriptCall) -> JsonObject:
        match call.tool:
            case "text":
                return {"text": call.arguments["text"]}
            case "fail":
                return {"error": "the disk is full"}
            case "wait":
                return await self._wait()
            case "large":
                return {"value": "x" * 5_000_000}
            case _:
                if call.on_progress is not None:
                    await call.on_progress({"progress": 1, "total": 2, "message": "half"})
                await asyncio.sleep(0)
                return {"value": call.arguments}

    async def _wait(self) -> JsonObject:
        self.waiting.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return {"value": {}}


@asynccontextmanager
async def script_runner(limits: ScriptLimits = GENEROUS) -> AsyncGenerator[ScriptRunner]:
    runner = ScriptRunner(lambda: limits)
    try:
        yield runner
    finally:
        await runner.close()


async def run(
    text: str, host: EchoHost | None = None, limits: ScriptLimits = GENEROUS, **arguments: Any
) -> Finished:
    async with script_runner(limits) as runner:
        return await runner.run(Script(text, ("files",), arguments), host or EchoHost())


async def value_of(text: str, **arguments: Any) -> Any:
    """The value a script passes to `result`."""
    return (await run(text, **arguments)).result


async def failure_of(text: str, limits: ScriptLimits = GENEROUS) -> str:
    """The message a script fails with."""
    try:
        finished = await run(text, limits=limits)
    except ToolboothError as error:
        return f"{error.message} {error.hint}"
    raise AssertionError(f"The script came to its end: {finished}")
