"""Requests to the running instance: from `toolbooth COMMAND` or a second start of the window.

One connection, one request. One JSON object per line each way: `{"command", "arguments"}` in,
`{"ok", "result" | "error"}` out. A command may take minutes, so empty lines come before the
answer, one every `HEARTBEAT_S`: an instance that sends none is stuck. A Unix socket that only its
user can open; on Windows a named pipe, which others may not write to. On Linux and macOS the
process at the other end is known, and servers are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import socket
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias, cast

from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_object
from router.domain.result import failed
from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

Handle: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
Admits: TypeAlias = Callable[[int], bool]
"""Whether the process with this id may send commands. Called in a thread."""
_MAX_LINE_BYTES = 64 * 1024 * 1024
_LOCAL_PEERPID = 2
"""Of `<sys/un.h>` on macOS, at the level `SOL_LOCAL`, which is 0."""
_MAX_SOCKET_PATH = 100
"""The kernel's limit is 104 to 108 bytes."""
_RETRY_S = 0.1
HEARTBEAT_S = 2.0
_MAX_SILENCES = 4
"""Intervals without a heartbeat after which the instance counts as stuck. They are counted because
the process that waits may have been stopped itself (Ctrl+Z), which is one."""


class NotListening(ToolboothError):
    """Nobody answers at the address now; the instance may be starting or stopping."""


class AnswerLost(ToolboothError):
    """The instance ended before it answered: the command was carried out, or not."""

    def __init__(self) -> None:
        super().__init__(
            "Toolbooth stopped before it answered. The command may have been carried out.",
            "Check whether it was. If not, try again.",
        )


class NotResponding(ToolboothError):
    """The instance is there, but gives no sign of life."""


def socket_address(data_dir: Path) -> str:
    """Where the instance on `data_dir` listens."""
    digest = hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:16]
    if sys.platform == "win32":
        return rf"\\.\pipe\toolbooth-{digest}"
    inside = data_dir / "control.sock"
    if len(os.fsencode(inside)) <= _MAX_SOCKET_PATH:
        return str(inside)
    return str(_short_folder() / f"{digest}.sock")


