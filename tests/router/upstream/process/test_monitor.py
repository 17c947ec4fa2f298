"""What servers' processes use, and the limit on their memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from router.domain.failures import FailureKind
from router.runtime.tasks import spawn
from router.upstream.pool import UpstreamPool
from router.upstream.process import process_table
from router.upstream.process.tracking import new_mark, read_usage
from router.upstream.run_options import RunOptions
from tests.router.upstream.connection_harness import failure_of
from tests.router.upstream.pool_harness import FAILED, OTHER, REF, PoolHarness, call
from tests.servers.commands import ends_within, is_running
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is known on Windows")

MB = 1024 * 1024
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
FAMILY = """
import subprocess, sys, time
while time.process_time() < 0.1: pass
child = subprocess.Popen([sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"],
    start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
sys.stdin.read()
child.kill()
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process with a child that has left its session."""
    parent = subprocess.Popen(
        [sys.executable, "-c", FAMILY],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    parent.stdout.readline()
    yield parent.pid
    parent.communicate()


def test_a_tree_counts_children_with_sessions_of_their_own(family: int) -> None:
    use = read_usage({family: new_mark()})[family]
    assert use.processes == 2
    assert use.rss_bytes > 5 * MB
    assert use.cpu_s > 0.05
    assert use.age_s >= 0


def test_an_ended_process_has_no_facts(family: int) -> None:
    assert set(read_usage({family: new_mark(), 2**30: new_mark()})) == {family}
    assert read_usage({}) == {}


@LINUX_ONLY
def test_psutil_and_proc_agree(family: int) -> None:
    before, mine, theirs = (
        {process.pid: process for process in read()}[family]
        for read in (process_table.read_psutil, process_table.read_proc, process_table.read_psutil)
    )
    assert (mine.parent, mine.session) == (theirs.parent, theirs.session)
    assert theirs.rss_bytes == pytest.approx(mine.rss_bytes, rel=0.2)
    assert theirs.cpu_s == pytest.approx(mine.cpu_s, abs=1.5)
    assert before.age_s - 2 < mine.age_s < theirs.age_s + 2  # which counts whole seconds


async def test_a_running_servers_process_is_known_with_its_children(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    assert await pool.measure() == {}
    before = datetime.now(UTC)
    grandchild = (await call(pool, "grow", megabytes=30))["pid"]
    facts = (await pool.measure())[REF]
    assert facts.pid == harness.pids()[0]
    assert is_running(grandchild)
    assert facts.processes == 2
    assert facts.rss_bytes > 30 * MB
    # To the second: not every system is more precise.
    assert before - timedelta(seconds=2) < facts.started_at <= datetime.now(UTC)
    assert facts.cpu_percent > 0
    again = (await pool.measure())[REF]
    assert again.cpu_s >= facts.cpu_s
    await pool.disconnect(REF)
    assert await pool.measure() == {}


async def test_a_server_over_its_memory_limit_is_killed_with_all_its_children(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(memory_limit_mb=80)
    await call(pool, "echo")
    await call(pool, "echo", OTHER)
    await harness.until_pause(1)  # it was checked, and was within its limit
    greedy = (await call(pool, "grow", megabytes=150))["pid"]
    harness.pass_time(1)
    await harness.until(lambda: FAILED in harness.states_of())
    failure = harness.failures[-1]
    assert (failure.kind, failure.subject) == (FailureKind.TOO_MUCH_MEMORY, "80 MB")
    assert failure.detail.endswith(" MB")
    assert ends_within(WAIT_S, greedy)
    assert FAILED not in harness.states_of(OTHER)
    assert await call(pool, "echo", OTHER, a=1) == {"a": 1}


async def test_a_call_that_exceeds_the_memory_limit_says_so(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(memory_limit_mb=80)
    await call(pool, "echo")
    await harness.until_pause(1)
    await call(pool, "grow", megabytes=150)
    slow = spawn(call(pool, "slow"), name="slow")
    await call(pool, "echo")
    harness.pass_time(1)
    assert (await failure_of(slow)).kind is FailureKind.TOO_MUCH_MEMORY
