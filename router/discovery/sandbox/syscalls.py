"""Linux system calls that Python does not provide, through `ctypes`."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

from router.discovery.sandbox.syscall_numbers import SYSCALL_NUMBERS

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINE = platform.machine()

LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PAGE = 4096

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def numbers() -> dict[str, int]:
    """The system call numbers of this machine by name; empty for an unknown one."""
    return SYSCALL_NUMBERS.get(MACHINE, {})


def syscall(number: int, *arguments: Any) -> int:
    """Raises `OSError`."""
    # The kernel reads whole registers; a plain int would leave the upper half of one undefined.
    words = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    return _checked(_libc.syscall(ctypes.c_long(number), *words))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _prctl(option: int, value: int) -> None:
    _checked(_libc.prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))))


def no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(signal_number: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal_number)


def adopt_orphans() -> None:
    """Descendants whose parents have ended become our children from now on."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


class _IoVec(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def read_memory(pid: int, address: int, size: int) -> bytes:
    """Bytes of another process, fewer where its memory ends. Raises `OSError`."""
    buffer = ctypes.create_string_buffer(size)
    ours = _IoVec(ctypes.cast(buffer, ctypes.c_void_p), size)
    theirs = _IoVec(address, size)
    call = numbers()["process_vm_readv"]
    count = syscall(call, pid, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
    return buffer.raw[:count]


def read_text(pid: int, address: int, limit: int = 4096) -> str:
    """A zero-terminated text of another process, read page by page: the next may not be mapped."""
    found = b""
    while len(found) < limit:
        found += (part := read_memory(pid, address, _PAGE - address % _PAGE))
        if b"\0" in part or not part:
            break
        address += len(part)
    return os.fsdecode(found.split(b"\0", 1)[0])
