"""Enforces the limits of a process tree: resident memory, number of processes, CPU share.

Checked every 50 ms. Memory is the resident memory of all processes together: reserved memory says
nothing (node reserves a gigabyte and uses 70 MB).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from router.discovery.sandbox.launch_spec import SandboxLimits
from router.discovery.sandbox.observations import Observations

CHECK_INTERVAL_S = 0.05
_TOLERANCE = 1.1
_SPARE_TASKS = 16
_BURST_S = 0.25
"""CPU time that it may use in advance."""


class Watchdog:
    def __init__(self, limits: SandboxLimits, observations: Observations) -> None:
        self._limits = limits
        self._observations = observations
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._tick = os.sysconf("SC_CLK_TCK")
        self._began = time.monotonic()
        self._paused = False

    def is_within_limits(self) -> bool:
        """Check the tree once. Too much CPU use only slows it down."""
        tree = descendants(os.getpid())
        resident_mb = sum(self._resident(pid) for pid in tree) >> 20
        self._observations.peak_mb = max(self._observations.peak_mb, resident_mb)
        if resident_mb > self._limits.memory_mb * _TOLERANCE:
            self._observations.killed = "memory"
        elif len(tree) > self._limits.tasks + _SPARE_TASKS:  # where seccomp does not refuse them
            self._observations.killed = "tasks"
        if self._limits.cpu_percent is not None:
            self._throttle(tree, self._limits.cpu_percent)
        return not self._observations.killed

    def _resident(self, pid: int) -> int:
        try:
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * self._page
        except (OSError, IndexError):
            return 0

    def _throttle(self, tree: Iterable[int], percent: int) -> None:
        """Stop the processes while they have used more than their share, as `cpulimit` does: that
        works without a cgroup, which most users may not create."""
        allowed_s = (time.monotonic() - self._began) * percent / 100 + _BURST_S
        over = sum(self._cpu_s(pid) for pid in tree) > allowed_s
        if over != self._paused:
            self._paused = over
            send_signal(tree, signal.SIGSTOP if over else signal.SIGCONT)

    def _cpu_s(self, pid: int) -> float:
        return sum(map(int, stat_fields(pid)[11:15])) / self._tick


def stat_fields(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the program's name; none if the process has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()


def descendants(pid: int) -> list[int]:
    """All descendants of `pid`."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    try:
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(word) for text in lists for word in text.split()]


def send_signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
