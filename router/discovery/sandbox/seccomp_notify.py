"""The supervisor of a seccomp filter: receives its notifications, records and answers them.

One call at a time, while the server waits: this must be fast. Reading the arguments is for the
receipt only. Where a call continues, another mechanism forbids what must not happen, because a
server can change the memory of an argument after it was read.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

from router.discovery.sandbox import syscalls
from router.discovery.sandbox.launch_spec import LaunchSpec
from router.discovery.sandbox.observations import Observations, is_own
from router.discovery.sandbox.watchdog import stat_fields

_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_SYNC_WAKE_UP = 1
_CONTINUE = 1
_CALL = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_AT_FDCWD = -100
_DNS_HEADER = 12
_DNS_PORTS = (53, 5353)


class SeccompSupervisor:
    """Answers the notifications of `listener`."""

    def __init__(self, listener: int, spec: LaunchSpec, observations: Observations) -> None:
        self._listener = listener
        self._spec = spec
        self._observations = observations
        self._own = (*spec.readable, spec.home, "/tmp")  # noqa: S108 - of the sandbox
        self._names = {number: name for name, number in syscalls.numbers().items()}
        self._started = False
        """Whether the server's own program runs: earlier calls were ours."""
        observations.watched = True
        with suppress(OSError):  # an older kernel: slower, otherwise the same
            fcntl.ioctl(listener, _SET_FLAGS, _SYNC_WAKE_UP)

    def answer_one(self) -> None:
        """Receive the next notification and answer it."""
        buffer = bytearray(_CALL.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, buffer)
        except OSError:  # the process has ended
            return
        call_id, pid, _, number, _, _, *arguments = _CALL.unpack(buffer)
        error = self._decide(self._names.get(number, ""), pid, arguments)
        answer = _ANSWER.pack(call_id, 0, -error, 0 if error else _CONTINUE)
        with suppress(OSError):  # the process was killed in the meantime
            fcntl.ioctl(self._listener, _SEND, answer)

    def _decide(self, name: str, pid: int, arguments: list[int]) -> int:
        """Record the call; the errno to fail it with, or 0 to continue."""
        try:
            match name:
                case "clone" | "fork" | "vfork":
                    return self._task()
                case "kill" | "tkill" | "tgkill" | "rt_sigqueueinfo" | "rt_tgsigqueueinfo":
                    return self._signal(pid, arguments[0])
                case "socket":
                    self._observations.add("hosts", "a name or address, by datagram")
                    return errno.EACCES
                case "connect":
                    return self._connect(pid, arguments[1], arguments[2])
                case "execve":
                    self._execute(pid, arguments[0])
                case "execveat":
                    self._execute(pid, arguments[1])
                case _ if self._started:
                    self._record(name, pid, arguments)
                case _:
                    pass
        except OSError:
            self._observations.incomplete = True
            if name == "connect" and self._spec.profile.level < 3 and not self._spec.network:
                return errno.ENETUNREACH
        return 0

    def _record(self, name: str, pid: int, arguments: list[int]) -> None:
        """Record the files and names that the server itself asks for."""
        match name:
            case "open" | "creat":
                self._open(pid, _AT_FDCWD, arguments[0])
            case "openat" | "openat2":
                self._open(pid, arguments[0], arguments[1])
            case "sendto":
                self._send(pid, arguments[1], min(arguments[2], 512))
            case "sendmsg":
                self._send_message(pid, arguments[1])
            case "sendmmsg":
                for index in range(min(arguments[2], 4)):
                    self._send_message(pid, arguments[1] + 64 * index)
            case _:
                pass

    def _task(self) -> int:
        self._observations.tasks += 1
        return errno.EAGAIN if self._observations.tasks > self._spec.limits.tasks else 0

    def _signal(self, pid: int, target: int) -> int:
        """Allowed only to itself, its own group and its descendants."""
        target = ctypes.c_int32(target).value
        if target == 0 or (target > 0 and _descends(target, os.getpid())):
            return 0
        return errno.EPERM

    def _connect(self, pid: int, address: int, size: int) -> int:
        raw = syscalls.read_memory(pid, address, min(size, 128))
        family = struct.unpack_from("=H", raw)[0] if len(raw) >= 2 else 0
        internet = family in (socket.AF_INET, socket.AF_INET6)
        known = internet or family == socket.AF_UNIX
        if self._started and known and (peer := _peer(raw, family)):
            self._observations.add("hosts", peer)
        if self._spec.profile.level >= 3 or (self._spec.network and internet):
            return 0
        return errno.ENETUNREACH if internet else errno.ECONNREFUSED

    def _open(self, pid: int, folder: int, address: int) -> None:
        path = syscalls.read_text(pid, address)
        if not path.startswith("/"):
            path = str(Path(_folder(pid, folder), path))
        path = path.replace(f"/proc/{pid}/", "/proc/self/")
        if not is_own(path, self._own):
            self._observations.add("files", path)

    def _execute(self, pid: int, address: int) -> None:
        path = syscalls.read_text(pid, address)
        if not self._started:
            self._started = path == self._spec.program
        elif Path(f"/proc/{pid}/root/{path}").exists():  # otherwise a search along PATH
            self._observations.add("programs", path)

    def _send_message(self, pid: int, address: int) -> None:
        """The first buffer of a `msghdr`."""
        _, _, buffers, count = struct.unpack("=QQQQ", syscalls.read_memory(pid, address, 32))
        if count:
            base, size = struct.unpack("=QQ", syscalls.read_memory(pid, buffers, 16))
            self._send(pid, base, min(size, 512))

    def _send(self, pid: int, address: int, size: int) -> None:
        if name := queried_name(syscalls.read_memory(pid, address, size)):
            self._observations.add("hosts", name)


