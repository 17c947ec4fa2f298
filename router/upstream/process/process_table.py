"""The process table, read in one pass for all trees.

A tree is its leader, the leader's session and all their descendants, so a grandchild that made a
session of its own counts too. Linux's `/proc` is read directly, which takes less than half of the
time psutil takes for the same; other systems are read with psutil. Blocks for some milliseconds:
call it in a thread.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK_VARIABLE = "TOOLBOOTH_OWNER"
"""In the environment of every process of a server (`tracking.py`)."""
_MARK_PATTERN = re.compile(rf"\b{MARK_VARIABLE}=([0-9a-f]+\.[0-9a-f]+)".encode("ascii"))
_PROC = Path("/proc")


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
    mark: str = ""
    """The mark in its environment; empty if it has none, or is another user's."""


def list_processes() -> list[Process]:
    return list(read_proc() if sys.platform == "linux" else read_psutil())


def tree_of(leaders: Collection[int], listed: Collection[Process]) -> set[int]:
    """The live processes of `listed` that belong to the leaders' sessions or descend from them."""
    members = {p.pid for p in listed if p.pid in leaders or p.session in leaders}
    while found := {p.pid for p in listed if p.parent in members} - members:
        members |= found
    return members - {p.pid for p in listed if p.ended}


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
            session=int(fields[3]),
            rss_bytes=int(fields[21]) * page,
            cpu_s=sum(map(int, fields[11:15])) / ticks,  # with its children that have ended
            age_s=uptime_s - int(fields[19]) / ticks,
            ended=fields[0] in "ZX",
            mark=_mark_in(Path(entry.path, "environ")),
        )


def _mark_in(environment: Path) -> str:
    try:
        found = _MARK_PATTERN.search(environment.read_bytes())
    except OSError:  # it ended meanwhile, or is another user's
        return ""
    return found[1].decode("ascii") if found else ""


def read_psutil() -> Iterable[Process]:
    """All processes as psutil lists them. Other users' processes seem to use nothing, and macOS
    hides the environment of Apple's own programs."""
    import psutil

    now = time.time()
    wanted = ["ppid", "memory_info", "cpu_times", "create_time", "status"]
    if sys.platform != "win32":  # where Job Objects do what marks do
        wanted.append("environ")
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
                mark=known["environ"].get(MARK_VARIABLE, "") if known.get("environ") else "",
            )


def _session_of(pid: int) -> int:
    if sys.platform == "win32":  # which has none
        return pid
    try:
        return os.getsid(pid)
    except PermissionError:
        return 0
