"""The pool: one start for all concurrent calls, one owner for each server, nothing left behind."""

from __future__ import annotations

import asyncio

import pytest

from router.config.server import ServerConfig
from router.domain.errors import NotFound, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.servers import ServerState
from router.runtime.tasks import spawn
from router.upstream.pool import UpstreamPool
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
from tests.servers.commands import ends_within, is_running, recorded
from tests.servers.http_server import serving
from tests.servers.odd_http_server import OddServer
from tests.support.timeouts import WAIT_S


@pytest.mark.proves("CACHE-7", "REG-1")
async def test_a_server_starts_at_its_first_use(pool: UpstreamPool, fleet: Fleet) -> None:
    assert fleet.launches == 0
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert await call(pool, "echo", a=2) == {"a": 2}
    assert fleet.launches == 1
    assert fleet.states_of() == [CONNECTING, READY]


async def test_concurrent_first_calls_share_one_start(pool: UpstreamPool, fleet: Fleet) -> None:
    answers = await asyncio.gather(*(call(pool, "echo", n=n) for n in range(20)))
    assert [answer["n"] for answer in answers] == list(range(20))
    assert len(fleet.pids()) == 1


async def test_servers_are_independent(pool: UpstreamPool, fleet: Fleet) -> None:
    await asyncio.gather(call(pool, "echo"), call(pool, "echo", OTHER))
    with pytest.raises(UpstreamFailed):
        await call(pool, "crash", code=1)
    assert await call(pool, "echo", OTHER, a=1) == {"a": 1}
    assert fleet.states_of(OTHER) == [CONNECTING, READY]


