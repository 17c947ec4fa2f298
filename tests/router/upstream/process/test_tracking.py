"""All processes of a server are tracked and ended, also those that left its group and parents."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from router.runtime.tasks import spawn
from router.upstream.connection import UpstreamConnection
from router.upstream.process.process_table import MARK_VARIABLE, read_proc, read_psutil
from router.upstream.process.tracking import (
    end_tree,
    kill_leftovers,
    left_behind,
    new_mark,
    owner_of,
)
from tests.router.upstream.connection_harness import Open, call, content_of
from tests.router.upstream.pool_harness import REF, PoolHarness, RunOptions, UpstreamPool
from tests.router.upstream.pool_harness import call as call_pooled
from tests.servers.commands import ends_within, is_running, stdio_config
from tests.support.router_process import children_of
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has jobs instead")
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
WAYS_OUT: dict[str, dict[str, bool]] = {"daemon": {}, "spawn": {"own_session": True}}


async def left_by(connection: UpstreamConnection, tool: str) -> int:
    return (await content_of(connection, tool, **WAYS_OUT[tool]))["pid"]


@pytest.mark.parametrize("tool", WAYS_OUT)
async def test_stopping_a_server_ends_processes_that_left_its_group(
    open_server: Open, tool: str
) -> None:
    connection = await open_server()
    gone = await left_by(connection, tool)
    await connection.close()
    assert ends_within(0, gone)


async def test_a_server_that_exits_by_itself_leaves_no_daemon_holding_its_pipes(
    open_server: Open,
) -> None:
    connection = await open_server()
    daemon = await left_by(connection, "daemon")
    leaving = spawn(call(connection, "leave", code=1), name="leaving")
    async with asyncio.timeout(WAIT_S):  # the daemon's end of the pipe is not waited for
        assert (await connection.wait_closed()).subject == "code 1"
    await asyncio.wait([leaving])
    assert ends_within(0, daemon)


async def test_memory_of_processes_that_left_the_group_counts(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    harness.run_options = RunOptions(memory_limit_mb=500)
    await call_pooled(pool, "daemon")
    facts = (await pool.measure())[REF]
    assert facts.processes == 2


KILLED_ROUTER = """
import asyncio, json, os, sys
from pathlib import Path
from router.config.server import ServerConfig
from router.upstream.connect import LaunchPlan, open_upstream
from router.upstream.process.tracking import owner_of

async def main() -> None:
    config = ServerConfig(command=sys.executable, args=sys.argv[2:])
    nothing = lambda *_: None
    upstream = await open_upstream(
        LaunchPlan(config, owner=owner_of(Path(sys.argv[1]))),
        on_notification=nothing, on_stderr=nothing,
    )
    pids = []
    for tool in ("env", "spawn", "daemon"):
        result = await upstream.request("tools/call", {"name": tool, "arguments": {}})
        pids.append(result["structuredContent"]["pid"])
    print(json.dumps(pids), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


class KilledRouter:
    """A router on a data directory with one server, which has a child and a daemon."""

    def __init__(self, data_dir: Path) -> None:
        config = stdio_config("--stubborn")
        command = [sys.executable, "-c", KILLED_ROUTER, str(data_dir), *config.args]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.pids: list[int] = json.loads(self._process.stdout.readline())
        self.guardians = children_of(self._process.pid) - set(self.pids)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def left(self) -> list[int]:
        return [pid for pid in self.pids if is_running(pid)]


def test_killing_the_router_leaves_no_daemon_of_its_servers(tmp_path: Path) -> None:
    router = KilledRouter(tmp_path)
    assert router.left == router.pids
    router.kill()
    assert [pid for pid in router.pids if not ends_within(WAIT_S, pid)] == []


@LINUX_ONLY
def test_the_next_start_sweeps_processes_left_by_a_killed_router_and_guardian(
    tmp_path: Path,
) -> None:
    mine, others = KilledRouter(tmp_path / "mine"), KilledRouter(tmp_path / "other")
    for pid in mine.guardians:
        os.kill(pid, signal.SIGKILL)
    mine.kill()
    assert mine.left == mine.pids
    assert left_behind(owner_of(tmp_path / "mine")) == set(mine.pids)
    assert kill_leftovers(owner_of(tmp_path / "mine")) == 3
    assert [pid for pid in mine.pids if not ends_within(WAIT_S, pid)] == []
    assert kill_leftovers(owner_of(tmp_path / "mine")) == 0
    assert others.left == others.pids
    others.kill()
    assert [pid for pid in others.pids if not ends_within(WAIT_S, pid)] == []


SWEEPER = """
import subprocess, sys
from router.upstream.process.tracking import kill_leftovers
sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(kill_leftovers(sys.argv[1]), sleeper.wait(30))
"""


def test_a_sweep_spares_marked_ancestors() -> None:
    """A router may be started by a tool of the router before it."""
    mark = new_mark("ab" * 8)
    command = ["/bin/sh", "-c", '"$@"; echo alive', "sh", sys.executable, "-c", SWEEPER]
    done = subprocess.run(
        [*command, mark.router],
        env={**os.environ, **mark.environment},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.stdout.split() == ["1", "-9", "alive"], done.stderr


@LINUX_ONLY
def test_a_killed_process_that_ends_slowly_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As on a busy machine."""
    mark, kill, killed = new_mark(), os.kill, list[int]()

    def kill_late(pid: int, number: int) -> None:
        killed.append(pid)
        if len(killed) == 3:
            kill(pid, number)

    with subprocess.Popen(
        [sys.executable, "-c", "input()"], env=mark.environment, stdin=subprocess.PIPE
    ) as process:
        monkeypatch.setattr(os, "kill", kill_late)
        end_tree(process.pid, mark)
        assert ends_within(0, process.pid)
    assert killed == [process.pid] * 3
    assert caplog.records == []


def test_marks_are_found_without_proc() -> None:
    mark = new_mark()
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        env=mark.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = {each.pid: each.mark for each in read_psutil() if each.mark}
        process.communicate(b"\n")
    assert found[process.pid] == str(mark)
    assert os.getpid() not in found


@LINUX_ONLY
def test_a_process_without_a_mark_or_of_another_user_has_none(tmp_path: Path) -> None:
    for pid, environment in {
        "7": b"A=1\0" + f"{MARK_VARIABLE}=ab.cd\0".encode(),
        "8": b"A=1\0",
    }.items():
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "environ").write_bytes(environment)
    (tmp_path / "9").mkdir()
    for pid in ("7", "8", "9"):
        (tmp_path / pid / "stat").write_text(f"{pid} (sh) S{' 1' * 30}")
    (tmp_path / "uptime").write_text("1.0 1.0")
    assert {each.pid: each.mark for each in read_proc(tmp_path)} == {7: "ab.cd", 8: "", 9: ""}


def test_each_data_directory_has_its_own_owner_mark(tmp_path: Path) -> None:
    assert owner_of(tmp_path / "a") == owner_of(tmp_path / "b" / ".." / "a")
    assert owner_of(tmp_path / "a") != owner_of(tmp_path / "b")
