"""Finds all processes of a server by a mark in their environment.

A grandchild that forked twice into a session of its own is in no process group of ours and has no
parent that leads to us. It still has the environment it inherited, so each server starts with a
mark in it: `<router>.<start>`. The router's part is derived from its data directory, which only one
router uses at a time, so a process that has it when a router starts was left by an earlier one.

A process that also clears its environment is not found; only an isolated server can't do that. This
reads the whole process table, which takes some milliseconds: call it in a thread. Windows uses Job
Objects instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import select
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from router.upstream.process.process_table import MARK_VARIABLE, Process, list_processes, tree_of

log = logging.getLogger(__name__)

_MAX_PASSES = 10
"""Enough for processes that start others while we look."""
_END_WITHIN_MS = 200
"""How long a pass waits for the next of those it killed to end."""


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """Identifies the processes of one start of one server."""

    router: str
    start: str

    def __str__(self) -> str:
        return f"{self.router}.{self.start}"

    @property
    def environment(self) -> dict[str, str]:
        return {MARK_VARIABLE: str(self)}


@dataclass(frozen=True, slots=True)
class TreeUsage:
    """What all processes of a tree use together."""

    processes: int
    rss_bytes: int
    cpu_s: float
    age_s: float
    """Of its first process."""


THIS_PROCESS = secrets.token_hex(8)
"""The owner of servers that are started without a data directory."""


def owner_of(data_dir: Path) -> str:
    """The router's part of the marks of all servers that routers on `data_dir` start."""
    return hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:16]


def new_mark(owner: str = THIS_PROCESS) -> ProcessMark:
    return ProcessMark(owner, secrets.token_hex(8))


def tree(leader: int, mark: ProcessMark) -> set[int]:
    """All live processes of the server that `leader` was started as."""
    return _marked_tree(str(mark), list_processes(), leader)


def read_usage(marks: Mapping[int, ProcessMark]) -> dict[int, TreeUsage]:
    """What each running server uses, by the process it was started as."""
    listed = list_processes() if marks else []
    known = {process.pid: process for process in listed}
    uses: dict[int, TreeUsage] = {}
    for pid, mark in marks.items():
        if pid in known:
            members = [known[each] for each in _marked_tree(str(mark), listed, pid)]
            uses[pid] = TreeUsage(
                processes=len(members),
                rss_bytes=sum(process.rss_bytes for process in members),
                cpu_s=sum(process.cpu_s for process in members),
                age_s=known[pid].age_s,
            )
    return uses


def end_tree(leader: int, mark: ProcessMark) -> None:
    """Kill all that is left of a server."""
    if left := _end(lambda: tree(leader, mark)):
        log.error("%d processes of a server can't be killed", len(left))


def kill_leftovers(owner: str) -> int:
    """Kill what an earlier router left, except our own ancestors; returns how many it killed."""
    spared = _ancestors()
    found = left_behind(owner) - spared
    if found:
        _end(lambda: left_behind(owner) - spared)
    return len(found)


def left_behind(owner: str) -> set[int]:
    """The processes of all servers that routers of this owner have started."""
    return _marked_tree(f"{owner}.", list_processes())


def may_be_server(pid: int, owner: str) -> bool:
    """Whether a process belongs to a server of this owner, or has ended and can't be judged."""
    listed = list_processes()
    running = {process.pid for process in listed if not process.ended}
    return pid not in running or pid in _marked_tree(f"{owner}.", listed)


def _marked_tree(mark: str, listed: Collection[Process], *leaders: int) -> set[int]:
    """The trees of `leaders` and of all processes whose mark begins with `mark`."""
    marked = {process.pid for process in listed if process.mark.startswith(mark)}
    return tree_of({*leaders, *marked}, listed)


def _end(find: Callable[[], set[int]]) -> set[int]:
    """Kill what `find` returns until that is nothing; returns what can't be killed."""
    found: set[int] = set()
    for _ in range(_MAX_PASSES):
        found = find()
        if not found:
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _wait_for_ends(found)
    return found


def _wait_for_ends(killed: Collection[int]) -> None:
    """On a busy machine a killed process takes a while to end, and while it does, it has lost its
    mark already. Elsewhere than on Linux a pass takes long enough."""
    if sys.platform != "linux":
        return
    ends, waiting = select.poll(), 0
    with contextlib.ExitStack() as opened:
        for pid in killed:
            with contextlib.suppress(OSError):  # it has ended
                descriptor = os.pidfd_open(pid)
                opened.callback(os.close, descriptor)
                ends.register(descriptor, select.POLLIN)
                waiting += 1
        while waiting and (ended := ends.poll(_END_WITHIN_MS)):
            for descriptor, _ in ended:
                ends.unregister(descriptor)
                waiting -= 1


def _ancestors() -> set[int]:
    """This process and those above it."""
    parents = {process.pid: process.parent for process in list_processes()}
    pid = os.getpid()
    found = {pid}
    while (pid := parents.get(pid, 0)) and pid not in found:
        found.add(pid)
    return found
