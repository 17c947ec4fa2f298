"""Confines the worker's process before it gets a script: no files, processes or network.

The Lua sandbox offers none of these. This is the second line of defence: code that escapes from Lua
is in a process that can only compute, use its two pipes, and exit.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
import time

_NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS
_SET_SECCOMP, _FILTER_MODE = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM
_LOAD, _EQUALS, _RETURN = 0x20, 0x15, 0x06  # BPF: ld [k], jeq k, ret k
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4

# read, write, close, mmap, mprotect, munmap, brk, rt_sigaction, rt_sigprocmask, rt_sigreturn,
# mremap, madvise, getpid, exit, sigaltstack, futex, clock_gettime, exit_group, getrandom
_CALLS = {
    "x86_64": (
        0xC000003E,
        (0, 1, 3, 9, 10, 11, 12, 13, 14, 15, 25, 28, 39, 60, 131, 202, 228, 231, 318),
    ),
    "aarch64": (
        0xC00000B7,
        (63, 64, 57, 222, 226, 215, 214, 134, 135, 139, 216, 233, 172, 93, 132, 98, 113, 94, 278),
    ),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.c_char_p))


def confine(*, cpu_s: int, memory_bytes: int) -> list[str]:
    """Apply every restriction this platform has; their names, for the tests."""
    time.localtime()  # reads the time zone's file, which os.date needs
    applied: list[str] = []
    if sys.platform != "win32":
        _limit(cpu_s, memory_bytes)
        applied.append("limits")
    if sys.platform == "linux" and _filter_calls():
        applied.append("system calls")
    return applied


if sys.platform != "win32":
    import resource

    def _limit(cpu_s: int, memory_bytes: int) -> None:
        """Hard limits, which the process itself can't raise."""
        limits = {
            resource.RLIMIT_CPU: cpu_s,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_NOFILE: 0,
            resource.RLIMIT_NPROC: 0,
        }
        if sys.platform == "linux":
            limits[resource.RLIMIT_AS] = memory_bytes
        for kind, limit in limits.items():
            resource.setrlimit(kind, (limit, limit))


def _filter_calls() -> bool:
    """A seccomp filter that refuses all system calls except those needed to compute."""
    architecture, numbers = _CALLS.get(platform.machine(), (0, ()))
    if not numbers:
        return False
    refused = len(numbers)
    instructions = [  # code, jump if true, jump if false, value
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUALS, 0, refused + 1, architecture),
        (_LOAD, 0, 0, _NUMBER_AT),
        *((_EQUALS, refused - i, 0, number) for i, number in enumerate(numbers)),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    packed = b"".join(struct.pack("=HBBI", *each) for each in instructions)
    program = _Program(len(instructions), packed)
    libc = ctypes.CDLL(None)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0) == 0
