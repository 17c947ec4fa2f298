"""Lifecycles and supervision of real processes: when a server starts, restarts and is given up."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from router.config.server import Lifecycle, ServerConfig, Sharing
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream.pool import UpstreamPool
from router.upstream.ports import CallOptions, SessionId
from router.upstream.process import stdio, tree
from router.upstream.process.tracking import ProcessMark
from router.upstream.process.tree import ProcessTree
from router.upstream.run_options import RunOptions
from tests.router.upstream.connection_harness import failure_of
from tests.router.upstream.pool_harness import (
    BACKING_OFF,
    CONNECTING,
    FAILED,
    IDLE,
    OTHER,
    READY,
    REF,
    PoolHarness,
    call,
)
from tests.servers.commands import is_running
from tests.servers.http_server import serving
from tests.servers.odd_sse_server import OddSseServer
from tests.support.timeouts import WAIT_S


@dataclass(frozen=True)
class FakeClient:
    """A `ClientPeer` that is never asked."""

    name: str
    folder: str | None = None
    log_level: str | None = None
    takes_input_required: bool = False

    @property
    def session(self) -> SessionId:
        return SessionId(self.name)

    @property
    def capabilities(self) -> JsonObject:
        return {}

    async def find_folder(self) -> None:
        raise NotImplementedError

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        raise NotImplementedError

    async def notify(self, method: str, params: JsonObject) -> None:
        raise NotImplementedError


async def call_for(pool: UpstreamPool, client: FakeClient) -> None:
    params: JsonObject = {"name": "echo", "arguments": {}}
    await pool.request(REF, "tools/call", params, CallOptions(WAIT_S, client=client))


ALWAYS = RunOptions(lifecycle=Lifecycle.ALWAYS, idle_timeout_s=0.1)
FAILING = ["--exit-at-start", "3"]


async def fail(pool: UpstreamPool) -> Any:
    return await failure_of(call(pool, "echo"))


async def test_an_eager_start_is_shared_with_the_first_call(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    pool.start(REF)
    pool.start(REF)
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert len(harness.pids()) == 1


async def test_an_eager_server_stops_when_unused_and_starts_again_when_called(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(lifecycle=Lifecycle.EAGER, idle_timeout_s=0.1)
    pool.start(REF)
    await harness.until(lambda: harness.states_of() == [CONNECTING, READY, IDLE])
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_server_that_always_runs_survives_idleness_and_borrowers(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options_of[REF] = ALWAYS
    harness.run_options = RunOptions(idle_timeout_s=ALWAYS.idle_timeout_s)
    async with pool.borrow(REF):
        pass
    await call(pool, "echo", OTHER)
    await harness.until(
        lambda: IDLE in harness.states_of(OTHER)
    )  # idle for less time than the other
    assert harness.states_of() == [CONNECTING, READY]
    assert is_running(harness.pids()[0])


class DelayedExit:
    """Keeps an exited process from being reported as ended until it is released."""

    def __init__(self) -> None:
        self.noticed = asyncio.Event()
        self.let_go = asyncio.Event()

    def watch_tree(self, pid: int, mark: ProcessMark) -> ProcessTree:
        return DelayedExitTree(tree.watch_tree(pid, mark), self)


class DelayedExitTree:
    def __init__(self, real: ProcessTree, held: DelayedExit) -> None:
        self._held = held
        self._end = real.end
        self.terminate, self.kill, self.release = real.terminate, real.kill, real.release

    async def end(self) -> None:
        self._held.noticed.set()
        await self._held.let_go.wait()
        await self._end()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> DelayedExit:
    held = DelayedExit()
    monkeypatch.setattr(stdio, "watch_tree", held.watch_tree)
    return held


async def kill_first(pool: UpstreamPool, harness: PoolHarness, held: DelayedExit) -> None:
    """For the process of the first call: returns when the exit is noticed, but not completed."""
    await call(pool, "echo", a=1)
    os.kill(harness.pids()[0], signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await held.noticed.wait()
    assert not pool.is_live(REF)
    assert harness.states_of() == [CONNECTING, READY]


async def test_a_call_after_an_exit_waits_for_the_end_and_starts_the_server_again(
    pool: UpstreamPool, harness: PoolHarness, held: DelayedExit
) -> None:
    await kill_first(pool, harness, held)
    calls = [spawn(call(pool, "echo", a=number), name="call") for number in (2, 3)]
    await asyncio.sleep(0)
    held.let_go.set()
    assert await asyncio.gather(*calls) == [{"a": 2}, {"a": 3}]
    assert len(harness.pids()) == 2
    assert harness.states_of() == [CONNECTING, READY, FAILED, CONNECTING, READY]


async def test_a_call_waiting_for_an_exit_starts_nothing_after_the_pool_is_closed(
    pool: UpstreamPool, harness: PoolHarness, held: DelayedExit
) -> None:
    await kill_first(pool, harness, held)
    late = spawn(fail(pool), name="late call")
    await asyncio.sleep(0)
    closing = spawn(pool.close(), name="close")
    await asyncio.sleep(0)
    held.let_go.set()
    await closing
    assert "Toolbooth is stopping" in str(await late)
    assert len(harness.pids()) == 1


async def test_a_server_that_ends_while_the_pool_closes_is_not_started_again(
    pool: UpstreamPool, harness: PoolHarness, held: DelayedExit
) -> None:
    harness.run_options = RunOptions(lifecycle=Lifecycle.ALWAYS)
    await kill_first(pool, harness, held)
    closing = spawn(pool.close(), name="close")
    await asyncio.sleep(0)
    held.let_go.set()
    await closing
    harness.pass_time(100)
    for _ in range(10):
        await asyncio.sleep(0)
    assert harness.launches == 1


async def test_a_server_restarted_by_a_waiting_call_stays_in_the_pool(
    pool: UpstreamPool, harness: PoolHarness, held: DelayedExit
) -> None:
    """A call of another session drops unused upstreams just between the end and the new start."""
    harness.run_options = RunOptions(sharing=Sharing.PER_SESSION)
    one, other = FakeClient("one"), FakeClient("other")
    await call_for(pool, one)
    os.kill(harness.pids()[0], signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await held.noticed.wait()
    calls = [spawn(call_for(pool, one), name="waiting call")]
    await asyncio.sleep(0)

    def failed() -> None:
        calls.append(spawn(call_for(pool, other), name="other call"))

    harness.on_failure = lambda: asyncio.get_running_loop().call_soon(failed)
    held.let_go.set()
    await harness.until(lambda: len(harness.pids()) == 3)
    await asyncio.gather(*calls)
    await pool.close()
    assert not any(map(is_running, harness.pids()))


async def test_a_server_that_always_runs_is_restarted_after_a_crash(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = ALWAYS
    pool.start(REF)
    await harness.until(lambda: READY in harness.states_of())
    os.kill(harness.pids()[0], signal.SIGKILL)
    await harness.until_pause(1)
    assert harness.pauses == [0]
    harness.pass_time(0)
    await harness.until(lambda: harness.states_of().count(READY) == 2)
    os.kill(harness.pids()[1], signal.SIGKILL)
    await harness.until_pause(2)
    assert harness.states_of()[-1] is BACKING_OFF
    harness.pass_time(harness.pauses[-1])
    await harness.until(lambda: harness.states_of().count(READY) == 3)
    assert len(harness.pids()) == 3
    assert harness.pauses[1] > 1


async def test_a_crash_loop_backs_off_and_is_given_up_with_one_event(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options, harness.options = ALWAYS, FAILING
    pool.start(REF)
    for tries in range(1, 5):
        await harness.until_pause(tries)
        assert harness.states_of().count(BACKING_OFF) == tries
        assert harness.failures[-1].retry_at is not None
        harness.pass_time(harness.pauses[-1])
    await harness.until(lambda: FAILED in harness.states_of())
    assert [round(pause_s, 1) for pause_s in harness.pauses] == [1.0, 2.8, 7.7, 21.6]
    assert harness.launches == 5
    assert [(ref, failure.kind) for ref, failure in harness.given_up] == [(REF, FailureKind.EXITED)]

    assert (await fail(pool)).retry_at is not None
    assert harness.launches == 5
    harness.pass_time(60)
    await fail(pool)
    assert harness.launches == 6
    assert len(harness.given_up) == 1


async def test_a_call_waits_for_the_end_of_a_short_pause(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = FAILING
    assert (await fail(pool)).retry_at is not None
    harness.options = []
    waiting = [spawn(call(pool, "echo", a=n), name="waiting call") for n in range(3)]
    await harness.until_pause(1)
    assert harness.launches == 1
    harness.pass_time(1)
    assert [await each for each in waiting] == [{"a": n} for n in range(3)]
    assert harness.launches == 2


async def test_calls_in_a_long_pause_are_refused_with_the_time_of_the_next_attempt(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    refused = await pause_for_several_seconds(pool, harness)
    assert refused.retry_at is not None
    assert await fail(pool) == refused
    assert harness.launches == 2
    harness.pass_time(3)
    await harness.until(lambda: harness.states_of()[-1] is FAILED)
    assert harness.failures[-1].retry_at is None


@pytest.mark.proves("REG-7")
async def test_an_idempotent_call_waits_for_a_restart_within_its_timeout(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    refused = await pause_for_several_seconds(pool, harness)
    harness.options = []
    params: JsonObject = {"name": "echo", "arguments": {}}

    async def idempotent_call(timeout_s: float) -> JsonObject:
        options = CallOptions(timeout_s, idempotent=True)
        return await pool.request(REF, "tools/call", params, options)

    assert await failure_of(idempotent_call(timeout_s=2)) == refused
    waiting = spawn(idempotent_call(WAIT_S), name="waiting call")
    await asyncio.sleep(0)
    assert harness.launches == 2
    harness.pass_time(3)
    await waiting
    assert harness.launches == 3


async def pause_for_several_seconds(pool: UpstreamPool, harness: PoolHarness) -> Failure:
    """Fail twice; the failure of the second start."""
    harness.options = FAILING
    await fail(pool)
    await harness.until_pause(1)
    harness.pass_time(1)
    failure = await fail(pool)
    await harness.until_pause(2)
    return failure


async def test_the_user_can_skip_the_pause(pool: UpstreamPool, harness: PoolHarness) -> None:
    harness.options = FAILING
    await fail(pool)
    harness.options = []
    pool.reset_failures(REF)
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert harness.states_of() == [CONNECTING, BACKING_OFF, CONNECTING, READY]


async def test_disconnecting_ends_a_pause(pool: UpstreamPool, harness: PoolHarness) -> None:
    harness.run_options, harness.options = ALWAYS, FAILING
    pool.start(REF)
    await harness.until(lambda: BACKING_OFF in harness.states_of())
    await pool.disconnect(REF)
    assert harness.states_of()[-1] is IDLE
    assert harness.launches == 1


async def test_a_call_waiting_for_a_start_gets_progress(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(name="Files")
    progress: list[JsonObject] = []

    async def on_progress(params: JsonObject) -> None:
        progress.append(params)

    params: JsonObject = {"name": "echo", "arguments": {}}
    for _ in range(2):
        await pool.request(REF, "tools/call", params, CallOptions(on_progress=on_progress))
    assert progress == [{"progress": 0, "message": "Starting Files…"}]


async def test_concurrent_calls_of_a_server_are_limited(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(max_concurrent_calls=2)
    pair = [spawn(call(pool, "reverse", size=2, value=n), name="pair") for n in range(3)]
    done, _ = await asyncio.wait(pair, timeout=WAIT_S, return_when=asyncio.FIRST_COMPLETED)
    assert pair[2] not in done
    assert await call(pool, "reverse", size=2, value=3) == {"value": 3}
    assert [(await task)["value"] for task in pair] == [0, 1, 2]


@pytest.mark.proves("REG-7")
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGSTOP")
async def test_a_stopped_process_is_replaced_after_two_timeouts(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    await call(pool, "echo")
    [pid] = harness.pids()
    os.kill(pid, signal.SIGSTOP)
    in_time = CallOptions(timeout_s=0.2)
    params: JsonObject = {"name": "echo", "arguments": {}}
    together = (failure_of(pool.request(REF, "tools/call", params, in_time)) for _ in range(3))
    await asyncio.gather(*together)
    assert harness.states_of()[-1] is READY
    await failure_of(pool.request(REF, "tools/call", params, in_time))
    await harness.until(lambda: FAILED in harness.states_of())
    assert harness.failures[-1] == Failure(FailureKind.STUCK, "0.2 s")
    assert "callTimeoutS" in str(advise(harness.failures[-1], "Files"))
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert len(harness.pids()) == 2
    assert not is_running(pid)


@pytest.mark.parametrize("sign", ["ping", "result"])
async def test_a_slow_process_that_still_sends_something_is_not_replaced(
    pool: UpstreamPool, harness: PoolHarness, sign: str
) -> None:
    harness.options = ["--deaf-to", "tools/call"] if sign == "ping" else []
    params: JsonObject = {"name": "slow", "arguments": {}}
    for _ in range(3):
        await failure_of(pool.request(REF, "tools/call", params, CallOptions(timeout_s=0.2)))
        if sign == "result":
            await call(pool, "echo")
    assert harness.states_of() == [CONNECTING, READY]


@pytest.mark.parametrize("method", ["start", "request"])
async def test_nothing_starts_while_the_pool_closes(
    pool: UpstreamPool, harness: PoolHarness, method: str
) -> None:
    await pool.close()
    if method == "start":
        pool.start(REF)
    else:
        await failure_of(call(pool, "echo"))
    assert harness.launches == 0


async def test_the_transport_that_worked_is_tried_first(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    asked: list[str] = []
    app = OddSseServer().app

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        asked.append(f"{scope.get('method')} {scope.get('path')}")
        await app(scope, receive, send)

    with serving(noting) as url:
        harness.configs[REF] = ServerConfig(url=f"{url}/mcp")
        for first in ("POST /mcp", "GET /mcp"):
            asked.clear()
            await pool.request(REF, "tools/call", {"name": "plain", "arguments": {}})
            await pool.disconnect(REF)
            assert asked[0] == first
