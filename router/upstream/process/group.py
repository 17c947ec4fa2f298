"""The process tree on POSIX: a process group and processes that left it, and a guardian that
outlives us and kills them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import IO, cast

from router.upstream.process.process_table import MARK_VARIABLE
from router.upstream.process.tracking import ProcessMark, end_tree

_FIND_IN_PROC = 'grep -ls "$m" /proc/[0-9]*/environ | tr -dc "0-9\\n"'
# A shell has nothing else on macOS, where `ps` is part of the system.
_FIND_BY_PS = (
    "/bin/ps -A -E -ww -o pid=,command= | "
    'while read -r p c; do case $c in *"$m"*) echo "$p";; esac; done'
)
# If we die before it has read the whole owner, an empty owner must not match every process.
SCRIPT = f"""
read -r m
case $m in {MARK_VARIABLE}=?*.) ;; *) exit;; esac
while read -r l; do g=$l; done
for i in $g; do kill -s KILL -- "-$i"; done
for n in 1 2 3 4 5 6 7 8 9; do
  f=$({_FIND_IN_PROC if sys.platform == "linux" else _FIND_BY_PS})
  [ -n "$f" ] || exit
  for i in $f; do kill -s KILL "$i"; done
done
"""

# Its own pool: the threads of the default executor may be waiting for a keyring.
_executor = ThreadPoolExecutor(1, thread_name_prefix="processes")


class Guardian:
    """A shell that kills the servers of one owner when we die, even by SIGKILL.

    It reads the owner and then the list of groups from a pipe, which the system closes when we die.
    A parent-death signal is no alternative: it has to be set between fork and exec, where running
    Python is unsafe while other threads (Qt's) may hold locks, it reaches only the direct child,
    and macOS has none. Runs only while there is a group to watch.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    @property
    def shell_pid(self) -> int | None:
        return None if self._shell is None else self._shell.pid

    def watch(self, group: int) -> None:
        if group <= 1:  # which would mean every process
            raise ValueError(f"{group} is not one of our groups")
        self._groups.add(group)
        self._send_groups()

    def release(self, group: int) -> None:
        self._groups.discard(group)
        if self._groups:
            self._send_groups()
        else:
            self._stop_shell()

    def _send_groups(self) -> None:
        if self._shell is None or self._shell.poll() is not None:
            self._stop_shell()
            self._shell = self._start()
            self._write_line(f"{MARK_VARIABLE}={self._owner}.")
        self._write_line(" ".join(map(str, sorted(self._groups))))

    def _write_line(self, line: str) -> None:
        shell = cast("subprocess.Popen[bytes]", self._shell)
        # If it was just killed, the next one gets the whole list.
        with contextlib.suppress(BrokenPipeError):
            cast(IO[bytes], shell.stdin).write(f"{line}\n".encode())

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - a constant
            ["/bin/sh", "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
            start_new_session=True,  # signals to our group must not reach the guardian
        )

    def _stop_shell(self) -> None:
        """Without groups it can be killed, so waiting for it takes no time."""
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.kill()
            self._shell.stdin.close()
            self._shell.wait()
        self._shell = None


_guardians: dict[str, Guardian] = {}
"""By owner; only tests have more than one in a process."""


def guardian_of(owner: str) -> Guardian:
    if owner not in _guardians:
        _guardians[owner] = Guardian(owner)
    return _guardians[owner]


class ProcessGroup:
    """The group of a process that was started in its own session, and all processes with its
    mark."""

    def __init__(self, leader: int, mark: ProcessMark) -> None:
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
        await loop.run_in_executor(_executor, end_tree, self._id, self._mark)

    def release(self) -> None:
        self._guardian.release(self._id)

    def _signal(self, number: int) -> None:
        # macOS raises PermissionError if only zombies are left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._id, number)
