"""The process tree of POSIX: a process group and those that left it, and a guardian that outlives
us to end them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import IO, cast

from router.upstream.process.tracking import VARIABLE, Mark, end_tree

_FIND_IN_PROC = 'grep -ls "$m" /proc/[0-9]*/environ | tr -dc "0-9\\n"'
# A shell has nothing else on macOS, where `ps` is part of the system.
_FIND_BY_PS = (
    "/bin/ps -A -E -ww -o pid=,command= | "
    'while read -r p c; do case $c in *"$m"*) echo "$p";; esac; done'
)
# If we die before it has heard the whole owner, it must not take nothing for everything.
SCRIPT = f"""
read -r m
case $m in {VARIABLE}=?*.) ;; *) exit;; esac
while read -r l; do g=$l; done
for i in $g; do kill -s KILL -- "-$i"; done
for n in 1 2 3 4 5 6 7 8 9; do
  f=$({_FIND_IN_PROC if sys.platform == "linux" else _FIND_BY_PS})
  [ -n "$f" ] || exit
  for i in $f; do kill -s KILL "$i"; done
done
"""

# Of our own: the threads everyone shares may be waiting for a person to unlock a keyring.
_looking = ThreadPoolExecutor(1, thread_name_prefix="processes")


class Guardian:
    """A shell that kills the servers of one owner when we die, even of SIGKILL.

    It reads from a pipe, of which we hold the other end, first the owner and then the list of
    groups, so the system itself tells it. The usual ways won't do: Linux's parent-death signal has
    to be set between fork and exec, where running Python is unsafe while other threads (Qt's) may
    hold locks, it reaches only the direct child, and macOS has nothing like it. Runs only while
    there is a group to watch.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    @property
    def shell_pid(self) -> int | None:
        return None if self._shell is None else self._shell.pid

    def watch(self, group: int) -> None:
        if group <= 1:  # which would mean everybody
            raise ValueError(f"{group} is no group of ours")
        self._groups.add(group)
        self._tell()

    def release(self, group: int) -> None:
        self._groups.discard(group)
        if self._groups:
            self._tell()
        else:
            self._dismiss()

    def _tell(self) -> None:
        if self._shell is None or self._shell.poll() is not None:
            self._dismiss()
            self._shell = self._start()
            self._say(f"{VARIABLE}={self._owner}.")
        self._say(" ".join(map(str, sorted(self._groups))))

    def _say(self, line: str) -> None:
        shell = cast("subprocess.Popen[bytes]", self._shell)
        with contextlib.suppress(BrokenPipeError):  # it was killed just now: told anew next time
            cast(IO[bytes], shell.stdin).write(f"{line}\n".encode())

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - a constant
            ["/bin/sh", "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            start_new_session=True,  # what is sent to our group must not hit the guardian
        )

    def _dismiss(self) -> None:
        """With nothing to guard it may be killed outright, so waiting for it takes no time."""
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.kill()
            self._shell.stdin.close()
            self._shell.wait()
        self._shell = None


_guardians: dict[str, Guardian] = {}
"""By owner, of which there is one in every process but those that run tests."""


def guardian_of(owner: str) -> Guardian:
    if owner not in _guardians:
        _guardians[owner] = Guardian(owner)
    return _guardians[owner]


class ProcessGroup:
    """The group led by a process that was started in a session of its own, and whoever has its
    mark."""

    def __init__(self, leader: int, mark: Mark) -> None:
        self._id = leader
        self._mark = mark
        self._guardian = guardian_of(mark.router)
        self._guardian.watch(leader)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    async def end(self) -> None:
        self.kill()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(_looking, end_tree, self._id, self._mark)

    def release(self) -> None:
        self._guardian.release(self._id)

    def _signal(self, number: int) -> None:
        # macOS says "not permitted" where only zombies are left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._id, number)
