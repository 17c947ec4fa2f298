"""The launcher: a small process between the router and a server, which confines and observes it.

It forks. The child becomes the server (`confined_child`). The parent answers the notifications of
the seccomp filter, enforces the limits on the process tree, writes its observations, and kills
everything that is left at the end. stdin and stdout belong to the server alone.
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
from router.discovery.sandbox.confined_child import exec_server
from router.discovery.sandbox.launch_spec import OVER_LIMIT, LaunchSpec, unpack_environment
from router.discovery.sandbox.observations import Observations
from router.discovery.sandbox.seccomp_notify import SeccompSupervisor
from router.discovery.sandbox.watchdog import CHECK_INTERVAL_S, Watchdog, descendants, send_signal

_SIGNALLED = 128


def main(spec_file: str) -> int:
    spec = LaunchSpec.read(Path(spec_file))
    syscalls.adopt_orphans()
    parent_end, child_end = socket.socketpair()
    child = os.fork()
    if child == 0:
        parent_end.close()
        exec_server(spec, unpack_environment(os.environ), child_end)
    child_end.close()
    return _Parent(spec, child).run(parent_end)


class _Parent:
    def __init__(self, spec: LaunchSpec, child: int) -> None:
        self._spec = spec
        self._child = os.pidfd_open(child)
        self._pid = child
        self._observations = Observations()
        self._written = ""
        self._watchdog = Watchdog(spec.limits, self._observations)
        self._supervisor: SeccompSupervisor | None = None
        self._next_check = 0.0
        self._ended = False

    def run(self, channel: socket.socket) -> int:
        """Until the server ends, is stopped or exceeds a limit; the exit code."""
        signal.signal(signal.SIGTERM, self._stop)
        _release_pipes()
        poller = select.epoll()
        poller.register(self._child, select.EPOLLIN)
        if (listener := _received_listener(channel)) is not None:
            self._supervisor = SeccompSupervisor(listener, self._spec, self._observations)
            poller.register(listener, select.EPOLLIN)
        while not self._ended:
            for descriptor, events in poller.poll(max(0.0, self._next_check - time.monotonic())):
                if descriptor == self._child:
                    self._ended = True
                elif events & select.EPOLLIN and self._supervisor is not None:
                    self._supervisor.answer_one()
                else:  # no filtered process is left
                    poller.unregister(descriptor)
            self._check()
        return self._end()

    def _stop(self, *_: object) -> None:
        self._ended = True

    def _check(self) -> None:
        if time.monotonic() < self._next_check:
            return
        self._next_check = time.monotonic() + CHECK_INTERVAL_S
        self._ended |= not self._watchdog.is_within_limits()
        self._write()

    def _write(self) -> None:
        if (current := repr(self._observations)) != self._written:
            self._written = current
            with suppress(OSError):  # the folder was removed: the run is over
                self._observations.write(Path(self._spec.observations))

    def _end(self) -> int:
        """Kill the processes that are left; orphans have become our children."""
        code = _reaped(self._pid)
        while left := descendants(os.getpid()):
            send_signal(left, signal.SIGKILL)
            with suppress(ChildProcessError):
                pid, status = os.waitpid(-1, 0)
                if pid == self._pid:
                    code = os.waitstatus_to_exitcode(status)
        self._write()
        if self._observations.killed:
            return OVER_LIMIT
        return 0 if code is None else code if code >= 0 else _SIGNALLED - code


def _reaped(pid: int) -> int | None:
    """The exit code of the child, if it has ended."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _received_listener(channel: socket.socket) -> int | None:
    """The filter's listener; None if there is no filter, or the child ended first."""
    with channel:
        _, listeners, *_ = socket.recv_fds(channel, 1, 1)
    return listeners[0] if listeners else None


def _release_pipes() -> None:
    """Otherwise the router would not notice that the server closed its output."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
