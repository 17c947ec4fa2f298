"""The environment of a pool in tests: what it may start, what it published, and the time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from router.config.server import ServerConfig
from router.domain.failures import Failure
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.servers import ServerState
from router.upstream.connect import LaunchPlan
from router.upstream.hooks import Timing, UpstreamHooks
from router.upstream.pool import UpstreamPool
from router.upstream.ports import CallOptions
from router.upstream.run_options import RunOptions
from tests.servers.commands import recorded, stdio_config
from tests.support.timeouts import WAIT_S

REF = ServerRef(WorkspaceId("w"), ServerId("s"))
OTHER = ServerRef(WorkspaceId("w"), ServerId("other"))
CONNECTING, READY, IDLE = ServerState.CONNECTING, ServerState.READY, ServerState.IDLE
FAILED, BACKING_OFF = ServerState.FAILED, ServerState.BACKING_OFF


class PoolHarness:
    """The environment of a pool: what it may start, what it published, and the time."""

    def __init__(self, record: Path) -> None:
        self.record = record
        self.options: list[str] = []
        self.configs: dict[ServerRef, ServerConfig] = {}
        self.refusal: Exception | None = None
        self.launches = 0
        self.now = 0.0
        self.states: list[tuple[ServerRef, ServerState]] = []
        self.failures: list[Failure] = []
        self.on_failure: Callable[[], object] = lambda: None
        self.notifications: list[tuple[ServerRef, str, JsonObject]] = []
        self.lines: list[tuple[ServerRef, str]] = []
        self.given_up: list[tuple[ServerRef, Failure]] = []
        self.run_options = RunOptions()
        self.run_options_of: dict[ServerRef, RunOptions] = {}
        self.pauses: list[float] = []
        self._pausing: asyncio.Event | None = None
        self._changed = asyncio.Event()

    async def launch(self, ref: ServerRef, folder: str | None = None) -> LaunchPlan:
        self.launches += 1
        if self.refusal is not None:
            raise self.refusal
        options = ("--record", str(self.record), *self.options)
        return LaunchPlan(self.configs.get(ref) or stdio_config(*options))

    def publish_state(self, ref: ServerRef, state: ServerState, failure: Failure | None) -> None:
        self.states.append((ref, state))
        if failure is not None:
            self.failures.append(failure)
            self.on_failure()
        self._changed.set()

    def _notified(self, ref: ServerRef, method: str, params: JsonObject) -> None:
        self.notifications.append((ref, method, params))

    def _stderr_line(self, ref: ServerRef, line: str) -> None:
        self.lines.append((ref, line))

    def _given_up(self, ref: ServerRef, failure: Failure) -> None:
        self.given_up.append((ref, failure))

    async def _sleep(self, pause_s: float) -> None:
        self.pauses.append(pause_s)
        self._pausing = pausing = asyncio.Event()
        self._changed.set()
        await pausing.wait()

    def pass_time(self, seconds: float) -> None:
        """Advance the time and wake all sleepers."""
        self.now += seconds
        if self._pausing is not None:
            self._pausing.set()

    def states_of(self, ref: ServerRef = REF) -> list[ServerState]:
        return [state for of, state in self.states if of == ref]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_pause(self, number: int) -> None:
        await self.until(lambda: len(self.pauses) == number)

    def pids(self) -> list[int]:
        return recorded(self.record, "started")

    def pool(self) -> UpstreamPool:
        hooks = UpstreamHooks(
            self.launch,
            self.publish_state,
            on_notification=self._notified,
            on_stderr=self._stderr_line,
            on_given_up=self._given_up,
            run_options=lambda ref: self.run_options_of.get(ref, self.run_options),
        )
        return UpstreamPool(hooks, Timing(lambda: self.now, self._sleep, random=lambda: 0.0))


async def call(pool: UpstreamPool, tool: str, ref: ServerRef = REF, **arguments: Any) -> Any:
    params = {"name": tool, "arguments": arguments}
    result = await pool.request(ref, "tools/call", params, CallOptions(WAIT_S))
    return result["structuredContent"]
