"""A server as a child process: messages are lines on its stdin and stdout.

The link is the process's asyncio protocol, so a line becomes an answer without any task between,
and an exit is noticed even while a grandchild holds the pipes open. One supervisor task waits for
the end, whatever brings it, and it alone winds down: nobody's cancellation can leave a process.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, undisturbed
from router.upstream.errors import bad_protocol, failed
from router.upstream.limits import LIMITS, Limits
from router.upstream.peer import Receiver, response_id
from router.upstream.process.environment import find_command, server_environment
from router.upstream.process.inbox import Inbox
from router.upstream.process.spawn import start_process
from router.upstream.process.stderr_tail import KEPT_LINES, LastWords, LineSink
from router.upstream.process.stderr_tail import MAX_LINE_BYTES as MAX_STDERR_LINE_BYTES
from router.upstream.process.tracking import Mark, new_mark
from router.upstream.process.tree import ProcessTree, creation_options, watch_tree
from router.wire.framing import LineSplitter
from router.wire.jsonrpc import encode_ascii

log = logging.getLogger(__name__)

_LOGGED_NOISE = 3

_STDIN_GRACE_S = 1.0
_TERMINATE_GRACE_S = 1.0
_HASTE = 0.2
"""How much of its grace a server gets that never opened a session: somebody waits for its end."""
_HURRY = 0.5
_KILL_GRACE_S = 1.0
_PIPE_GRACE_S = 0.5
_INBOX_GRACE_S = 1.0


@dataclass(frozen=True, slots=True)
class Command:
    """What to start: `env` is what its configuration adds to the clean environment, or, if the
    command inherits nothing, all the environment it gets."""

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
        command: Command,
        *,
        on_stderr: LineSink,
        secrets: Iterable[str] = (),
        limits: Limits = LIMITS,
        mark: Mark | None = None,
    ) -> None:
        self._command = command
        self.mark = mark or new_mark()
        self._limits = limits
        self._said = LastWords(on_stderr, secrets)
        self._stdout = LineSplitter(limits.message_bytes)
        self._inbox = Inbox(self, limits)
        self._stderr = LineSplitter()
        self._noise = 0
        self._grace = _HASTE
        self._open_outputs = {1, 2}
        self._unheard_bytes: int | None = None
        """What it wrote since nobody listens any more."""
        self._fault: Failure | None = None
        self._over = asyncio.Event()
        self._exited = asyncio.Event()
        self._drained = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._receiver: Receiver
        self._transport: asyncio.SubprocessTransport
        self._stdin: asyncio.WriteTransport
        self._tree: ProcessTree
        self._launching: asyncio.Task[Failure | None] | None = None
        self._supervisor: asyncio.Task[None] | None = None

    async def start(self, receiver: Receiver) -> None:
        """Start the process. Raises `UpstreamFailed` if that can't be done."""
        self._receiver = receiver
        environment = {**self._command.environment, **self.mark.environment}
        program = find_command(self._command.name, environment, self._command.cwd)
        # In a task of its own, because a start that is cancelled halfway can lose the process.
        self._launching = spawn(self._launch(program, environment), name=f"start {program}")
        if failure := await asyncio.shield(self._launching):
            raise failed(failure)

    async def _launch(self, program: str, environment: Mapping[str, str]) -> Failure | None:
        try:
            await start_process(
                self,
                program,
                *self._command.args,
                env=environment,
                cwd=self._command.cwd,
                **creation_options(),
            )
        except (OSError, ValueError) as error:
            return self._start_failure(error)
        return None

    def set_protocol_version(self, version: str) -> None:
        """A line is the same in every revision."""
        if version:
            self._grace = 1.0

    async def send(self, message: JsonObject) -> None:
        self._write(message)
        await self._writable.wait()

    def send_soon(self, message: JsonObject) -> None:
        if self._writable.is_set():  # else the server doesn't read, and we would pile up
            self._write(message)

    def condemn(self, failure: Failure) -> None:
        """Kill the process and its descendants; `failure` is what those who wait are told."""
        if not self._over.is_set():
            self._fault = failure
            self._stop_listening()
            self._over.set()

    @property
    def over(self) -> bool:
        """Whether nothing that is sent from now on reaches it, though it may still be heard."""
        return self._over.is_set()

    def hurry(self) -> None:
        """Give it less time to end: somebody waits for us."""
        self._grace = min(self._grace, _HURRY)

    async def close(self) -> None:
        """End the process and its descendants; returns when they are gone, in bounded time."""
        self._stop_listening()
        self._over.set()
        if self._launching is not None:
            await asyncio.wait([self._launching])
        if self._supervisor is not None:
            await undisturbed(self._supervisor)

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Casts, because uvloop's transports have the methods but not the base classes.
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        self._tree = watch_tree(self.pid, self.mark)
        self._supervisor = spawn(self._supervise(), name=f"stdio {self._command.name}")

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._take_stdout(data)
        else:
            self._take_stderr(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A server that closes any pipe but stderr is of no more use."""
        self._lost_output(fd)
        if fd != 2:
            self._over.set()

    def _lost_output(self, fd: int) -> None:
        self._open_outputs.discard(fd)
        if not self._open_outputs:
            self._drained.set()

    def process_exited(self) -> None:
        self._exited.set()
        self._over.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # Reading and writing

    def _write(self, message: JsonObject) -> None:
        if not self._over.is_set() and not self._stdin.is_closing():
            self._stdin.write(encode_ascii(message) + b"\n")

    def _take_stdout(self, data: bytes) -> None:
        if self._unheard_bytes is not None:
            self._leave_unheard(data, self._unheard_bytes)
            return
        self._inbox.put(self._stdout.feed(data))
        if self._stdout.dropped > self._limits.overflow_bytes:
            self._stdout.flush()
            self.condemn(bad_protocol("a line without end"))

    def take_message(self, message: JsonObject) -> None:
        self._receiver.receive(message)

    def take_noise(self, line: bytes, reason: str) -> None:
        """Servers print banners and usage to stdout; that may be all they say before they exit."""
        if (request_id := response_id(line)) is not None:
            failure = bad_protocol(f"an answer that is no message ({reason})")
            self._receiver.reject(request_id, failure)
            return
        said = self._said.add(line)
        self._noise += bool(said)
        if said and self._noise <= _LOGGED_NOISE:
            log.warning("%s wrote to stdout what is no message: %.200s", self._command.name, said)

    def _stop_listening(self) -> None:
        """Nobody waits for its messages any more, and a flood of them must not delay its end."""
        if self._unheard_bytes is None:
            self._unheard_bytes = 0
            self._inbox.clear()

    def _leave_unheard(self, data: bytes, before: int) -> None:
        """It may finish what it writes, so that it comes to see that its input is closed."""
        self._unheard_bytes = before + len(data)
        if self._unheard_bytes > self._limits.message_bytes:
            self.pause_reading()
            self._lost_output(1)

    def pause_reading(self) -> None:
        self._stdout_pipe.pause_reading()

    def resume_reading(self) -> None:
        if not self._stdout_pipe.is_closing():
            self._stdout_pipe.resume_reading()

    @property
    def _stdout_pipe(self) -> asyncio.ReadTransport:
        return cast(asyncio.ReadTransport, self._transport.get_pipe_transport(1))

    def _take_stderr(self, data: bytes) -> None:
        for line in self._stderr.feed(data)[-KEPT_LINES:]:
            self._said.add(line)
        if self._stderr.pending > MAX_STDERR_LINE_BYTES:
            self._said.add(self._stderr.flush())

    # The end

    async def _supervise(self) -> None:
        await self._over.wait()
        exited_by_itself = await self._stop_leader()
        await self._tree.end()  # whoever is left, who may also hold the pipes
        if exited_by_itself:  # else nobody waits for its last words
            await _within(_PIPE_GRACE_S, self._drained)
        await self._inbox.settle(_INBOX_GRACE_S if exited_by_itself else 0)
        self._said.add(self._stderr.flush())
        self._transport.close()
        self._tree.release()
        self._receiver.close(self._fault or self._end(exited_by_itself))

    async def _stop_leader(self) -> bool:
        """Escalate until the process is gone; whether it went of its own accord."""
        if self._fault is not None:
            self._tree.kill()
        self._stdin.close()
        if await _within(_STDIN_GRACE_S * self._grace, self._exited):
            return True
        self._tree.terminate()
        if not await _within(_TERMINATE_GRACE_S * self._grace, self._exited):
            self._tree.kill()
            if not await _within(_KILL_GRACE_S, self._exited):
                log.error("Process %d of %s can't be killed", self.pid, self._command.name)
        return False

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    def _end(self, exited_by_itself: bool) -> Failure:
        code = self._transport.get_returncode()
        if code is None or not exited_by_itself:
            return bad_protocol("it closed its input or output")
        subject = f"signal {-code}" if code < 0 else f"code {code}"
        return Failure(FailureKind.EXITED, subject, str(self._said))

    def _start_failure(self, error: OSError | ValueError) -> Failure:
        cwd = self._command.cwd
        if cwd is not None and not os.path.isdir(cwd):  # noqa: PTH112
            return Failure(FailureKind.OTHER, detail=f"its folder {cwd} does not exist")
        if isinstance(error, PermissionError):
            return Failure(FailureKind.PERMISSION_DENIED, self._command.name)
        return Failure(FailureKind.OTHER, detail=f"{self._command.name} can't be started: {error}")


async def _within(seconds: float, event: asyncio.Event) -> bool:
    """Whether `event` comes in time."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
