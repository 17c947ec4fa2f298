"""Starting a process without holding up everybody else.

uvloop's own way copies the whole address space while all of Python waits: tens of milliseconds for
each start, in the window too. `subprocess` shares it until the program is there, which takes two or
three. So on uvloop the process is started that way, in a thread, and its pipes are given to the
loop; asyncio's own loops do about the same by themselves.
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

# Of our own: the threads everyone shares may be waiting for a person to unlock a keyring.
_starting = ThreadPoolExecutor(2, thread_name_prefix="start")
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
    """Start a process whose pipes, as many as it has, are `protocol`'s. Raises `OSError` or
    `ValueError`."""
    loop = asyncio.get_running_loop()
    options |= {"env": env, "cwd": cwd, "stdin": stdin, "stdout": stdout, "stderr": stderr}
    if not type(loop).__module__.startswith("uvloop"):
        transport, _ = await loop.subprocess_exec(lambda: protocol, program, *args, **options)
        return transport
    launch = partial(subprocess.Popen[bytes], [program, *args], bufsize=0, **options)
    return await ProcessTransport(await loop.run_in_executor(_starting, launch), protocol).open()


async def start_program(
    program: str, *args: str, line_bytes: int = _LINE_BYTES, **options: Any
) -> Process:
    """What `asyncio.create_subprocess_exec` does, this way; `line_bytes` is the longest line that
    can be read of it. A start that is cancelled halfway leaves no process."""
    loop = asyncio.get_running_loop()
    protocol = SubprocessStreamProtocol(line_bytes, loop)
    start = start_process(protocol, program, *args, **options)
    starting = spawn(_outcome(start), name=f"start {program}")
    try:
        transport = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        if not isinstance(transport := starting.result(), Exception):
            transport.kill()
            await Process(transport, protocol, loop).wait()
            transport.close()
        raise
    if isinstance(transport, Exception):
        raise transport
    return Process(transport, protocol, loop)


async def _outcome(
    start: Awaitable[asyncio.SubprocessTransport],
) -> asyncio.SubprocessTransport | OSError | ValueError:
    """The failure too is for whoever wanted the start, not for the log."""
    try:
        return await start
    except (OSError, ValueError) as error:
        return error


class ProcessTransport(asyncio.SubprocessTransport):
    """What a `SubprocessProtocol` needs of a transport, over a process that runs already."""

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
        """What the pipes said before the protocol had them all."""

    async def open(self) -> ProcessTransport:
        """The protocol has its transport, with all pipes, before it hears anything."""
        process, loop = self._process, self._loop
        if process.stdin is not None:
            way_in = partial(_Input, self._protocol)
            self._pipes[0], _ = await loop.connect_write_pipe(way_in, process.stdin)
        for number, stream in ((1, process.stdout), (2, process.stderr)):
            if stream is not None:
                way_out = partial(_Output, self, number)
                self._pipes[number], _ = await loop.connect_read_pipe(way_out, stream)
        self._protocol.connection_made(self)
        early, self._early = self._early or (), None
        for said in early:
            said()
        self._watch_end()
        return self

    def heard(self, said: Callable[[asyncio.SubprocessProtocol], None]) -> None:
        """A pipe has something for the protocol."""
        if self._early is None:
            said(self._protocol)
        else:
            self._early.append(partial(said, self._protocol))

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
        """What `asyncio.subprocess.Process` waits for."""
        return await asyncio.shield(self._ended)

    def _watch_end(self) -> None:
        """By a descriptor that can be read once the process is gone, or, where there is no such
        thing, by a thread that waits for it."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            Thread(target=self._wait_on_thread, name="wait for a process", daemon=True).start()
            return

        def gone() -> None:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
            self._process.wait()
            self._gone()

        self._loop.add_reader(descriptor, gone)

    def _wait_on_thread(self) -> None:
        self._process.wait()
        self._loop.call_soon_threadsafe(self._gone)

    def _gone(self) -> None:
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
        self._process.heard(lambda protocol: protocol.pipe_data_received(self._number, data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._process.heard(lambda protocol: protocol.pipe_connection_lost(self._number, exc))
