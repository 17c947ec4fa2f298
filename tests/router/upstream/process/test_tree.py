"""Process trees: the POSIX guardian for real, the Windows job against a recorded kernel."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from router.upstream.process.windows_job import ExtendedLimits, JobTree, Kernel32
from tests.servers.commands import ends_within, is_running
from tests.support.timeouts import WAIT_S

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
SLEEP = "import time; time.sleep(600)"


@pytest.fixture
def sleeper() -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts processes in sessions of their own, and ends those that are left."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


GUARDED = """
import sys
from router.upstream.process.group import Guardian
guardian = Guardian("test")
for group in sys.argv[1:]:
    guardian.watch(int(group))
guardian.release(int(sys.argv[1]))
print("watching", flush=True)
sys.stdin.read()
"""


@POSIX_ONLY
def test_the_guardian_kills_the_watched_processes_when_the_router_is_killed(
    sleeper: Callable[[], subprocess.Popen[bytes]],
) -> None:
    released, first, second = sleeper(), sleeper(), sleeper()
    groups = [str(process.pid) for process in (released, first, second)]
    router = subprocess.Popen(
        [sys.executable, "-c", GUARDED, *groups], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert router.stdout is not None
    assert router.stdin is not None
    assert router.stdout.readline() == b"watching\n"
    router.kill()
    router.wait()
    assert ends_within(WAIT_S, first.pid)
    assert ends_within(WAIT_S, second.pid)
    assert is_running(released.pid)
    router.stdout.close()
    router.stdin.close()


@POSIX_ONLY
def test_the_guardian_runs_only_while_it_watches_processes() -> None:
    from router.upstream.process.group import Guardian

    guardian = Guardian("test")
    guardian.watch(2**30)
    shell = guardian.shell_pid
    assert shell is not None
    guardian.release(2**30)
    assert guardian.shell_pid is None
    assert not is_running(shell)


@POSIX_ONLY
def test_a_guardian_that_was_killed_is_replaced(
    sleeper: Callable[[], subprocess.Popen[bytes]],
) -> None:
    from router.upstream.process.group import Guardian

    guardian = Guardian("test")
    first, second = sleeper(), sleeper()
    guardian.watch(first.pid)
    shell = guardian.shell_pid
    assert shell is not None
    os.kill(shell, signal.SIGKILL)
    assert ends_within(WAIT_S, shell)
    guardian.watch(second.pid)
    assert guardian.shell_pid not in (None, shell)
    guardian.release(first.pid)
    guardian.release(second.pid)


@POSIX_ONLY
@pytest.mark.parametrize("stdin", ["", "\n", "TOOLBOOTH", "TOOLBOOTH_OWNER=", "TOOLBOOTH_OWNER=."])
def test_a_guardian_without_process_groups_kills_nothing(stdin: str) -> None:
    """The router may be killed at any moment, also before it has sent a line."""
    from router.upstream.process.group import SCRIPT

    assert killed_by(SCRIPT, stdin) == []


@POSIX_ONLY
def test_a_guardian_kills_the_groups_of_the_last_line() -> None:
    from router.upstream.process.group import SCRIPT

    stdin = f"TOOLBOOTH_OWNER={'0' * 16}.\n21\n21 22\n"
    assert killed_by(SCRIPT, stdin) == ["-s KILL -- -21", "-s KILL -- -22"]


def killed_by(script: str, stdin: str) -> list[str]:
    """The groups the guardian would kill, recorded by a function in place of the real one."""
    harmless = 'kill() { echo "$@"; }\n' + script
    shell = ["/bin/sh", "-c", harmless]
    done = subprocess.run(shell, input=stdin, capture_output=True, text=True, timeout=WAIT_S)
    return done.stdout.splitlines()


class RecordedKernel:
    """A fake `kernel32`: records the calls, and fails those named in `failing`."""

    def __init__(self, *failing: str) -> None:
        self.calls: list[tuple[str, list[Any]]] = []
        self._failing = failing

    def __getattr__(self, name: str) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            plain = [getattr(value, "value", value) for value in arguments]
            self.calls.append((name, plain))
            handles = {"CreateJobObjectW": 11, "OpenProcess": 22}
            return 0 if name in self._failing else handles.get(name, 1)

        return call

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


def job_tree(kernel: RecordedKernel) -> JobTree:
    return JobTree(4321, cast(Kernel32, kernel))


def test_a_job_kills_its_processes_when_its_handle_closes() -> None:
    kernel = RecordedKernel()
    tree = job_tree(kernel)
    assert kernel.calls[0] == ("OpenProcess", [0x0101, 0, 4321])
    name, (job, kind, limits, size) = kernel.calls[2]
    assert (name, job, kind, size) == ("SetInformationJobObject", 11, 9, 144)
    assert limits._obj.BasicLimitInformation.LimitFlags == 0x2000
    assert kernel.calls[3] == ("AssignProcessToJobObject", [11, 22])
    tree.kill()
    assert kernel.calls[4] == ("TerminateJobObject", [11, 1])
    tree.release()
    tree.release()
    assert kernel.calls[5:] == [("CloseHandle", [11]), ("CloseHandle", [22])]


def test_the_limits_have_the_layout_windows_expects() -> None:
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert ExtendedLimits.ProcessMemoryLimit.offset == 112


@pytest.mark.parametrize(
    "failing", ["CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"]
)
def test_without_a_job_the_process_alone_is_killed(failing: str) -> None:
    kernel = RecordedKernel(failing)
    tree = job_tree(kernel)
    tree.terminate()
    assert kernel.calls[-1] == ("TerminateProcess", [22, 1])
    assert "TerminateJobObject" not in kernel.names()


def test_an_ended_process_is_left_alone() -> None:
    kernel = RecordedKernel("OpenProcess")
    tree = job_tree(kernel)
    tree.kill()
    tree.release()
    assert "TerminateProcess" not in kernel.names()