async def test_one_cancelled_call_does_not_stop_the_start_for_others(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    hasty = spawn(call(pool, "echo"), name="hasty")
    patient = spawn(call(pool, "echo", a=1), name="patient")
    await fleet.until(lambda: CONNECTING in fleet.states_of())
    hasty.cancel()
    assert await patient == {"a": 1}
    assert len(fleet.pids()) == 1


async def test_a_server_that_died_fails_the_call_once_and_starts_again(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    failure = await failure_of(call(pool, "crash", code=7, words="ouch"))
    assert failure == Failure(FailureKind.EXITED, "code 7", "ouch")
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert fleet.states_of() == [CONNECTING, READY, FAILED, CONNECTING, READY]
    assert fleet.failures == [failure]
    assert fleet.lines == [(REF, "ouch")]


async def test_a_server_that_exits_while_unused_is_idle(pool: UpstreamPool, fleet: Fleet) -> None:
    await call(pool, "leave", code=0)
    await fleet.until(lambda: fleet.states_of() == [CONNECTING, READY, IDLE])
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_failed_start_is_remembered_for_a_second(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = ["--exit-at-start", "3"]
    failures = await asyncio.gather(*(failure_of(call(pool, "echo")) for _ in range(5)))
    assert {(failure.kind, failure.subject) for failure in failures} == {
        (FailureKind.EXITED, "code 3")
    }
    fleet.now = 0.9
    assert await failure_of(call(pool, "echo")) == failures[0]
    assert (fleet.launches, fleet.states_of()) == (1, [CONNECTING, BACKING_OFF])
    fleet.now = 1.1
    fleet.options = []
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_consent_is_checked_at_every_start(pool: UpstreamPool, fleet: Fleet) -> None:
    refusal = Failure(FailureKind.CONSENT_NEEDED, "s", "run-me")
    fleet.refusal = UpstreamFailed(refusal, "It waits.", "Approve it.")
    with pytest.raises(UpstreamFailed, match="It waits") as caught:
        await call(pool, "echo")
    assert caught.value.hint == "Approve it."
    assert await failure_of(call(pool, "echo")) == refusal
    assert fleet.states == []
    fleet.refusal = None
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_missing_secret_is_a_visible_failure(pool: UpstreamPool, fleet: Fleet) -> None:
    missing = Failure(FailureKind.SECRET_MISSING, "KEY")
    fleet.refusal = UpstreamFailed(missing, "The secret KEY is missing.")
    assert await failure_of(call(pool, "echo")) == missing
    assert fleet.states_of() == [FAILED]


async def test_what_launch_raises_reaches_the_caller(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.refusal = NotFound("No such server.")
    with pytest.raises(NotFound):
        await call(pool, "echo")


async def test_a_bug_in_launch_leaves_nobody_waiting(
    pool: UpstreamPool, fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    fleet.refusal = ZeroDivisionError()
    assert (await failure_of(call(pool, "echo"))).kind is FailureKind.OTHER
    assert "ZeroDivisionError" in caplog.text


async def test_a_server_that_requires_a_sign_in_has_that_state(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    odd = OddServer()
    with serving(odd.app) as url:
        fleet.configs[REF] = ServerConfig(url=f"{url}/mcp")
        await pool.request(REF, "tools/call", {"name": "plain"})
        failure = await failure_of(pool.request(REF, "tools/call", {"name": "unauthorized"}))
        assert failure.kind is FailureKind.SIGN_IN_NEEDED
        await fleet.until(lambda: ServerState.NEEDS_SIGN_IN in fleet.states_of())
        odd.initialize_status = 401
        assert (await failure_of(pool.request(REF, "tools/list"))) == failure
        assert fleet.states_of().count(ServerState.NEEDS_SIGN_IN) == 2


async def test_notifications_and_lines_name_their_server(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = ["--noise", "1"]
    await call(pool, "notify", OTHER, method="notifications/tools/list_changed")
    assert fleet.notifications == [(OTHER, "notifications/tools/list_changed", {"a": 1})]
    assert fleet.lines == [(OTHER, "noise 0")]


async def test_an_unused_server_is_stopped_and_a_used_one_is_not(fleet: Fleet) -> None:
    fleet.run_options = RunOptions(idle_timeout_s=0.3)
    pool = fleet.pool()
    slow = spawn(call(pool, "slow", OTHER), name="slow")
    await fleet.until(lambda: READY in fleet.states_of(OTHER))
    await call(pool, "echo")
    await fleet.until(lambda: IDLE in fleet.states_of())
    assert not slow.done()
    assert fleet.states_of(OTHER) == [CONNECTING, READY]
    assert await call(pool, "echo", a=1) == {"a": 1}
    await pool.close()
    assert (await failure_of(slow)).kind is FailureKind.OTHER


@pytest.mark.proves("CACHE-3")
async def test_a_server_started_to_be_borrowed_is_stopped_afterwards(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    async with pool.borrow(REF) as upstream:
        assert upstream.server_info["name"] == "stdio-test"
        await upstream.request("tools/list")
    assert fleet.states_of() == [CONNECTING, READY, IDLE]
    assert not any(map(is_running, fleet.pids()))


async def test_a_borrowed_server_in_use_keeps_running(pool: UpstreamPool, fleet: Fleet) -> None:
    async with pool.borrow(REF):
        await call(pool, "echo")
    assert fleet.states_of() == [CONNECTING, READY]
    async with pool.borrow(REF):
        pass
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert len(fleet.pids()) == 1


async def test_the_last_of_several_borrowers_stops_it(pool: UpstreamPool, fleet: Fleet) -> None:
    async with pool.borrow(REF):
        async with pool.borrow(REF):
            pass
        assert IDLE not in fleet.states_of()
    assert fleet.states_of() == [CONNECTING, READY, IDLE]


async def test_borrowing_a_server_that_cannot_start_fails(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = ["--exit-at-start", "3"]
    with pytest.raises(UpstreamFailed):
        async with pool.borrow(REF):
            pytest.fail("there is nothing to borrow")
    assert fleet.states_of() == [CONNECTING, BACKING_OFF]


async def test_cancelling_a_borrowed_start_stops_it(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = ["--silent", "--noise", "1"]

    async def borrow() -> None:
        async with pool.borrow(REF):
            pass

    borrowing = spawn(borrow(), name="borrowing")
    await fleet.until(lambda: CONNECTING in fleet.states_of())
    borrowing.cancel()
    await asyncio.wait([borrowing])
    assert fleet.states_of() == [CONNECTING, IDLE]
    assert not any(map(is_running, fleet.pids()))


async def test_disconnecting_stops_a_server_until_its_next_use(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    await call(pool, "echo")
    slow = spawn(call(pool, "slow"), name="slow")
    await call(pool, "echo")
    await pool.disconnect(REF)
    assert not any(map(is_running, fleet.pids()))
    assert (await failure_of(slow)).kind is FailureKind.OTHER
    assert fleet.states_of()[-1] is IDLE
    await pool.disconnect(REF)
    await pool.disconnect(OTHER)
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_server_restarts_only_after_the_old_process_ended(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.options = ["--stubborn"]
    await call(pool, "echo")
    (old,) = fleet.pids()
    stopping = spawn(pool.disconnect(REF), name="stopping")
    await asyncio.sleep(0)
    again = spawn(call(pool, "env"), name="again")
    assert (await again)["pid"] != old
    assert not is_running(old)
    async with asyncio.timeout(WAIT_S):
        await stopping


async def test_disconnecting_stops_a_start(pool: UpstreamPool, fleet: Fleet) -> None:
    fleet.options = ["--silent"]
    waiting = spawn(call(pool, "echo"), name="waiting")
    await fleet.until(lambda: CONNECTING in fleet.states_of())
    await pool.disconnect(REF)
    assert (await failure_of(waiting)).kind is FailureKind.OTHER
    assert fleet.states_of() == [CONNECTING, IDLE]


async def test_a_call_after_a_stopped_start_gets_a_new_one(
    pool: UpstreamPool, fleet: Fleet
) -> None:
    fleet.options = ["--silent", "--stubborn"]
    stopped = spawn(call(pool, "echo"), name="stopped")
    await fleet.until(lambda: CONNECTING in fleet.states_of())
    stops = [spawn(pool.disconnect(REF), name="stop") for _ in range(2)]
    await asyncio.sleep(0)
    fleet.options = []
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert (await failure_of(stopped)).kind is FailureKind.OTHER
    await asyncio.wait(stops)
    assert fleet.states_of() == [CONNECTING, IDLE, CONNECTING, READY]


async def test_closing_stops_all_and_leaves_no_process(fleet: Fleet) -> None:
    pool = fleet.pool()
    fleet.options = ["--stubborn", "--child"]
    refs = [ServerRef(WorkspaceId("w"), ServerId(f"s{n}")) for n in range(6)]
    await asyncio.gather(*(call(pool, "echo", ref) for ref in refs))
    slow = [spawn(call(pool, "slow", ref), name="slow") for ref in refs]
    await asyncio.gather(*(call(pool, "echo", ref) for ref in refs))
    await pool.close()
    assert {(await failure_of(call)).kind for call in slow} == {FailureKind.OTHER}
    assert len(fleet.pids()) == 6
    assert not any(map(is_running, fleet.pids()))
    assert all(ends_within(WAIT_S, pid) for pid in recorded(fleet.record, "child"))
    with pytest.raises(UpstreamFailed, match="stopping"):
        await call(pool, "echo")


async def test_closing_an_unused_pool_does_nothing(fleet: Fleet) -> None:
    await fleet.pool().close()
    assert fleet.states == []
