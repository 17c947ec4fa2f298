"""Finding a server's processes again, wherever they went, by a mark in their environment.

A grandchild that forked twice into a session of its own belongs to no group of ours and has no
parent that leads to us. What it still has is the environment it inherited, so each server starts
with a mark in it: `<router>.<start>`. The router's part follows from its data directory, which one
router has at a time; so at its next start everything with that mark is what an earlier one left.

One that also empties its environment is out of reach; only an isolated server can't do that. All of
this reads the whole process table, some milliseconds: for a thread. Windows has jobs instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from router.upstream.process.usage import TreeUse, list_processes, tree_of, uses_of

log = logging.getLogger(__name__)

VARIABLE = "TOOLBOOTH_OWNER"
_PROC = Path("/proc")
_MARK = re.compile(rf"\b{VARIABLE}=([0-9a-f]+\.[0-9a-f]+)".encode("ascii"))
_ROUNDS = 10
"""Enough for those that were starting others while we looked."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the processes of one start of one server have in common."""

    router: str
    start: str

    def __str__(self) -> str:
        return f"{self.router}.{self.start}"

    @property
    def environment(self) -> dict[str, str]:
        return {VARIABLE: str(self)}


THIS_PROCESS = secrets.token_hex(8)
"""The owner of servers that are started on behalf of no data directory."""


def owner_of(data_dir: Path) -> str:
    """The router's part of the marks of all servers that routers on `data_dir` start."""
    return hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:16]


def new_mark(owner: str = THIS_PROCESS) -> Mark:
    return Mark(owner, secrets.token_hex(8))


def tree(leader: int, mark: Mark) -> set[int]:
    """All live processes of the server that `leader` was started as."""
    return tree_of({leader, *_with_mark(str(mark), _read_marks())}, list_processes())


def read_uses(marks: Mapping[int, Mark]) -> dict[int, TreeUse]:
    """What servers use, by the processes they were started as; only those that still run."""
    known = _read_marks() if marks else {}
    leaders = {pid: {pid, *_with_mark(str(mark), known)} for pid, mark in marks.items()}
    return uses_of(leaders, list_processes() if marks else ())


def end_tree(leader: int, mark: Mark) -> None:
    """Kill all that is left of a server."""
    if left := _end(lambda: tree(leader, mark)):
        log.error("%d processes of a server can't be killed", len(left))


def sweep(owner: str) -> int:
    """Kill what an earlier router left behind; how many that were. Never who started us."""
    spared = _ancestors()
    found = left_behind(owner) - spared
    if found:
        _end(lambda: left_behind(owner) - spared)
    return len(found)


def left_behind(owner: str) -> set[int]:
    """The processes of all servers that routers of this owner have started."""
    return tree_of(_with_mark(f"{owner}.", _read_marks()), list_processes())


def _with_mark(beginning: str, marks: Mapping[int, str]) -> set[int]:
    return {pid for pid, mark in marks.items() if mark.startswith(beginning)}


def _end(find: Callable[[], set[int]]) -> set[int]:
    """Kill what `find` finds until it finds nothing; what can't be killed is returned."""
    found: set[int] = set()
    for _ in range(_ROUNDS):
        found = find()
        if not found:
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    return found


def _ancestors() -> set[int]:
    """This process and those above it."""
    parents = {process.pid: process.parent for process in list_processes()}
    line = {os.getpid()}
    at = os.getpid()
    while (at := parents.get(at, 0)) and at not in line:
        line.add(at)
    return line


def marks_in_proc(folder: Path = _PROC) -> dict[int, str]:
    """The marks of all processes that have one; of other users' nothing is known."""
    marks: dict[int, str] = {}
    for entry in os.scandir(folder):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):  # it ended meanwhile, or is someone else's
                if found := _MARK.search(Path(entry.path, "environ").read_bytes()):
                    marks[int(entry.name)] = found[1].decode("ascii")
    return marks


def marks_by_ps(printed: bytes | None = None) -> dict[int, str]:
    """The same by way of macOS's `ps`, which doesn't tell the environment of Apple's programs."""
    if printed is None:
        command = ["/bin/ps", "-A", "-E", "-ww", "-o", "pid=,command="]
        printed = subprocess.run(  # noqa: S603 - a constant
            command, capture_output=True, timeout=5, check=False, env={"LC_ALL": "C"}
        ).stdout
    found = {line.split(None, 1)[0]: _MARK.search(line) for line in printed.splitlines()}
    return {int(pid): mark[1].decode("ascii") for pid, mark in found.items() if mark}


if sys.platform == "linux":
    _read_marks = marks_in_proc
elif sys.platform == "win32":
    _read_marks = dict[int, str]
else:
    _read_marks = marks_by_ps
