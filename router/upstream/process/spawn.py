"""Starts a process without blocking other threads.

uvloop forks, which copies the address space while it holds the GIL: tens of milliseconds for each
start, in the window too. `subprocess` uses vfork, which takes two or three. So on uvloop the
process is started by `subprocess` in a thread, and its pipes are connected to the loop; asyncio's
own loops do about the same by themselves.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from router.runtime.tasks import spawn

# Its own pool: the threads of the default executor may be waiting for a keyring.
_executor = ThreadPoolExecutor(2, thread_name_prefix="start")
_LINE_BYTES = 64 * 1024


async def start_process(
    protocol: asyncio.SubprocessProtocol,
    program: str,
    *args: str,
    env: Mapping[str, str],
    cwd: str | Path | None,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    **options: Any,
) -> asyncio.SubprocessTransport:
    """Start a process whose pipes are connected to `protocol`. Raises `OSError` or `ValueError`."""
    loop = asyncio.get_running_loop()
    options |= {"env": env, "cwd": cwd, "stdin": stdin, "stdout": stdout, "stderr": stderr}
    if not type(loop).__module__.startswith("uvloop"):
        transport, _ = await loop.subprocess_exec(lambda: protocol, program, *args, **options)
        return transport
    launch = partial(subprocess.Popen[bytes], [program, *args], bufsize=0, **options)
    return await ProcessTransport(await loop.run_in_executor(_executor, launch), protocol).open()


class Program(Process):
    """A started program whose pipes are read and written as streams."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, protocol: SubprocessStreamProtocol
    ) -> None:
        super().__init__(transport, protocol, asyncio.get_running_loop())
        self.transport = transport

    async def end(self) -> None:
        """Kill it, if it has not exited, and close its pipes; returns when it is gone.

        The pipes are closed first: asyncio waits for their end, which comes only after all output
        was read.
        """
        if self.returncode is None:
            self.kill()
        for pipe in map(self.transport.get_pipe_transport, range(3)):
            if pipe is not None:
                pipe.close()
        await self.wait()
        self.transport.close()


async def start_program(
    program: str, *args: str, line_bytes: int = _LINE_BYTES, **options: Any
) -> Program:
    """As `asyncio.create_subprocess_exec`; `line_bytes` is the longest line that can be read. A
    cancelled start leaves no process."""
    protocol = SubprocessStreamProtocol(line_bytes, asyncio.get_running_loop())
    start = start_process(protocol, program, *args, **options)
    starting = spawn(_outcome(start), name=f"start {program}")
    try:
        transport = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        if not isinstance(transport := starting.result(), Exception):
            await Program(transport, protocol).end()
        raise
    if isinstance(transport, Exception):
        raise transport
    return Program(transport, protocol)


async def _outcome(
    start: Awaitable[asyncio.SubprocessTransport],
) -> asyncio.SubprocessTransport | OSError | ValueError:
    """Return the error instead of raising it: it is for the caller, not for the log."""
    try:
        return await start
    except (OSError, ValueError) as error:
        return error


class ProcessTransport(asyncio.SubprocessTransport):
    """The transport of a `SubprocessProtocol` for a process that is already running."""

    def __init__(
        self, process: subprocess.Popen[bytes], protocol: asyncio.SubprocessProtocol
    ) -> None:
        super().__init__()
        self._process = process
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._pipes: dict[int, asyncio.BaseTransport] = {}
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._early: list[Callable[[], None]] | None = []
        """Events of the pipes before the protocol was connected."""

    async def open(self) -> ProcessTransport:
        """Connect all pipes before the protocol gets its first event."""
        process, loop = self._process, self._loop
        if process.stdin is not None:
            stdin = partial(_Input, self._protocol)
            self._pipes[0], _ = await loop.connect_write_pipe(stdin, process.stdin)
        for number, stream in ((1, process.stdout), (2, process.stderr)):
            if stream is not None:
                output = partial(_Output, self, number)
                self._pipes[number], _ = await loop.connect_read_pipe(output, stream)
        self._protocol.connection_made(self)
        early, self._early = self._early or (), None
        for event in early:
            event()
        self._watch_exit()
        return self

    def dispatch(self, event: Callable[[asyncio.SubprocessProtocol], None]) -> None:
        """Pass an event of a pipe to the protocol."""
        if self._early is None:
            event(self._protocol)
        else:
            self._early.append(partial(event, self._protocol))

    def get_pid(self) -> int:
        return self._process.pid

    def get_returncode(self) -> int | None:
        return self._process.returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get(fd)

    def is_closing(self) -> bool:
        return all(pipe.is_closing() for pipe in self._pipes.values())

    def close(self) -> None:
        for pipe in self._pipes.values():
            pipe.close()

    def kill(self) -> None:
        self._process.kill()

    async def _wait(self) -> int:
        """Called by `asyncio.subprocess.Process.wait`."""
        return await asyncio.shield(self._ended)

    def _watch_exit(self) -> None:
        """With a pidfd, which becomes readable when the process exits, or a waiting thread where
        there is none."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            Thread(target=self._wait_on_thread, name="wait for a process", daemon=True).start()
            return

        def exited() -> None:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
            self._process.wait()
            self._on_exit()

        self._loop.add_reader(descriptor, exited)

    def _wait_on_thread(self) -> None:
        self._process.wait()
        self._loop.call_soon_threadsafe(self._on_exit)

    def _on_exit(self) -> None:
        self._ended.set_result(self._process.returncode)
        self._protocol.process_exited()


class _Input(asyncio.BaseProtocol):
    def __init__(self, protocol: asyncio.SubprocessProtocol) -> None:
        self._protocol = protocol

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.pipe_connection_lost(0, exc)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()


class _Output(asyncio.Protocol):
    def __init__(self, process: ProcessTransport, number: int) -> None:
        self._process = process
        self._number = number

    def data_received(self, data: bytes) -> None:
        self._process.dispatch(lambda protocol: protocol.pipe_data_received(self._number, data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._process.dispatch(lambda protocol: protocol.pipe_connection_lost(self._number, exc))
