"""What processes use, read for all trees in one look: `/proc` on Linux, `ps` on macOS and the like.

Blocks for some milliseconds: for a thread. A tree is its leader, the leader's session and all their
descendants, so a grandchild that made a session of its own counts too. Windows has neither source:
nothing is known there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """One process as the system lists it; `group` is its session or process group."""

    pid: int
    parent: int
    group: int
    rss_bytes: int
    cpu_s: float
    age_s: float


@dataclass(frozen=True, slots=True)
class TreeUse:
    """What a tree uses, all its processes together."""

    processes: int
    rss_bytes: int
    cpu_s: float
    age_s: float
    """Of the leader."""


def read_trees(leaders: Collection[int]) -> dict[int, TreeUse]:
    """The trees of those leaders that still run."""
    listed = {process.pid: process for process in _list_processes()} if leaders else {}
    return {leader: _tree(leader, listed) for leader in leaders if leader in listed}


def _tree(leader: int, listed: Mapping[int, Process]) -> TreeUse:
    members = {pid for pid, process in listed.items() if leader in (pid, process.group)}
    while found := {p.pid for p in listed.values() if p.parent in members} - members:
        members |= found
    return TreeUse(
        processes=len(members),
        rss_bytes=sum(listed[pid].rss_bytes for pid in members),
        cpu_s=sum(listed[pid].cpu_s for pid in members),
        age_s=listed[leader].age_s,
    )


def read_proc(folder: Path = _PROC) -> Iterable[Process]:
    """All processes as `/proc` has them."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    uptime_s = float((folder / "uptime").read_text().split()[0])
    for entry in os.scandir(folder):
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
            group=int(fields[3]),
            rss_bytes=int(fields[21]) * page,
            cpu_s=sum(map(int, fields[11:15])) / ticks,  # with its children that have ended
            age_s=uptime_s - int(fields[19]) / ticks,
        )


def read_ps() -> Iterable[Process]:
    """All processes as `ps` prints them, with the names POSIX gives the columns."""
    command = ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,rss=,time=,etime="]
    printed = subprocess.run(  # noqa: S603 - a constant
        command, capture_output=True, text=True, timeout=5, check=False, env={"LC_ALL": "C"}
    ).stdout
    for line in printed.splitlines():
        pid, parent, group, rss_kib, cpu, age = line.split()
        yield Process(
            int(pid), int(parent), int(group), int(rss_kib) * 1024, _seconds(cpu), _seconds(age)
        )


def _seconds(text: str) -> float:
    """`[[dd-]hh:]mm:ss[.ff]` in seconds."""
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part)
    return int(days or 0) * 86400 + seconds


def _nothing() -> Iterable[Process]:
    return ()


if sys.platform == "linux":
    _list_processes = read_proc
elif sys.platform == "win32":
    _list_processes = _nothing
else:
    _list_processes = read_ps
