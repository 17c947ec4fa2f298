"""Seccomp: filters for system calls, as BPF programs. What they forbid is in `seccomp_rules`.

A filter allows a call, fails it with an error, or notifies the supervisor: then the call waits for
the answer of `seccomp_notify`.
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

JUMP_EQUAL, AND = 0x15, 0x54
_LOAD, _RETURN, _JUMP_ANY_BIT, _JUMP_AT_LEAST = 0x20, 0x06, 0x45, 0x35
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16
_X32_CALLS = 0x40000000
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8


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


Rule = int | list[Instruction]
"""What happens to a call: an action, or instructions that end in allowing it unless they return."""


def argument(index: int, *, high: bool = False) -> Instruction:
    return Instruction(_LOAD, _ARGUMENTS_AT + 8 * index + (4 if high else 0))


def returning(action: int) -> Instruction:
    return Instruction(_RETURN, action)


def unless_zero(index: int, action: int) -> list[Instruction]:
    """`action` if a pointer argument is not null."""
    return [
        argument(index),
        Instruction(JUMP_EQUAL, 0, 0, 2),
        argument(index, high=True),
        Instruction(JUMP_EQUAL, 0, 1, 0),
        returning(action),
    ]


def if_bits(index: int, bits: int, action: int) -> list[Instruction]:
    return [argument(index), Instruction(_JUMP_ANY_BIT, bits, 0, 1), returning(action)]


def unless_one_of(index: int, values: Iterable[int], action: int) -> list[Instruction]:
    """`action` if an argument that the kernel reads as 32 bits is none of `values`."""
    known = tuple(values)
    return [
        argument(index),
        *(Instruction(JUMP_EQUAL, value, len(known) - i) for i, value in enumerate(known)),
        returning(action),
    ]


def assemble(rules: Mapping[str, Rule], otherwise: int = ALLOW) -> bytes:
    """The BPF program for this machine, without the calls that it does not have. `otherwise` is
    what happens to calls without a rule."""
    numbers = syscalls.numbers()
    ops = [
        Instruction(_LOAD, _ARCH_AT),
        Instruction(JUMP_EQUAL, syscalls.AUDIT_ARCH[syscalls.MACHINE], 1, 0),
        returning(fail_with(errno.ENOSYS)),
        Instruction(_LOAD, _NUMBER_AT),
    ]
    if syscalls.MACHINE == "x86_64":
        ops += [
            Instruction(_JUMP_AT_LEAST, _X32_CALLS, 0, 1),
            returning(fail_with(errno.ENOSYS)),
        ]
    for name, rule in rules.items():
        if name in numbers:
            ops += _case(numbers[name], rule)
    ops.append(returning(otherwise))
    return b"".join(op.pack() for op in ops)


def _case(number: int, rule: Rule) -> Iterable[Instruction]:
    before, action = ([], rule) if isinstance(rule, int) else (rule, ALLOW)
    body = [*before, returning(action)]
    return [Instruction(JUMP_EQUAL, number, 0, len(body)), *body]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("ops", ctypes.c_char_p))


def install(program: bytes) -> int:
    """Filter this thread and all it starts; the listener. Needs `no_new_privileges`. Raises
    `OSError`."""
    loaded = _Program(len(program) // 8, program)
    number = syscalls.numbers()["seccomp"]
    return syscalls.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(loaded))
