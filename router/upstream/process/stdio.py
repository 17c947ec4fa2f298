"""The stdio transport: a server as a child process, messages are lines on its stdin and stdout.

The transport is the asyncio protocol of the process, so no task is needed to read, and an exit is
noticed even while a grandchild holds the pipes open. One supervisor task waits for the end,
whatever the cause, and it alone cleans up: no cancellation can leave a process behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, wait_shielded
from router.upstream.errors import bad_protocol, failed
from router.upstream.limits import LIMITS, UpstreamLimits
from router.upstream.message_decoder import InvalidMessage, MessageTooLarge
from router.upstream.peer import Peer, response_id
from router.upstream.process.environment import find_command, server_environment
from router.upstream.process.inbox import Inbox
from router.upstream.process.spawn import start_process
from router.upstream.process.stderr_tail import KEPT_LINES, LineSink, StderrTail
from router.upstream.process.stderr_tail import MAX_LINE_BYTES as MAX_STDERR_LINE_BYTES
from router.upstream.process.tracking import ProcessMark, new_mark
from router.upstream.process.tree import ProcessTree, watch_tree
from router.wire.jsonrpc import encode_ascii
from router.wire.lines import LineSplitter

log = logging.getLogger(__name__)

_LOGGED_INVALID_LINES = 3

_STDIN_GRACE_S = 1.0
_TERMINATE_GRACE_S = 1.0
_UNOPENED_GRACE = 0.2
"""The fraction of the grace period for a server that never opened a session: a caller waits."""
_SHUTDOWN_GRACE = 0.5
_KILL_GRACE_S = 1.0
_PIPE_GRACE_S = 0.5
_INBOX_GRACE_S = 1.0


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """What to start: `env` is added to the clean environment or, if the command inherits nothing,
    is its whole environment."""

    name: str
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None
    inherits: bool = True

    @property
    def environment(self) -> dict[str, str]:
        return server_environment(os.environ, self.env) if self.inherits else dict(self.env)


class StdioTransport(asyncio.SubprocessProtocol):
    """A `Transport` to a process of its own."""

    cancels_by_closing = False

    def __init__(
        self,
        command: ServerCommand,
        *,
        on_stderr: LineSink,
        secrets: Iterable[str] = (),
        limits: UpstreamLimits = LIMITS,
        mark: ProcessMark | None = None,
    ) -> None:
        self._command = command
        self.mark = mark or new_mark()
        self._limits = limits
        self._stderr_tail = StderrTail(on_stderr, secrets)
        self._stdout = LineSplitter(limits.message_bytes)
        self._inbox = Inbox(self, limits)
        self._stderr = LineSplitter()
        self._invalid_lines = 0
        self._grace = _UNOPENED_GRACE
        self._open_outputs = {1, 2}
        self._discarded_bytes: int | None = None
        """How much it wrote since its output is discarded; None while it is read."""
        self._kill_reason: Failure | None = None
        self._closing = asyncio.Event()
        self._exited = asyncio.Event()
        self._drained = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._peer: Peer
        self._transport: asyncio.SubprocessTransport
        self._stdin: asyncio.WriteTransport
        self._tree: ProcessTree
        self._launch_task: asyncio.Task[None] | None = None
        self._supervisor: asyncio.Task[None] | None = None

    async def start(self, peer: Peer) -> None:
        """Start the process. Raises `UpstreamFailed`."""
        self._peer = peer
        environment = {**self._command.environment, **self.mark.environment}
        program = find_command(self._command.name, environment, self._command.cwd)
        # In its own task, because a cancelled start could lose the process.
        launch, name = self._launch(program, environment), f"start {program}"
        self._launch_task = spawn(launch, name=name, log_failure=False)
        await asyncio.shield(self._launch_task)

    async def _launch(self, program: str, environment: Mapping[str, str]) -> None:
        try:
            await start_process(
                self,
                program,
                *self._command.args,
                env=environment,
                cwd=self._command.cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise failed(self._start_failure(error)) from error

    def set_protocol_version(self, version: str) -> None:
        """A line is the same in every revision."""
        if version:
            self._grace = 1.0

    async def send(self, message: JsonObject) -> None:
        self._write(message)
        await self._writable.wait()

    def send_soon(self, message: JsonObject) -> None:
        if self._writable.is_set():  # else the server doesn't read, and messages would pile up
            self._write(message)

    def kill(self, failure: Failure) -> None:
        """Kill the process and its descendants; pending requests fail with `failure`."""
        if not self._closing.is_set():
            self._kill_reason = failure
            self._discard_output()
            self._closing.set()

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def shorten_grace(self) -> None:
        """The router is shutting down."""
        self._grace = min(self._grace, _SHUTDOWN_GRACE)

    async def close(self) -> None:
        """End the process and its descendants; returns when they are gone, in bounded time."""
        self._discard_output()
        self._closing.set()
        if self._launch_task is not None:
            await asyncio.wait([self._launch_task])
        if self._supervisor is not None:
            await wait_shielded(self._supervisor)

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Casts, because uvloop's transports have the methods but not the base classes.
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        self._tree = watch_tree(self.pid, self.mark)
        self._supervisor = spawn(self._supervise(), name=f"stdio {self._command.name}")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._read_stdout(data)
        else:
            self._read_stderr(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A server that closes stdin or stdout is unusable."""
        self._on_output_closed(fd)
        if fd != 2:
            self._closing.set()

    def _on_output_closed(self, fd: int) -> None:
        self._open_outputs.discard(fd)
        if not self._open_outputs:
            self._drained.set()

    def process_exited(self) -> None:
        self._exited.set()
        self._closing.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # Reading and writing

    def _write(self, message: JsonObject) -> None:
        if not self._closing.is_set() and not self._stdin.is_closing():
            self._stdin.write(encode_ascii(message) + b"\n")

    def _read_stdout(self, data: bytes) -> None:
        if self._discarded_bytes is not None:
            self._discard(data, self._discarded_bytes)
            return
        self._inbox.put(self._stdout.feed(data))
        if self._stdout.dropped > self._limits.overflow_bytes:
            self._stdout.flush()
            self.kill(MessageTooLarge(self._limits).failure)

    def take_message(self, message: JsonObject) -> None:
        self._peer.receive(message)

    def take_invalid_line(self, line: bytes, error: InvalidMessage) -> None:
        """Servers print banners and usage to stdout; that may be all they write before they
        exit."""
        if (request_id := response_id(line)) is not None:
            self._peer.reject(request_id, error.failure)
            return
        text = self._stderr_tail.add(line)
        self._invalid_lines += bool(text)
        if text and self._invalid_lines <= _LOGGED_INVALID_LINES:
            log.warning("%s wrote an invalid message to stdout: %.200s", self._command.name, text)

    def _discard_output(self) -> None:
        """Discard its output: a flood of messages must not delay its end."""
        if self._discarded_bytes is None:
            self._discarded_bytes = 0
            self._inbox.clear()

    def _discard(self, data: bytes, before: int) -> None:
        """Let it finish writing, so that it gets to notice that its stdin is closed."""
        self._discarded_bytes = before + len(data)
        if self._discarded_bytes > self._limits.message_bytes:
            self.pause_reading()
            self._on_output_closed(1)

    def pause_reading(self) -> None:
        self._stdout_pipe.pause_reading()

    def resume_reading(self) -> None:
        if not self._stdout_pipe.is_closing():
            self._stdout_pipe.resume_reading()

    @property
    def _stdout_pipe(self) -> asyncio.ReadTransport:
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))

    def _read_stderr(self, data: bytes) -> None:
        for line in self._stderr.feed(data)[-KEPT_LINES:]:
            self._stderr_tail.add(line)
        if self._stderr.pending > MAX_STDERR_LINE_BYTES:
            self._stderr_tail.add(self._stderr.flush())

    # The end

    async def _supervise(self) -> None:
        await self._closing.wait()
        exited_by_itself = await self._stop_leader()
        await self._tree.end()  # what is left, which may also hold the pipes
        if exited_by_itself:  # else its last output is of no interest
            await _wait(_PIPE_GRACE_S, self._drained)
        await self._inbox.drain(_INBOX_GRACE_S if exited_by_itself else 0)
        self._stderr_tail.add(self._stderr.flush())
        self._transport.close()
        self._tree.release()
        self._peer.close(self._kill_reason or self._exit_failure(exited_by_itself))

    async def _stop_leader(self) -> bool:
        """Escalate until the process is gone; whether it exited by itself."""
        if self._kill_reason is not None:
            self._tree.kill()
        self._stdin.close()
        if await _wait(_STDIN_GRACE_S * self._grace, self._exited):
            return True
        self._tree.terminate()
        if not await _wait(_TERMINATE_GRACE_S * self._grace, self._exited):
            self._tree.kill()
            if not await _wait(_KILL_GRACE_S, self._exited):
                log.error("Process %d of %s can't be killed", self.pid, self._command.name)
        return False

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    def _exit_failure(self, exited_by_itself: bool) -> Failure:
        code = self._transport.get_returncode()
        if code is None or not exited_by_itself:
            return bad_protocol("it closed its input or output")
        subject = f"signal {-code}" if code < 0 else f"code {code}"
        return Failure(FailureKind.EXITED, subject, str(self._stderr_tail))

    def _start_failure(self, error: OSError | ValueError) -> Failure:
        cwd = self._command.cwd
        if cwd is not None and not os.path.isdir(cwd):  # noqa: PTH112
            return Failure(FailureKind.OTHER, detail=f"its folder {cwd} does not exist")
        if isinstance(error, PermissionError):
            return Failure(FailureKind.PERMISSION_DENIED, self._command.name)
        return Failure(FailureKind.OTHER, detail=f"{self._command.name} can't be started: {error}")


async def _wait(seconds: float, event: asyncio.Event) -> bool:
    """Whether `event` is set in time, or when a loop that was held up gets to look."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
