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
    ended: bool = False
    """A zombie: only its parent has yet to take notice."""


@dataclass(frozen=True, slots=True)
class TreeUse:
    """What a tree uses, all its processes together."""

    processes: int
    rss_bytes: int
    cpu_s: float
    age_s: float
    """Of its first process."""


def list_processes() -> list[Process]:
    return list(_list_processes())


def tree_of(leaders: Collection[int], listed: Collection[Process]) -> set[int]:
    """The live processes of `listed` that are of the leaders' sessions, or below them."""
    members = {p.pid for p in listed if p.pid in leaders or p.group in leaders}
    while found := {p.pid for p in listed if p.parent in members} - members:
        members |= found
    return members - {p.pid for p in listed if p.ended}


def uses_of(
    trees: Mapping[int, Collection[int]], listed: Collection[Process]
) -> dict[int, TreeUse]:
    """What the trees use, each given as its first process and all the leaders it has by now."""
    known = {process.pid: process for process in listed}
    running = {first: leaders for first, leaders in trees.items() if first in known}
    return {
        first: _use(known[first], [known[pid] for pid in tree_of(leaders, listed)])
        for first, leaders in running.items()
    }


def _use(first: Process, members: Collection[Process]) -> TreeUse:
    return TreeUse(
        processes=len(members),
        rss_bytes=sum(process.rss_bytes for process in members),
        cpu_s=sum(process.cpu_s for process in members),
        age_s=first.age_s,
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
            ended=fields[0] in "ZX",
        )


def read_ps() -> Iterable[Process]:
    """All processes as `ps` prints them, on macOS and Linux alike."""
    command = ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,rss=,time=,etime=,state="]
    printed = subprocess.run(  # noqa: S603 - a constant
        command, capture_output=True, text=True, timeout=5, check=False, env={"LC_ALL": "C"}
    ).stdout
    for line in printed.splitlines():
        pid, parent, group, rss_kib, cpu, age, state = line.split()
        yield Process(
            pid=int(pid),
            parent=int(parent),
            group=int(group),
            rss_bytes=int(rss_kib) * 1024,
            cpu_s=_seconds(cpu),
            age_s=_seconds(age),
            ended=state.startswith("Z"),
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