class LocalServer:
    """Answers the requests at `address`, each by `handle`. Only the holder of the instance lock may
    start one."""

    def __init__(self, address: str, handle: Handle, admits: Admits) -> None:
        self._address = address
        self._handle = handle
        self._admits = admits
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        if sys.platform == "win32":
            await _serve_pipe(self._address, self._accepted)
            return
        _remove_stale(self._address)
        self._server = await asyncio.start_unix_server(
            self._accepted, self._address, limit=_MAX_LINE_BYTES
        )
        os.chmod(self._address, 0o600)  # noqa: PTH101 - the folder is closed to others already

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                _unlink(self._address)
        for connection in tuple(self._connections):
            await stop(connection)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        spawn(self._serve(reader, writer), name="control", group=self._connections)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one command; a peer that disconnects cancels it."""
        try:
            line = await reader.readline()
            if not await self._is_admitted(writer):
                writer.write(_NOT_ADMITTED)
                await writer.drain()
                return
            answering = spawn(self._answer(line), name="control command")
            leaving = spawn(reader.read(1), name="control peer")
            running = {answering, leaving}
            while True:
                done, _ = await asyncio.wait(
                    running, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED
                )
                if done:
                    break
                writer.write(b"\n")
            await stop(leaving)
            if answering.done():
                writer.write(answering.result())
                await writer.drain()
            await stop(answering)
        except (OSError, ValueError) as error:
            log.debug("A control connection ended: %s", error)
        finally:
            writer.close()

    async def _is_admitted(self, writer: asyncio.StreamWriter) -> bool:
        if sys.platform == "win32":
            return True
        pid = _peer_process(writer.get_extra_info("socket"))
        admitted = await asyncio.to_thread(self._admits, pid)
        if not admitted:
            log.warning("A server, or a process it started, was refused a command: pid %d", pid)
        return admitted

    async def _answer(self, line: bytes) -> bytes:
        try:
            request = as_object(json.loads(line))
            arguments = as_object(request.get("arguments"))
            result = await self._handle(str(request.get("command")), arguments)
            answer: JsonObject = {"ok": True, "result": result}
        except Exception as error:
            # Whatever went wrong, the terminal gets a sentence.
            if not isinstance(error, ToolboothError):
                log.exception("A command failed")
            failure = failed(error)
            hint = f"{failure.hint} {failure.terminal}".strip()
            answer = {"ok": False, "error": {"message": failure.message, "hint": hint}}
        return json.dumps(answer).encode() + b"\n"


_NOT_ADMITTED = (
    json.dumps(
        {
            "ok": False,
            "error": {
                "message": "MCP servers, and programs they start, can't command Toolbooth.",
                "hint": "Run the command in a terminal of your own.",
            },
        }
    ).encode()
    + b"\n"
)


def _peer_process(connection: socket.socket) -> int:
    """The process that opened a connection."""
    if sys.platform == "darwin":
        return struct.unpack("i", connection.getsockopt(0, _LOCAL_PEERPID, 4))[0]
    options = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("3i", options)[0]


def _remove_stale(address: str) -> None:
    """Remove the socket of an instance that was killed: we hold the lock of its directory now."""
    Path(address).parent.mkdir(mode=0o700, exist_ok=True)
    _check_private(address)
    _unlink(address)


def _short_folder() -> Path:
    """For sockets of data directories with too long a path; in a folder that all users share."""
    return Path(tempfile.gettempdir()) / f"toolbooth-{os.getuid()}"


def _check_private(address: str) -> None:
    """Another user may have made the short folder: trust it only if it is private to us."""
    folder = Path(address).parent
    if folder != _short_folder():
        return
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not ours or stat.S_IMODE(found.st_mode) & 0o077:
        raise ToolboothError(
            f"{folder} is not private to you, so commands can't go through it.",
            "Remove it, or choose a data directory with a shorter path.",
        )


def _unlink(address: str) -> None:
    Path(address).unlink(missing_ok=True)


async def send(address: str, command: str, arguments: JsonObject, *, retry_for_s: float = 0) -> Any:
    """Have the running instance do `command`, however long that takes; raises what it raised.
    `NotListening` is raised only after `retry_for_s`, `AnswerLost` if the instance ends meanwhile,
    `NotResponding` if the heartbeat stops."""
    reader, writer = await _connect_within(address, retry_for_s)
    try:
        request = {"command": command, "arguments": arguments}
        writer.write(json.dumps(request).encode() + b"\n")
        line = await _answer_line(reader)
    except ConnectionError as error:
        raise AnswerLost from error
    except BaseException:
        writer.transport.abort()  # don't wait until a stuck instance has read the request
        raise
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if not line.endswith(b"\n"):  # nothing, or the part that was written
        raise AnswerLost
    answer = as_object(json.loads(line))
    if not answer.get("ok"):
        error = as_object(answer.get("error"))
        raise ToolboothError(str(error.get("message")), str(error.get("hint") or ""))
    return answer.get("result")


async def _answer_line(reader: asyncio.StreamReader) -> bytes:
    """The first line that is no heartbeat; without its end if the connection was closed."""
    silences = 0
    while silences < _MAX_SILENCES:
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                line = await reader.readline()
        except TimeoutError:
            silences += 1
        else:
            silences = 0
            if line != b"\n":
                return line
    waited_s = _MAX_SILENCES * HEARTBEAT_S
    raise NotResponding(
        f"Toolbooth is running but has not responded for {waited_s:.0f} seconds.",
        "Try again. If that does not help, end its process and start it again.",
    )


async def _connect_within(
    address: str, retry_for_s: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    deadline = time.monotonic() + retry_for_s
    while True:
        try:
            return await _connect(address)
        except OSError:
            if time.monotonic() >= deadline:
                raise NotListening(
                    "The running instance does not take commands at this moment.",
                    "It may be starting or stopping; try again.",
                ) from None
        await asyncio.sleep(_RETRY_S)


async def _connect(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform == "win32":
        return await _connect_pipe(address)
    _check_private(address)
    return await asyncio.open_unix_connection(address, limit=_MAX_LINE_BYTES)


if sys.platform == "win32":

    async def _serve_pipe(
        address: str, accepted: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
    ) -> None:
        loop = cast(asyncio.ProactorEventLoop, asyncio.get_running_loop())

        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(
                asyncio.StreamReader(limit=_MAX_LINE_BYTES), accepted
            )

        await loop.start_serving_pipe(protocol, address)

    async def _connect_pipe(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = cast(asyncio.ProactorEventLoop, asyncio.get_running_loop())
        reader = asyncio.StreamReader(limit=_MAX_LINE_BYTES)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.create_pipe_connection(lambda: protocol, address)
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
