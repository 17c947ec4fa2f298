"""Servers that misbehave at every step, and a healthy one that is called meanwhile."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.domain.errors import ToolboothError
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.connect import LaunchPlan
from router.upstream.hooks import UpstreamHooks
from router.upstream.list_reader import read_listing
from router.upstream.pool import UpstreamPool
from router.upstream.ports import CallOptions
from tests.servers.commands import stdio_config
from tests.support.timeouts import WAIT_S

PROGRAM = str(Path(__file__).parents[1] / "servers" / "hostile_server.py")
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, sends SIGSTOP")
TIMEOUT_S = 0.7
HEAVY_TIMEOUT_S = 4.0
HEALTHY_WITHIN_S = 2.0
"""In real time, with both cores busy with the hostile ones."""
TICK_S = 0.005
MAX_STALL_S = 0.1
MAX_GROWTH_BYTES = 50_000_000
PAGE_BYTES = 4096
HEALTHY = ServerRef(WorkspaceId("w"), ServerId("healthy"))
STEPS = ("start", "initialize", "list", "call")
ANSWER = "an answer"


def ignore(*_: object) -> None:
    """Ignores its arguments."""


def ref_of(step: str) -> ServerRef:
    return ServerRef(WorkspaceId("w"), ServerId(step))


class Watch:
    """How long the loop stalled, how much memory was used, how the healthy server responded.

    A stall counts only the CPU time of this process, so a busy machine is no fault. Only proofs,
    which run alone, check bounds on this; otherwise calls need only continue.
    """

    def __init__(self, *, measures: bool) -> None:
        self._measures = measures
        self.stall_s = 0.0
        self.growth_bytes = 0
        self.healthy_calls = 0
        self.called = asyncio.Event()
        self.slowest_call_s = 0.0

    async def tick(self) -> None:
        # What other tests left in this process is not the router's to look through.
        gc.collect()
        gc.freeze()
        began_bytes = resident_bytes()
        while True:
            began, computed = time.monotonic(), time.process_time()
            await asyncio.sleep(TICK_S)
            late_s = time.monotonic() - began - TICK_S
            self.stall_s = max(self.stall_s, min(late_s, time.process_time() - computed))
            self.growth_bytes = max(self.growth_bytes, resident_bytes() - began_bytes)

    async def call_healthy(self, pool: UpstreamPool) -> None:
        while True:
            began = time.monotonic()
            await call(pool, HEALTHY, "echo", WAIT_S)
            self.slowest_call_s = max(self.slowest_call_s, time.monotonic() - began)
            self.healthy_calls += 1
            self.called.set()
            await asyncio.sleep(TICK_S)

    def assert_no_other_call_affected(self) -> None:
        assert self.healthy_calls > 0
        if self._measures:
            assert self.stall_s < MAX_STALL_S
            assert self.growth_bytes < MAX_GROWTH_BYTES
            assert self.slowest_call_s < HEALTHY_WITHIN_S


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


async def call(pool: UpstreamPool, ref: ServerRef, tool: str, timeout_s: float) -> JsonObject:
    params: JsonObject = {"name": tool, "arguments": {}}
    return await pool.request(ref, "tools/call", params, CallOptions(timeout_s))


async def read_list(pool: UpstreamPool, ref: ServerRef, timeout_s: float) -> None:
    async with asyncio.timeout(timeout_s), pool.borrow(ref) as upstream:
        await read_listing(upstream)


class HostilePool:
    """Hostile servers in a pool, one for each step, and a healthy one."""

    def __init__(
        self, configs: dict[ServerRef, ServerConfig], timeout_s: float, *, measures: bool
    ) -> None:
        self.watch = Watch(measures=measures)
        self._measures = measures
        self._configs = configs
        self._timeout_s = timeout_s
        self.pool = UpstreamPool(UpstreamHooks(self._launch, ignore, on_notification=ignore))

    async def _launch(self, ref: ServerRef, folder: str | None) -> LaunchPlan:
        fails_early = ref in (ref_of("start"), ref_of("initialize"))
        return LaunchPlan(
            self._configs.get(ref) or stdio_config(),
            startup_timeout_s=self._timeout_s if fails_early else WAIT_S,
        )

    async def outcome(self, step: str) -> str:
        """The outcome of a request at `step`: a result, or the error."""
        ref = ref_of(step)
        if step in ("list", "call"):
            await call(self.pool, ref, "fine", WAIT_S)
        began = time.monotonic()
        try:
            if step == "list":
                await read_list(self.pool, ref, self._timeout_s)
            else:
                await call(self.pool, ref, "fault", self._timeout_s)
            outcome = ANSWER
        except ToolboothError as error:
            outcome = error.message
        except TimeoutError:
            outcome = "timeout"
        assert not self._measures or time.monotonic() - began < self._timeout_s + 1
        return outcome


@asynccontextmanager
async def watched(
    configs: dict[ServerRef, ServerConfig], timeout_s: float, *, measures: bool
) -> AsyncGenerator[HostilePool]:
    hostile_pool = HostilePool(configs, timeout_s, measures=measures)
    try:
        await call(hostile_pool.pool, HEALTHY, "echo", WAIT_S)
        watch = hostile_pool.watch
        watching = [
            spawn(watch.tick(), name="tick"),
            spawn(watch.call_healthy(hostile_pool.pool), name="healthy"),
        ]
        yield hostile_pool
        async with asyncio.timeout(WAIT_S):
            await watch.called.wait()
        assert not any(task.done() for task in watching)
        for task in watching:
            await stop(task)
        watch.assert_no_other_call_affected()
    finally:
        gc.unfreeze()
        await hostile_pool.pool.close()


def hostile_processes(fault: str) -> list[int]:
    wanted = f"{PROGRAM}\0{fault}\0".encode()
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and wanted in _command_line(folder)
    ]


def _command_line(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""


TIMED_OUT = "No response within"
STDIO: dict[str, tuple[tuple[str, ...], str]] = {
    "hang": (STEPS, TIMED_OUT),
    "stop": (STEPS, TIMED_OUT),
    "exit": (STEPS, "Crashed (exit code 3)"),
    "flood_stdout": (STEPS, TIMED_OUT),
    "flood_with_noise": (STEPS, TIMED_OUT),
    "flood_stderr": (STEPS, TIMED_OUT),
    "bad_text": (STEPS[1:], ANSWER),
    "deep": (STEPS[1:], "nested more than 200 levels deep"),
    "digits": (STEPS[1:], "Exceeds the limit (4300 digits)"),
    "wrong_id": (STEPS[1:], TIMED_OUT),
    "duplicate_id": (STEPS[1:], ANSWER),
    "cursor": (("list",), ANSWER),
    "many": (("list",), ANSWER),
}
HEAVY = {"long": "more than 8,388,608 bytes", "values": "more than 200,000 values"}
"""One at a time and with more time, because each alone comes near the limits."""
HTTP: dict[str, tuple[tuple[str, ...], str]] = {
    "hang": (STEPS[1:], TIMED_OUT),
    "stop": (STEPS[1:], TIMED_OUT),
    "exit": (STEPS[1:], "Can’t reach"),
    "flood": (STEPS[1:], TIMED_OUT),
    "empty_events": (STEPS[1:], "an invalid message"),
    "drip": (STEPS[1:], TIMED_OUT),
    "bad_text": (STEPS[1:], ANSWER),
    "deep": (STEPS[1:], "nested more than 200 levels deep"),
    "digits": (STEPS[1:], "Exceeds the limit (4300 digits)"),
    "wrong_id": (STEPS[1:], "no response to the request"),
    "duplicate_id": (STEPS[1:], ANSWER),
    "cursor": (("list",), ANSWER),
    "many": (("list",), ANSWER),
}
SSE: dict[str, tuple[tuple[str, ...], str]] = {
    **HTTP,
    "empty_events": (STEPS[1:], TIMED_OUT),
    "wrong_id": (STEPS[1:], TIMED_OUT),
}
HEAVY_OVER_STDIO = {**HEAVY, "endless": "a line that is too long"}
HEAVY_OVER_SSE = {**HEAVY, "endless": "more than 8,388,608 bytes"}
HEAVY_OVER_HTTP = {
    **HEAVY,
    "endless": "more than 8,388,608 bytes",
    "bomb": "more than 8,388,608 bytes",
}


def stdio_configs(fault: str, steps: tuple[str, ...]) -> dict[ServerRef, ServerConfig]:
    return {
        ref_of(step): ServerConfig(command=sys.executable, args=("-IS", PROGRAM, fault, step))
        for step in steps
    }


@contextmanager
def http_configs(
    fault: str, steps: tuple[str, ...], transport: str
) -> Generator[dict[ServerRef, ServerConfig]]:
    servers = {
        step: subprocess.Popen(
            [sys.executable, "-IS", PROGRAM, fault, step, f"--{transport}"], stdout=subprocess.PIPE
        )
        for step in steps
    }
    try:
        yield {
            ref_of(step): ServerConfig(url=address(it), type=transport)
            for step, it in servers.items()
        }
    finally:
        for server in servers.values():
            server.kill()
            server.communicate()


def address(server: subprocess.Popen[bytes]) -> str:
    assert server.stdout
    return server.stdout.readline().decode().strip()


def check(steps: tuple[str, ...], outcomes: list[str], expected: str) -> None:
    for step, outcome in zip(steps, outcomes, strict=True):
        timed_out = step == "list" and expected is TIMED_OUT
        words = "timeout" if timed_out else expected.lower()
        assert words in outcome.lower(), (step, outcome)


async def assert_affects_only_its_own_calls(
    configs: dict[ServerRef, ServerConfig],
    steps: tuple[str, ...],
    expected: str,
    *,
    measures: bool = False,
) -> None:
    """Faults that end only by the timeout get a short one."""
    command_timeout_s = HEAVY_TIMEOUT_S if measures else WAIT_S
    timeout_s = TIMEOUT_S if expected is TIMED_OUT else command_timeout_s
    async with watched(configs, timeout_s, measures=measures) as hostile_pool:
        outcomes = await asyncio.gather(*(hostile_pool.outcome(step) for step in steps))
    check(steps, outcomes, expected)
