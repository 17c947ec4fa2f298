"""Landlock: restricts this thread and its descendants to the given files."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from router.discovery.sandbox import syscalls

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ALL_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15  # and truncate, ioctl
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_CONNECT_AND_BIND_TCP = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3
_PATH_BENEATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """The kernel's Landlock ABI version; 0 without Landlock."""
    try:
        return syscalls.syscall(syscalls.LANDLOCK_CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def restrict(*, readable: Iterable[str], writable: Iterable[str], network: bool) -> None:
    """Restrict this thread. Needs `no_new_privileges`. Raises `OSError`."""
    known = version()
    handled = _ALL_BY_VERSION[max(v for v in _ALL_BY_VERSION if v <= known)]
    rules = _Ruleset(handled)
    if known >= 4 and not network:
        rules.net = _CONNECT_AND_BIND_TCP
    if known >= 6:
        rules.scoped = _ABSTRACT_SOCKETS_AND_SIGNALS
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = syscalls.syscall(syscalls.LANDLOCK_CREATE_RULESET, ctypes.byref(rules), size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for path in writable:
            _allow(ruleset, path, handled)
        syscalls.syscall(syscalls.LANDLOCK_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    """A path that does not exist needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not Path(path).is_dir():
            access &= _OF_FILES
        rule = _Beneath(access, descriptor)
        syscalls.syscall(syscalls.LANDLOCK_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)
