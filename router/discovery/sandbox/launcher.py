"""The launcher: a small process between us and a server, which confines it and watches it.

It forks. The child becomes the server (see `confining`); the parent answers the seccomp filter,
holds the tree to its limits, writes down what it saw, and leaves nobody behind. stdin and stdout
are the server's alone.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from router.discovery.sandbox import syscalls
from router.discovery.sandbox.confined_child import become
from router.discovery.sandbox.launch_spec import Order, unpacked
from router.discovery.sandbox.observations import Sightings
from router.discovery.sandbox.seccomp_notify import Watcher
from router.discovery.sandbox.watchdog import LOOK_EVERY_S, Watchdog, descendants, send

OVER_LIMIT = 124
_SIGNALLED = 128


def main(order_file: str) -> int:
    order = Order.read(Path(order_file))
    syscalls.adopt_orphans()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        become(order, unpacked(os.environ), theirs)
    theirs.close()
    return _Parent(order, child).run(ours)


class _Parent:
    def __init__(self, order: Order, child: int) -> None:
        self._order = order
        self._child = os.pidfd_open(child)
        self._pid = child
        self._seen = Sightings()
        self._told = ""
        self._dog = Watchdog(order.limits, self._seen)
        self._watcher: Watcher | None = None
        self._next_look = 0.0
        self._over = False

    def run(self, door: socket.socket) -> int:
        """Until the server ends, is told to, or takes too much; the exit code."""
        signal.signal(signal.SIGTERM, self._stop)
        _let_go_of_pipes()
        waiting = select.epoll()
        waiting.register(self._child, select.EPOLLIN)
        if (listener := _handed_over(door)) is not None:
            self._watcher = Watcher(listener, self._order, self._seen)
            waiting.register(listener, select.EPOLLIN)
        while not self._over:
            for descriptor, events in waiting.poll(max(0.0, self._next_look - time.monotonic())):
                if descriptor == self._child:
                    self._over = True
                elif events & select.EPOLLIN and self._watcher is not None:
                    self._watcher.answer_one()
                else:  # nobody is left who could ask
                    waiting.unregister(descriptor)
            self._look()
        return self._end()

    def _stop(self, *_: object) -> None:
        self._over = True

    def _look(self) -> None:
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + LOOK_EVERY_S
        self._over |= not self._dog.look()
        self._tell()

    def _tell(self) -> None:
        if (now := repr(self._seen)) != self._told:
            self._told = now
            with suppress(OSError):  # the folder is gone, and with it who wanted to know
                self._seen.write(Path(self._order.sightings))

    def _end(self) -> int:
        """Kill whoever is left; orphans have become our own children."""
        code = _reaped(self._pid)
        while left := descendants(os.getpid()):
            send(left, signal.SIGKILL)
            with suppress(ChildProcessError):
                pid, status = os.waitpid(-1, 0)
                if pid == self._pid:
                    code = os.waitstatus_to_exitcode(status)
        self._tell()
        if self._seen.killed:
            return OVER_LIMIT
        return 0 if code is None else code if code >= 0 else _SIGNALLED - code


def _reaped(pid: int) -> int | None:
    """How the child ended, if it has."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _handed_over(door: socket.socket) -> int | None:
    """The filter's listener; nothing if there is no filter, or the child ended first."""
    with door:
        _, listeners, *_ = socket.recv_fds(door, 1, 1)
    return listeners[0] if listeners else None


def _let_go_of_pipes() -> None:
    """Else the server's closing of its output would go unnoticed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
