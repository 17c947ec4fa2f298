"""Seccomp: filters for system calls, as BPF programs.

A filter allows a call, fails it with an error, or notifies the supervisor: then the call waits for
the answer of `seccomp_notify`. What a filter forbids depends on registers alone, so a program can't
change it between check and use.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from router.discovery.sandbox import syscalls

ALLOW = 0x7FFF0000
USER_NOTIF = 0x7FC00000
_ERRNO = 0x00050000

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP_EQUAL, _JUMP_ANY_BIT, _JUMP_AT_LEAST = 0x15, 0x45, 0x35
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_X32_CALLS = 0x40000000
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_TYPE_MASK, _STREAM = 0xF, 1
_FAST_OPEN = 0x20000000
_NEW_NAMESPACES = 0x7E020080
"""All the CLONE_NEW flags."""


def fail_with(code: int) -> int:
    return _ERRNO | code


@dataclass(frozen=True, slots=True)
class Instruction:
    """One BPF instruction."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0

    def pack(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.if_true, self.if_false, self.value)


def _argument(index: int, *, high: bool = False) -> Instruction:
    return Instruction(_LOAD, _ARGUMENTS_AT + 8 * index + (4 if high else 0))


def _unless_zero(index: int, action: int) -> list[Instruction]:
    """`action` if a pointer argument is not null."""
    return [
        _argument(index),
        Instruction(_JUMP_EQUAL, 0, 0, 2),
        _argument(index, high=True),
        Instruction(_JUMP_EQUAL, 0, 1, 0),
        Instruction(_RETURN, action),
    ]


def _if_bits(index: int, bits: int, action: int) -> list[Instruction]:
    return [_argument(index), Instruction(_JUMP_ANY_BIT, bits, 0, 1), Instruction(_RETURN, action)]


def _socket_rules(network: bool) -> list[Instruction]:
    """Streams are allowed: they reach nothing without `connect`. Datagrams need no `connect`, so
    creating such a socket for the internet is reported and refused."""
    datagram = ALLOW if network else USER_NOTIF
    unknown = fail_with(errno.EAFNOSUPPORT)
    return [
        _argument(0),
        Instruction(_JUMP_EQUAL, _AF_NETLINK, 0, 1),
        Instruction(_RETURN, ALLOW),
        Instruction(_JUMP_EQUAL, _AF_UNIX, 0, 4),
        _argument(1),
        Instruction(_AND, _TYPE_MASK),
        Instruction(_JUMP_EQUAL, _STREAM, 0, 6),
        Instruction(_RETURN, ALLOW),
        Instruction(_JUMP_EQUAL, _AF_INET, 1, 0),
        Instruction(_JUMP_EQUAL, _AF_INET6, 0, 3),
        _argument(1),
        Instruction(_AND, _TYPE_MASK),
        Instruction(_JUMP_EQUAL, _STREAM, 1, 2),
        Instruction(_RETURN, unknown),
        Instruction(_RETURN, ALLOW),
        Instruction(_RETURN, datagram),
    ]


Rule = int | list[Instruction]


def observation_rules() -> dict[str, Rule]:
    """Reported at every level: files, peers, programs, new processes."""
    notified = (
        "open openat openat2 connect sendto sendmsg sendmmsg execve execveat clone fork vfork"
    ).split()
    # Without clone3 and io_uring, programs use calls whose arguments can be read.
    hidden = {name: fail_with(errno.ENOSYS) for name in ("clone3", "io_uring_setup")}
    return {**dict.fromkeys(notified, USER_NOTIF), **hidden}


def bubblewrap_rules() -> dict[str, Rule]:
    """Forbidden inside bubblewrap: no server needs these to list its tools."""
    names = (
        "ptrace unshare setns mount umount2 pivot_root chroot bpf keyctl add_key request_key "
        "perf_event_open userfaultfd open_by_handle_at"
    ).split()
    return {
        **dict.fromkeys(names, fail_with(errno.EPERM)),
        "clone3": fail_with(errno.ENOSYS),
        "clone": _if_bits(0, _NEW_NAMESPACES, fail_with(errno.EPERM)),
    }


def landlock_rules(network: bool) -> dict[str, Rule]:
    """Added to Landlock, which covers neither all sockets nor file attributes: no connections, no
    signals to others, no leaving of the process group, no changes to files it can't open."""
    forbidden = (
        "setsid setpgid chmod fchmodat fchmodat2 chown lchown fchownat utime utimes utimensat "
        "futimesat setxattr lsetxattr removexattr lremovexattr process_vm_readv process_vm_writev "
        "pidfd_send_signal rt_sigqueueinfo tkill shmget msgget semget mq_open"
    ).split()
    fast_open = fail_with(errno.EACCES)
    rules: dict[str, Rule] = {
        **observation_rules(),
        **bubblewrap_rules(),
        **dict.fromkeys(forbidden, fail_with(errno.EPERM)),
        "clone": [
            *_if_bits(0, _NEW_NAMESPACES, fail_with(errno.EPERM)),
            Instruction(_RETURN, USER_NOTIF),
        ],
        "kill": USER_NOTIF,
        "socket": _socket_rules(network),
    }
    if not network:
        rules["sendto"] = _unless_zero(4, fast_open)
        rules["sendmsg"] = _if_bits(2, _FAST_OPEN, fast_open)
        rules["sendmmsg"] = _if_bits(3, _FAST_OPEN, fast_open)
    return rules


def assemble(rules: Mapping[str, Rule]) -> bytes:
    """The BPF program for this machine, without the calls that it does not have."""
    numbers = syscalls.numbers()
    ops = [
        Instruction(_LOAD, _ARCH_AT),
        Instruction(_JUMP_EQUAL, syscalls.AUDIT_ARCH[syscalls.MACHINE], 1, 0),
        Instruction(_RETURN, fail_with(errno.ENOSYS)),
        Instruction(_LOAD, _NUMBER_AT),
    ]
    if syscalls.MACHINE == "x86_64":
        ops += [
            Instruction(_JUMP_AT_LEAST, _X32_CALLS, 0, 1),
            Instruction(_RETURN, fail_with(errno.ENOSYS)),
        ]
    for name, rule in rules.items():
        if name in numbers:
            ops += _case(numbers[name], rule)
    ops.append(Instruction(_RETURN, ALLOW))
    return b"".join(op.pack() for op in ops)


def _case(number: int, rule: Rule) -> Iterable[Instruction]:
    before, action = ([], rule) if isinstance(rule, int) else (rule, ALLOW)
    body = [*before, Instruction(_RETURN, action)]
    return [Instruction(_JUMP_EQUAL, number, 0, len(body)), *body]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("ops", ctypes.c_char_p))


def install(program: bytes) -> int:
    """Filter this thread and all it starts; the listener. Needs `no_new_privileges`. Raises
    `OSError`."""
    loaded = _Program(len(program) // 8, program)
    number = syscalls.numbers()["seccomp"]
    return syscalls.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(loaded))