def _folder(pid: int, descriptor: int) -> str:
    descriptor = ctypes.c_int32(descriptor).value
    entry = "cwd" if descriptor == _AT_FDCWD else f"fd/{descriptor}"
    return os.readlink(f"/proc/{pid}/{entry}")  # noqa: PTH115


def _peer(raw: bytes, family: int) -> str:
    """The peer as text; empty for a name server, whose queries are recorded by name."""
    if family == socket.AF_UNIX:
        path = raw[2:]
        abstract = path[:1] == b"\0"
        name = path[1:].rstrip(b"\0") if abstract else path.split(b"\0", 1)[0]
        return f"local socket {'@' if abstract else ''}{name.decode('utf-8', 'replace')}"
    port = struct.unpack_from(">H", raw, 2)[0]
    host = (
        socket.inet_ntop(socket.AF_INET, raw[4:8])
        if family == socket.AF_INET
        else f"[{socket.inet_ntop(socket.AF_INET6, raw[8:24])}]"
    )
    return "" if port in (0, *_DNS_PORTS) else f"{host}:{port}"


def queried_name(packet: bytes) -> str:
    """The name in a DNS query; empty if this is none."""
    if len(packet) < _DNS_HEADER + 5:
        return ""
    _, flags, questions, answers = struct.unpack_from(">HHHH", packet)
    if flags & 0xF800 or questions != 1 or answers:
        return ""
    labels: list[str] = []
    offset = _DNS_HEADER
    while offset < len(packet) and (size := packet[offset]):
        label = packet[offset + 1 : offset + 1 + size]
        if size > 63 or len(label) < size or not label.isascii() or b" " in label:
            return ""
        labels.append(label.decode())
        offset += 1 + size
    whole = offset + 5 <= len(packet)
    return ".".join(labels) if whole and all(text.isprintable() for text in labels) else ""


def _descends(pid: int, ancestor: int) -> bool:
    """Whether `pid` is a descendant of `ancestor`."""
    while pid > 1 and (fields := stat_fields(pid)):
        pid = int(fields[1])
        if pid == ancestor:
            return True
    return False
