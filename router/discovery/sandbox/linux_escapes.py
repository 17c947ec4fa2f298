"""Attempts of the self-test that only Linux has: system calls that reach other processes, files and
machines. Landlock restricts none of them; the seccomp filter and the namespaces must."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from router.discovery.sandbox import syscalls

_IO_PRIORITY_OF_PROCESS, _BEST_EFFORT = 1, 2 << 13
_WATCH_CHANGES = 2
_SENT_BY_QUEUE = -1


def linux_escapes(plan: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """One for each family of system calls that reaches other processes, files or machines."""
    pid: int = plan["pid"]
    thread = os.PRIO_PROCESS, pid
    attempts: dict[str, Callable[[], object]] = {
        "tkill": lambda: _call("tkill", pid, 0),
        "tgkill": lambda: _call("tgkill", pid, pid, 0),
        "rt_sigqueueinfo": lambda: _call("rt_sigqueueinfo", pid, 0, _signal_info()),
        "rt_tgsigqueueinfo": lambda: _call("rt_tgsigqueueinfo", pid, pid, 0, _signal_info()),
        "pidfd_send_signal": lambda: _call("pidfd_send_signal", os.pidfd_open(pid), 0, None, 0),
        "F_SETOWN": lambda: _own_signals_of_a_pipe(pid),
        "prlimit64": lambda: resource.prlimit(pid, resource.RLIMIT_CORE),
        "setpriority": lambda: os.setpriority(*thread, os.getpriority(*thread)),
        "sched_setaffinity": lambda: os.sched_setaffinity(pid, os.sched_getaffinity(pid)),
        "ioprio_set": lambda: _call("ioprio_set", _IO_PRIORITY_OF_PROCESS, pid, _BEST_EFFORT),
        "process_vm_readv": lambda: _read_memory(pid, plan["address"]),
        "shmat": lambda: _attach(plan["memory"]),
        "inotify_add_watch": lambda: _watch(plan["secret"]),
        "fchmod": lambda: _change_mode(plan["readable"]),
        "AF_VSOCK": lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close(),
    }
    if plan["shares_network"]:
        attempts["listen"] = _listen_without_bind
    return attempts


def _call(name: str, *arguments: Any) -> int:
    return syscalls.syscall(syscalls.numbers()[name], *arguments)


def _signal_info() -> ctypes.Array[ctypes.c_int]:
    """A `siginfo_t` of signal 0."""
    return (ctypes.c_int * 32)(0, 0, _SENT_BY_QUEUE)


def _own_signals_of_a_pipe(pid: int) -> None:
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(reader, fcntl.F_SETOWN, pid)
    finally:
        os.close(reader)
        os.close(writer)


def _read_memory(pid: int, address: int) -> None:
    syscalls.read_memory(pid, address, 1)


def _attach(memory: int) -> None:
    _call("shmat", memory, None, 0)


def _watch(path: str) -> None:
    descriptor = _call("inotify_init1", 0)
    try:
        _call("inotify_add_watch", descriptor, os.fsencode(path), _WATCH_CHANGES)
    finally:
        os.close(descriptor)


def _change_mode(path: str) -> None:
    with Path(path).open() as file:
        os.fchmod(file.fileno(), os.fstat(file.fileno()).st_mode)


def _listen_without_bind() -> None:
    with closing(socket.socket()) as listener:
        listener.listen()
