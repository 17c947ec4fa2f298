"""Seccomp: filters over system calls, written in the kernel's own small language.

A filter answers each call with allow, an error, or "ask": then the call waits until whoever holds
the listener has answered (see `watching`). What a filter forbids it decides by registers alone, so
nobody can change its mind between the look and the deed.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from router.discovery.sandbox import syscalls

ALLOW = 0x7FFF0000
ASK = 0x7FC00000
_ERRNO = 0x00050000

_LOAD, _JUMP_EQUAL, _JUMP_ANY_BIT, _JUMP_AT_LEAST, _RETURN, _AND = (
    0x20,
    0x15,
    0x45,
    0x35,
    0x06,
    0x54,
)
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_X32_CALLS = 0x40000000
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_TYPE_MASK, _STREAM = 0xF, 1
_FAST_OPEN = 0x20000000
_NEW_NAMESPACES = 0x7E020080
"""All the CLONE_NEW flags."""


def refuse(code: int) -> int:
    return _ERRNO | code


@dataclass(frozen=True, slots=True)
class Op:
    """One instruction."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0

    def packed(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.if_true, self.if_false, self.value)


def _argument(index: int, *, high: bool = False) -> Op:
    return Op(_LOAD, _ARGUMENTS_AT + 8 * index + (4 if high else 0))


def _unless_zero(index: int, answer: int) -> list[Op]:
    """`answer` if an argument, a pointer, is given."""
    return [
        _argument(index),
        Op(_JUMP_EQUAL, 0, 0, 2),
        _argument(index, high=True),
        Op(_JUMP_EQUAL, 0, 1, 0),
        Op(_RETURN, answer),
    ]


def _if_bits(index: int, bits: int, answer: int) -> list[Op]:
    return [_argument(index), Op(_JUMP_ANY_BIT, bits, 0, 1), Op(_RETURN, answer)]


def _socket_rules(network: bool) -> list[Op]:
    """Streams only, which go nowhere without `connect`; datagrams need no `connect`, so whoever
    makes such a socket for the internet is asked about and refused."""
    datagram = ALLOW if network else ASK
    unknown = refuse(errno.EAFNOSUPPORT)
    return [
        _argument(0),
        Op(_JUMP_EQUAL, _AF_NETLINK, 0, 1),
        Op(_RETURN, ALLOW),
        Op(_JUMP_EQUAL, _AF_UNIX, 0, 4),
        _argument(1),
        Op(_AND, _TYPE_MASK),
        Op(_JUMP_EQUAL, _STREAM, 0, 6),
        Op(_RETURN, ALLOW),
        Op(_JUMP_EQUAL, _AF_INET, 1, 0),
        Op(_JUMP_EQUAL, _AF_INET6, 0, 3),
        _argument(1),
        Op(_AND, _TYPE_MASK),
        Op(_JUMP_EQUAL, _STREAM, 1, 2),
        Op(_RETURN, unknown),
        Op(_RETURN, ALLOW),
        Op(_RETURN, datagram),
    ]


Rule = int | list[Op]


def watching_rules() -> dict[str, Rule]:
    """What is asked about at every level: files, peers, programs, new processes."""
    asked = (
        "open openat openat2 connect sendto sendmsg sendmmsg execve execveat clone fork vfork"
    ).split()
    # Without clone3 and io_uring, everyone falls back to calls whose arguments can be seen.
    hidden = {name: refuse(errno.ENOSYS) for name in ("clone3", "io_uring_setup")}
    return {**dict.fromkeys(asked, ASK), **hidden}


def inner_rules() -> dict[str, Rule]:
    """What nobody needs inside bubblewrap who only lists tools."""
    names = (
        "ptrace unshare setns mount umount2 pivot_root chroot bpf keyctl add_key request_key "
        "perf_event_open userfaultfd open_by_handle_at"
    ).split()
    return {
        **dict.fromkeys(names, refuse(errno.EPERM)),
        "clone3": refuse(errno.ENOSYS),
        "clone": _if_bits(0, _NEW_NAMESPACES, refuse(errno.EPERM)),
    }


def confining_rules(network: bool) -> dict[str, Rule]:
    """With Landlock, which knows neither sockets (all of them) nor attributes of files: nobody
    connects, signals others, leaves the process group or changes what it can't open."""
    forbidden = (
        "setsid setpgid chmod fchmodat fchmodat2 chown lchown fchownat utime utimes utimensat "
        "futimesat setxattr lsetxattr removexattr lremovexattr process_vm_readv process_vm_writev "
        "pidfd_send_signal rt_sigqueueinfo tkill shmget msgget semget mq_open"
    ).split()
    fast_open = refuse(errno.EACCES)
    rules: dict[str, Rule] = {
        **watching_rules(),
        **inner_rules(),
        **dict.fromkeys(forbidden, refuse(errno.EPERM)),
        "clone": [*_if_bits(0, _NEW_NAMESPACES, refuse(errno.EPERM)), Op(_RETURN, ASK)],
        "kill": ASK,
        "socket": _socket_rules(network),
    }
    if not network:
        rules["sendto"] = _unless_zero(4, fast_open)
        rules["sendmsg"] = _if_bits(2, _FAST_OPEN, fast_open)
        rules["sendmmsg"] = _if_bits(3, _FAST_OPEN, fast_open)
    return rules


def assemble(rules: Mapping[str, Rule]) -> bytes:
    """The program for this machine. Calls it doesn't have are left out."""
    numbers = syscalls.numbers()
    ops = [
        Op(_LOAD, _ARCH_AT),
        Op(_JUMP_EQUAL, syscalls.AUDIT_ARCH[syscalls.MACHINE], 1, 0),
        Op(_RETURN, refuse(errno.ENOSYS)),
        Op(_LOAD, _NUMBER_AT),
    ]
    if syscalls.MACHINE == "x86_64":
        ops += [Op(_JUMP_AT_LEAST, _X32_CALLS, 0, 1), Op(_RETURN, refuse(errno.ENOSYS))]
    for name, rule in rules.items():
        if name in numbers:
            ops += _case(numbers[name], rule)
    ops.append(Op(_RETURN, ALLOW))
    return b"".join(op.packed() for op in ops)


def _case(number: int, rule: Rule) -> Iterable[Op]:
    body = [Op(_RETURN, rule)] if isinstance(rule, int) else [*rule, Op(_RETURN, ALLOW)]
    return [Op(_JUMP_EQUAL, number, 0, len(body)), *body]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("ops", ctypes.c_char_p))


def install(program: bytes) -> int:
    """Filter this thread and all it starts; the listener. Needs `no_new_privileges`. Raises
    `OSError`."""
    loaded = _Program(len(program) // 8, program)
    number = syscalls.numbers()["seccomp"]
    return syscalls.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(loaded))
