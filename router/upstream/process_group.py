"""The process tree of POSIX: a process group, and a guardian that outlives us to end it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import IO, cast


class Guardian:
    """A shell that kills our process groups when we die, even of SIGKILL.

    It reads the list of groups from a pipe of which we hold the other end, so the system itself
    tells it. The usual ways won't do: Linux's parent-death signal has to be set between fork and
    exec, where running Python is unsafe while other threads (Qt's) may hold locks, it reaches only
    the direct child, and macOS has nothing like it. Runs only while there is a group to watch.
    """

    _SCRIPT = 'while read -r l; do g=$l; done; for i in $g; do kill -s KILL -- "-$i"; done'

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    @property
    def shell_pid(self) -> int | None:
        return None if self._shell is None else self._shell.pid

    def watch(self, group: int) -> None:
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
        line = " ".join(map(str, sorted(self._groups)))
        with contextlib.suppress(BrokenPipeError):  # it was killed just now: told anew next time
            cast(IO[bytes], self._shell.stdin).write(f"{line}\n".encode())

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - a constant
            ["/bin/sh", "-c", self._SCRIPT],
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


_guardian = Guardian()


class ProcessGroup:
    """The POSIX tree: the group led by a process that was started in a session of its own."""

    def __init__(self, leader: int, guardian: Guardian = _guardian) -> None:
        self._id = leader
        self._guardian = guardian
        guardian.watch(leader)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def release(self) -> None:
        self._guardian.release(self._id)

    def _signal(self, number: int) -> None:
        # macOS says "not permitted" where only zombies are left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._id, number)
