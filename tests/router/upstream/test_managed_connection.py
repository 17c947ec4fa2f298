"""Lifecycles and supervision of real processes: when a server starts, restarts and is given up."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import Any

import pytest

from router.config.server import Lifecycle, ServerConfig, Sharing
from router.domain.failures import FailureKind
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
    Fleet,
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
    pool: UpstreamPool, fleet: Fleet
) -> None:
    pool.start(REF)
    pool.start(REF)
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert len(fleet.pids()) == 1


async def test_an_eager_server_stops_when_unused_and_starts_again_when_called(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.run_options = RunOptions(lifecycle=Lifecycle.EAGER, idle_timeout_s=0.1)
    pool.start(REF)
    await fleet.until(lambda: fleet.states_of() == [CONNECTING, READY, IDLE])
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_server_that_always_runs_survives_idleness_and_borrowers(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.run_options_of[REF] = ALWAYS
    fleet.run_options = RunOptions(idle_timeout_s=ALWAYS.idle_timeout_s)
    async with pool.borrow(REF):
        pass
    await call(pool, "echo", OTHER)
    await fleet.until(lambda: IDLE in fleet.states_of(OTHER))  # idle for less time than the other
    assert fleet.states_of() == [CONNECTING, READY]
    assert is_running(fleet.pids()[0])


class HeldEnd:
    """Keeps an exited process from being reported as ended until it is released."""

    def __init__(self) -> None:
        self.noticed = asyncio.Event()
        self.let_go = asyncio.Event()

    def watch_tree(self, pid: int, mark: ProcessMark) -> ProcessTree:
        return HeldTree(tree.watch_tree(pid, mark), self)


class HeldTree:
    def __init__(self, real: ProcessTree, held: HeldEnd) -> None:
        self._held = held
        self._end = real.end
        self.terminate, self.kill, self.release = real.terminate, real.kill, real.release

    async def end(self) -> None:
        self._held.noticed.set()
        await self._held.let_go.wait()
        await self._end()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldEnd:
    held = HeldEnd()
    monkeypatch.setattr(stdio, "watch_tree", held.watch_tree)
    return held


async def kill_first(pool: UpstreamPool, fleet: Fleet, held: HeldEnd) -> None:
    """For the process of the first call: returns when the exit is noticed, but not completed."""
    await call(pool, "echo", a=1)
    os.kill(fleet.pids()[0], signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await held.noticed.wait()
    assert not pool.is_live(REF)
    assert fleet.states_of() == [CONNECTING, READY]


async def test_a_call_after_an_exit_waits_for_the_end_and_starts_the_server_again(
    pool: UpstreamPool, fleet: Fleet, held: HeldEnd
) -> None:
    await kill_first(pool, fleet, held)
    calls = [spawn(call(pool, "echo", a=number), name="call") for number in (2, 3)]
    await asyncio.sleep(0)
    held.let_go.set()
    assert await asyncio.gather(*calls) == [{"a": 2}, {"a": 3}]
    assert len(fleet.pids()) == 2
    assert fleet.states_of() == [CONNECTING, READY, FAILED, CONNECTING, READY]


async def test_a_call_waiting_for_an_exit_starts_nothing_after_the_pool_is_closed(
    pool: UpstreamPool, fleet: Fleet, held: HeldEnd
) -> None:
    await kill_first(pool, fleet, held)
    late = spawn(fail(pool), name="late call")
    await asyncio.sleep(0)
    closing = spawn(pool.close(), name="close")
    await asyncio.sleep(0)
    held.let_go.set()
    await closing
    assert "Toolbooth is stopping" in str(await late)
    assert len(fleet.pids()) == 1


async def test_a_server_restarted_by_a_waiting_call_stays_in_the_pool(
    pool: UpstreamPool, fleet: Fleet, held: HeldEnd
) -> None:
    """A call of another session drops unused upstreams just between the end and the new start."""
    fleet.run_options = RunOptions(sharing=Sharing.PER_SESSION)
    one, other = FakeClient("one"), FakeClient("other")
    await call_for(pool, one)
    os.kill(fleet.pids()[0], signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        await held.noticed.wait()
    calls = [spawn(call_for(pool, one), name="waiting call")]
    await asyncio.sleep(0)

    def failed() -> None:
        calls.append(spawn(call_for(pool, other), name="other call"))

    fleet.on_failure = lambda: asyncio.get_running_loop().call_soon(failed)
    held.let_go.set()
    await fleet.until(lambda: len(fleet.pids()) == 3)
    await asyncio.gather(*calls)
    await pool.close()
    assert not any(map(is_running, fleet.pids()))


async def test_a_server_that_always_runs_is_restarted_after_a_crash(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.run_options = ALWAYS
    pool.start(REF)
    await fleet.until(lambda: READY in fleet.states_of())
    os.kill(fleet.pids()[0], signal.SIGKILL)
    await fleet.until_pause(1)
    assert fleet.pauses == [0]
    fleet.pass_time(0)
    await fleet.until(lambda: fleet.states_of().count(READY) == 2)
    os.kill(fleet.pids()[1], signal.SIGKILL)
    await fleet.until_pause(2)
    assert fleet.states_of()[-1] is BACKING_OFF
    fleet.pass_time(fleet.pauses[-1])
    await fleet.until(lambda: fleet.states_of().count(READY) == 3)
    assert len(fleet.pids()) == 3
    assert fleet.pauses[1] > 1


async def test_a_crash_loop_backs_off_and_is_given_up_with_one_event(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.run_options, fleet.options = ALWAYS, FAILING
    pool.start(REF)
    for tries in range(1, 5):
        await fleet.until_pause(tries)
        assert fleet.states_of().count(BACKING_OFF) == tries
        assert fleet.failures[-1].retry_at is not None
        fleet.pass_time(fleet.pauses[-1])
    await fleet.until(lambda: FAILED in fleet.states_of())
    assert [round(pause_s, 1) for pause_s in fleet.pauses] == [1.0, 2.8, 7.7, 21.6]
    assert fleet.launches == 5
    assert [(ref, failure.kind) for ref, failure in fleet.given_up] == [(REF, FailureKind.EXITED)]

    assert (await fail(pool)).retry_at is not None
    assert fleet.launches == 5
    fleet.pass_time(60)
    await fail(pool)
    assert fleet.launches == 6
    assert len(fleet.given_up) == 1


async def test_calls_during_a_pause_are_refused_with_the_time_of_the_next_attempt(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.options = FAILING
    first = await fail(pool)
    assert first.retry_at is not None
    assert await fail(pool) == first
    assert fleet.launches == 1
    fleet.pass_time(1)
    await fleet.until(lambda: fleet.states_of() == [CONNECTING, BACKING_OFF, FAILED])
    assert fleet.failures[-1].retry_at is None


async def test_the_user_can_skip_the_pause(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = FAILING
    await fail(pool)
    fleet.options = []
    pool.reset_failures(REF)
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert fleet.states_of() == [CONNECTING, BACKING_OFF, CONNECTING, READY]


async def test_disconnecting_ends_a_pause(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.run_options, fleet.options = ALWAYS, FAILING
    pool.start(REF)
    await fleet.until(lambda: BACKING_OFF in fleet.states_of())
    await pool.disconnect(REF)
    assert fleet.states_of()[-1] is IDLE
    assert fleet.launches == 1


async def test_a_call_waiting_for_a_start_gets_progress(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.run_options = RunOptions(name="Files")
    told: list[JsonObject] = []

    async def on_progress(params: JsonObject) -> None:
        told.append(params)

    params: JsonObject = {"name": "echo", "arguments": {}}
    for _ in range(2):
        await pool.request(REF, "tools/call", params, CallOptions(on_progress=on_progress))
    assert told == [{"progress": 0, "message": "Starting Files…"}]


async def test_concurrent_calls_of_a_server_are_limited(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.run_options = RunOptions(max_concurrent_calls=2)
    pair = [spawn(call(pool, "reverse", size=2, value=n), name="pair") for n in range(3)]
    done, _ = await asyncio.wait(pair, timeout=WAIT_S, return_when=asyncio.FIRST_COMPLETED)
    assert pair[2] not in done
    assert await call(pool, "reverse", size=2, value=3) == {"value": 3}
    assert [(await task)["value"] for task in pair] == [0, 1, 2]


@pytest.mark.parametrize("method", ["start", "request"])
async def test_nothing_starts_while_the_pool_closes(
    pool: UpstreamPool, fleet: Fleet, method: str
) -> None:
    await pool.close()
    if method == "start":
        pool.start(REF)
    else:
        await failure_of(call(pool, "echo"))
    assert fleet.launches == 0


async def test_the_transport_that_worked_is_tried_first(pool: UpstreamPool, fleet: Fleet) -> None:
    asked: list[str] = []
    app = OddSseServer().app

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        asked.append(f"{scope.get('method')} {scope.get('path')}")
        await app(scope, receive, send)

    with serving(noting) as url:
        fleet.configs[REF] = ServerConfig(url=f"{url}/mcp")
        for first in ("POST /mcp", "GET /mcp"):
            asked.clear()
            await pool.request(REF, "tools/call", {"name": "plain", "arguments": {}})
            await pool.disconnect(REF)
            assert asked[0] == first
