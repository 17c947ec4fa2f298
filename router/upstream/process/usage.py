"""What processes use: one pass over the process table for all trees.

A tree is its leader, the leader's session and all their descendants, so a grandchild that made a
session of its own counts too. Linux's `/proc` is read directly, which takes less than half of the
time psutil takes for the same; other systems are read with psutil. Blocks for some milliseconds:
call it in a thread.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """One row of the process table."""

    pid: int
    parent: int
    session: int
    rss_bytes: int
    cpu_s: float
    age_s: float
    ended: bool = False
    """A zombie: it has exited, but its parent has not waited for it yet."""


@dataclass(frozen=True, slots=True)
class TreeUsage:
    """What all processes of a tree use together."""

    processes: int
    rss_bytes: int
    cpu_s: float
    age_s: float
    """Of its first process."""


def list_processes() -> list[Process]:
    return list(read_proc() if sys.platform == "linux" else read_psutil())


def tree_of(leaders: Collection[int], listed: Collection[Process]) -> set[int]:
    """The live processes of `listed` that belong to the leaders' sessions or descend from them."""
    members = {p.pid for p in listed if p.pid in leaders or p.session in leaders}
    while found := {p.pid for p in listed if p.parent in members} - members:
        members |= found
    return members - {p.pid for p in listed if p.ended}


def usage_of(
    trees: Mapping[int, Collection[int]], listed: Collection[Process]
) -> dict[int, TreeUsage]:
    """What each tree uses. A tree is given as its first process and all its leaders."""
    known = {process.pid: process for process in listed}
    running = {first: leaders for first, leaders in trees.items() if first in known}
    return {
        first: _usage(known[first], [known[pid] for pid in tree_of(leaders, listed)])
        for first, leaders in running.items()
    }


def _usage(first: Process, members: Collection[Process]) -> TreeUsage:
    return TreeUsage(
        processes=len(members),
        rss_bytes=sum(process.rss_bytes for process in members),
        cpu_s=sum(process.cpu_s for process in members),
        age_s=first.age_s,
    )


def read_proc() -> Iterable[Process]:
    """All processes as `/proc` has them."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    uptime_s = float(Path("/proc/uptime").read_text().split()[0])
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            stat = Path(entry.path, "stat").read_text(errors="replace")
        except OSError:  # it ended meanwhile
            continue
        # The second field is the name, in parentheses, and may contain anything.
        fields = stat.rpartition(")")[2].split()
        yield Process(
            pid=int(entry.name),
            parent=int(fields[1]),
            session=int(fields[3]),
            rss_bytes=int(fields[21]) * page,
            cpu_s=sum(map(int, fields[11:15])) / ticks,  # with its children that have ended
            age_s=uptime_s - int(fields[19]) / ticks,
            ended=fields[0] in "ZX",
        )


def read_psutil() -> Iterable[Process]:
    """All processes as psutil lists them. Others' processes use nothing, as far as it may tell."""
    import psutil

    now = time.time()
    wanted = ["ppid", "memory_info", "cpu_times", "create_time", "status"]
    for process in psutil.process_iter(wanted):
        known = process.info  # None where access is denied
        with suppress(ProcessLookupError):
            yield Process(
                pid=process.pid,
                parent=known["ppid"] or 0,
                session=_session_of(process.pid),
                rss_bytes=known["memory_info"].rss if known["memory_info"] else 0,
                cpu_s=sum(known["cpu_times"][:4]) if known["cpu_times"] else 0.0,
                age_s=now - (known["create_time"] or now),
                ended=known["status"] == psutil.STATUS_ZOMBIE,
            )


def _session_of(pid: int) -> int:
    if sys.platform == "win32":  # which has none
        return pid
    try:
        return os.getsid(pid)
    except PermissionError:
        return 0
