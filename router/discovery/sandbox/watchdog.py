"""Holding a tree of processes to its limits: resident memory, number, share of the processor.

Looked at every 50 ms. Memory is what all of them have resident together, since what a program
reserves says nothing (node reserves a gigabyte and uses 70 MB).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from router.discovery.sandbox.launch_spec import Limits
from router.discovery.sandbox.observations import Sightings

LOOK_EVERY_S = 0.05
_TOLERANCE = 1.1
_SPARE_TASKS = 16
_BURST_S = 0.25
"""How much processor time it may have used ahead."""


class Watchdog:
    def __init__(self, limits: Limits, sightings: Sightings) -> None:
        self._limits = limits
        self._seen = sightings
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._tick = os.sysconf("SC_CLK_TCK")
        self._began = time.monotonic()
        self._paused = False

    def look(self) -> bool:
        """Whether the tree keeps within its limits; it is slowed down where that is enough."""
        tree = descendants(os.getpid())
        taken_mb = sum(self._resident(pid) for pid in tree) >> 20
        self._seen.taken_mb = max(self._seen.taken_mb, taken_mb)
        if taken_mb > self._limits.memory_mb * _TOLERANCE:
            self._seen.killed = "memory"
        elif len(tree) > self._limits.tasks + _SPARE_TASKS:  # where nothing else refuses them
            self._seen.killed = "tasks"
        if self._limits.cpu_percent is not None:
            self._slow_down(tree, self._limits.cpu_percent)
        return not self._seen.killed

    def _resident(self, pid: int) -> int:
        try:
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * self._page
        except (OSError, IndexError):
            return 0

    def _slow_down(self, tree: Iterable[int], percent: int) -> None:
        """Stop the processes while they have used more than their share, as `cpulimit` does: it
        works without a cgroup, which few may make."""
        allowed_s = (time.monotonic() - self._began) * percent / 100 + _BURST_S
        over = sum(self._processor_s(pid) for pid in tree) > allowed_s
        if over != self._paused:
            self._paused = over
            send(tree, signal.SIGSTOP if over else signal.SIGCONT)

    def _processor_s(self, pid: int) -> float:
        try:
            fields = (
                Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            )
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / self._tick


def descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
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


def send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
