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
from router.upstream.ports import CallOptions
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
from tests.servers.commands import ends_within, is_running, recorded
from tests.servers.http_server import serving
from tests.servers.odd_http_server import OddServer
from tests.support.timeouts import WAIT_S


@pytest.mark.proves("CACHE-7", "REG-1")
async def test_a_server_starts_at_its_first_use(pool: UpstreamPool, harness: PoolHarness) -> None:
    assert harness.launches == 0
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert await call(pool, "echo", a=2) == {"a": 2}
    assert harness.launches == 1
    assert harness.states_of() == [CONNECTING, READY]


async def test_concurrent_first_calls_share_one_start(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    answers = await asyncio.gather(*(call(pool, "echo", n=n) for n in range(20)))
    assert [answer["n"] for answer in answers] == list(range(20))
    assert len(harness.pids()) == 1


async def test_servers_are_independent(pool: UpstreamPool, harness: PoolHarness) -> None:
    await asyncio.gather(call(pool, "echo"), call(pool, "echo", OTHER))
    with pytest.raises(UpstreamFailed):
        await call(pool, "crash", code=1)
    assert await call(pool, "echo", OTHER, a=1) == {"a": 1}
    assert harness.states_of(OTHER) == [CONNECTING, READY]


async def test_one_cancelled_call_does_not_stop_the_start_for_others(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    cancelled = spawn(call(pool, "echo"), name="cancelled")
    other = spawn(call(pool, "echo", a=1), name="other")
    await harness.until(lambda: CONNECTING in harness.states_of())
    cancelled.cancel()
    assert await other == {"a": 1}
    assert len(harness.pids()) == 1


async def test_a_server_that_died_fails_the_call_once_and_starts_again(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    failure = await failure_of(call(pool, "crash", code=7, words="ouch"))
    assert failure == Failure(FailureKind.EXITED, "code 7", "ouch")
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert harness.states_of() == [CONNECTING, READY, FAILED, CONNECTING, READY]
    assert harness.failures == [failure]
    assert harness.lines == [(REF, "ouch")]


async def test_a_server_that_exits_while_unused_is_idle(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    await call(pool, "leave", code=0)
    await harness.until(lambda: harness.states_of() == [CONNECTING, READY, IDLE])
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_failed_start_is_remembered_for_a_second(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--exit-at-start", "3"]
    failures = await asyncio.gather(*(failure_of(call(pool, "echo")) for _ in range(5)))
    assert {(failure.kind, failure.subject) for failure in failures} == {
        (FailureKind.EXITED, "code 3")
    }
    harness.now = 0.9
    short = CallOptions(timeout_s=0.05)
    assert await failure_of(pool.request(REF, "tools/call", {}, short)) == failures[0]
    assert (harness.launches, harness.states_of()) == (1, [CONNECTING, BACKING_OFF])
    harness.now = 1.1
    harness.options = []
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_consent_is_checked_at_every_start(pool: UpstreamPool, harness: PoolHarness) -> None:
    refusal = Failure(FailureKind.CONSENT_NEEDED, "s", "run-me")
    harness.refusal = UpstreamFailed(refusal, "It waits.", "Approve it.")
    with pytest.raises(UpstreamFailed, match="It waits") as caught:
        await call(pool, "echo")
    assert caught.value.hint == "Approve it."
    assert await failure_of(call(pool, "echo")) == refusal
    assert harness.states == []
    harness.refusal = None
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_missing_secret_is_a_visible_failure(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    missing = Failure(FailureKind.SECRET_MISSING, "KEY")
    harness.refusal = UpstreamFailed(missing, "The secret KEY is missing.")
    assert await failure_of(call(pool, "echo")) == missing
    assert harness.states_of() == [FAILED]


async def test_an_error_of_launch_is_raised_to_the_call(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.refusal = NotFound("No such server.")
    with pytest.raises(NotFound):
        await call(pool, "echo")


async def test_a_bug_in_launch_leaves_no_call_waiting(
    pool: UpstreamPool, harness: PoolHarness, caplog: pytest.LogCaptureFixture
) -> None:
    harness.refusal = ZeroDivisionError()
    assert (await failure_of(call(pool, "echo"))).kind is FailureKind.OTHER
    assert "ZeroDivisionError" in caplog.text


async def test_a_server_that_requires_a_sign_in_has_that_state(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    odd = OddServer()
    with serving(odd.app) as url:
        harness.configs[REF] = ServerConfig(url=f"{url}/mcp")
        await pool.request(REF, "tools/call", {"name": "plain"})
        failure = await failure_of(pool.request(REF, "tools/call", {"name": "unauthorized"}))
        assert failure.kind is FailureKind.SIGN_IN_NEEDED
        await harness.until(lambda: ServerState.NEEDS_SIGN_IN in harness.states_of())
        odd.initialize_status = 401
        assert (await failure_of(pool.request(REF, "tools/list"))) == failure
        assert harness.states_of().count(ServerState.NEEDS_SIGN_IN) == 2


async def test_notifications_and_lines_name_their_server(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--noise", "1"]
    await call(pool, "notify", OTHER, method="notifications/tools/list_changed")
    assert harness.notifications == [(OTHER, "notifications/tools/list_changed", {"a": 1})]
    assert harness.lines == [(OTHER, "noise 0")]


async def test_an_unused_server_is_stopped_and_a_used_one_is_not(harness: PoolHarness) -> None:
    harness.run_options = RunOptions(idle_timeout_s=0.3)
    pool = harness.pool()
    slow = spawn(call(pool, "slow", OTHER), name="slow")
    await harness.until(lambda: READY in harness.states_of(OTHER))
    await call(pool, "echo")
    await harness.until(lambda: IDLE in harness.states_of())
    assert not slow.done()
    assert harness.states_of(OTHER) == [CONNECTING, READY]
    assert await call(pool, "echo", a=1) == {"a": 1}
    await pool.close()
    assert (await failure_of(slow)).kind is FailureKind.OTHER


@pytest.mark.proves("CACHE-3")
async def test_a_server_started_to_be_borrowed_is_stopped_afterwards(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    async with pool.borrow(REF) as upstream:
        assert upstream.server_info["name"] == "stdio-test"
        await upstream.request("tools/list")
    assert harness.states_of() == [CONNECTING, READY, IDLE]
    assert not any(map(is_running, harness.pids()))


async def test_a_borrowed_server_in_use_keeps_running(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    async with pool.borrow(REF):
        await call(pool, "echo")
    assert harness.states_of() == [CONNECTING, READY]
    async with pool.borrow(REF):
        pass
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert len(harness.pids()) == 1


async def test_the_last_of_several_borrowers_stops_it(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    async with pool.borrow(REF):
        async with pool.borrow(REF):
            pass
        assert IDLE not in harness.states_of()
    assert harness.states_of() == [CONNECTING, READY, IDLE]


async def test_borrowing_a_server_that_cannot_start_fails(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--exit-at-start", "3"]
    with pytest.raises(UpstreamFailed):
        async with pool.borrow(REF):
            pytest.fail("there is nothing to borrow")
    assert harness.states_of() == [CONNECTING, BACKING_OFF]


async def test_cancelling_a_borrowed_start_stops_it(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--silent", "--noise", "1"]

    async def borrow() -> None:
        async with pool.borrow(REF):
            pass

    borrowing = spawn(borrow(), name="borrowing")
    await harness.until(lambda: CONNECTING in harness.states_of())
    borrowing.cancel()
    await asyncio.wait([borrowing])
    assert harness.states_of() == [CONNECTING, IDLE]
    assert not any(map(is_running, harness.pids()))


async def test_disconnecting_stops_a_server_until_its_next_use(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    await call(pool, "echo")
    slow = spawn(call(pool, "slow"), name="slow")
    await call(pool, "echo")
    await pool.disconnect(REF)
    assert not any(map(is_running, harness.pids()))
    assert (await failure_of(slow)).kind is FailureKind.OTHER
    assert harness.states_of()[-1] is IDLE
    await pool.disconnect(REF)
    await pool.disconnect(OTHER)
    assert await call(pool, "echo", a=1) == {"a": 1}


async def test_a_server_restarts_only_after_the_old_process_ended(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--stubborn"]
    await call(pool, "echo")
    (old,) = harness.pids()
    stopping = spawn(pool.disconnect(REF), name="stopping")
    await asyncio.sleep(0)
    again = spawn(call(pool, "env"), name="again")
    assert (await again)["pid"] != old
    assert not is_running(old)
    async with asyncio.timeout(WAIT_S):
        await stopping


async def test_disconnecting_stops_a_start(pool: UpstreamPool, harness: PoolHarness) -> None:
    harness.options = ["--silent"]
    waiting = spawn(call(pool, "echo"), name="waiting")
    await harness.until(lambda: CONNECTING in harness.states_of())
    await pool.disconnect(REF)
    assert (await failure_of(waiting)).kind is FailureKind.OTHER
    assert harness.states_of() == [CONNECTING, IDLE]


async def test_a_call_after_a_stopped_start_gets_a_new_one(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.options = ["--silent", "--stubborn"]
    stopped = spawn(call(pool, "echo"), name="stopped")
    await harness.until(lambda: CONNECTING in harness.states_of())
    stops = [spawn(pool.disconnect(REF), name="stop") for _ in range(2)]
    await asyncio.sleep(0)
    harness.options = []
    assert await call(pool, "echo", a=1) == {"a": 1}
    assert (await failure_of(stopped)).kind is FailureKind.OTHER
    await asyncio.wait(stops)
    assert harness.states_of() == [CONNECTING, IDLE, CONNECTING, READY]


async def test_closing_stops_all_and_leaves_no_process(harness: PoolHarness) -> None:
    pool = harness.pool()
    harness.options = ["--stubborn", "--child"]
    refs = [ServerRef(WorkspaceId("w"), ServerId(f"s{n}")) for n in range(6)]
    await asyncio.gather(*(call(pool, "echo", ref) for ref in refs))
    slow = [spawn(call(pool, "slow", ref), name="slow") for ref in refs]
    await asyncio.gather(*(call(pool, "echo", ref) for ref in refs))
    await pool.close()
    assert {(await failure_of(call)).kind for call in slow} == {FailureKind.OTHER}
    assert len(harness.pids()) == 6
    assert not any(map(is_running, harness.pids()))
    assert all(ends_within(WAIT_S, pid) for pid in recorded(harness.record, "child"))
    with pytest.raises(UpstreamFailed, match="stopping"):
        await call(pool, "echo")


async def test_closing_an_unused_pool_does_nothing(harness: PoolHarness) -> None:
    await harness.pool().close()
    assert harness.states == []
