"""Linux system calls that Python does not provide, through `ctypes`."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

SYSCALLS: dict[str, dict[str, int]] = {
    "x86_64": {
        "open": 2, "openat": 257, "openat2": 437, "connect": 42, "sendto": 44, "sendmsg": 46,
        "sendmmsg": 307, "execve": 59, "execveat": 322, "clone": 56, "fork": 57, "vfork": 58,
        "clone3": 435, "socket": 41, "io_uring_setup": 425, "setsid": 112, "setpgid": 109,
        "kill": 62, "tkill": 200, "ptrace": 101, "unshare": 272, "setns": 308, "mount": 165,
        "umount2": 166, "pivot_root": 155, "chroot": 161, "bpf": 321, "keyctl": 250,
        "add_key": 248, "request_key": 249, "perf_event_open": 298, "userfaultfd": 323,
        "process_vm_readv": 310, "process_vm_writev": 311, "chmod": 90, "fchmodat": 268,
        "fchmodat2": 452, "chown": 92, "lchown": 94, "fchownat": 260, "utime": 132, "utimes": 235,
        "utimensat": 280, "futimesat": 261, "setxattr": 188, "lsetxattr": 189,
        "removexattr": 197, "lremovexattr": 198, "seccomp": 317, "pidfd_send_signal": 424,
        "rt_sigqueueinfo": 129, "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240,
        "open_by_handle_at": 304,
    },
    "aarch64": {
        "openat": 56, "openat2": 437, "connect": 203, "sendto": 206, "sendmsg": 211,
        "sendmmsg": 269, "execve": 221, "execveat": 281, "clone": 220, "clone3": 435,
        "socket": 198, "io_uring_setup": 425, "setsid": 157, "setpgid": 154, "kill": 129,
        "tkill": 130, "ptrace": 117, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39,
        "pivot_root": 41, "chroot": 51, "bpf": 280, "keyctl": 219, "add_key": 217,
        "request_key": 218, "perf_event_open": 241, "userfaultfd": 282, "process_vm_readv": 270,
        "process_vm_writev": 271, "fchmodat": 53, "fchmodat2": 452, "fchownat": 54,
        "utimensat": 88, "setxattr": 5, "lsetxattr": 6, "removexattr": 14, "lremovexattr": 15,
        "seccomp": 277, "pidfd_send_signal": 424, "rt_sigqueueinfo": 138, "shmget": 194,
        "msgget": 186, "semget": 190, "mq_open": 180, "open_by_handle_at": 265,
    },
}  # fmt: skip
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
    return SYSCALLS.get(MACHINE, {})


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
