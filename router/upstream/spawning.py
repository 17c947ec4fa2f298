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
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Thread
from typing import Any

_OUTPUTS = (1, 2)
# Of our own: the threads everyone shares may be waiting for a person to unlock a keyring.
_starting = ThreadPoolExecutor(2, thread_name_prefix="start")


async def start_process(
    protocol: asyncio.SubprocessProtocol,
    program: str,
    *args: str,
    env: Mapping[str, str],
    cwd: str | None,
    **options: Any,
) -> None:
    """Start a process with three pipes for `protocol`. Raises `OSError` or `ValueError`."""
    loop = asyncio.get_running_loop()
    if not type(loop).__module__.startswith("uvloop"):
        await loop.subprocess_exec(lambda: protocol, program, *args, env=env, cwd=cwd, **options)
        return
    pipe = subprocess.PIPE

    def launch() -> subprocess.Popen[Any]:
        return subprocess.Popen(  # noqa: S603 - what the person agreed to
            [program, *args],
            bufsize=0,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=env,
            cwd=cwd,
            **options,
        )

    await ProcessTransport(await loop.run_in_executor(_starting, launch), protocol).open()


class ProcessTransport(asyncio.SubprocessTransport):
    """What a `SubprocessProtocol` needs of a transport, over a process that runs already."""

    def __init__(
        self, process: subprocess.Popen[Any], protocol: asyncio.SubprocessProtocol
    ) -> None:
        super().__init__()
        self._process = process
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._pipes: dict[int, asyncio.BaseTransport] = {}

    async def open(self) -> None:
        """The protocol has its transport before it hears anything."""
        process, loop, protocol = self._process, self._loop, self._protocol
        self._pipes[0], _ = await loop.connect_write_pipe(partial(_Input, protocol), process.stdin)
        protocol.connection_made(self)
        for number, stream in zip(_OUTPUTS, (process.stdout, process.stderr), strict=True):
            way_out = partial(_Output, protocol, number)
            self._pipes[number], _ = await loop.connect_read_pipe(way_out, stream)
        self._watch_end()

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

    def _watch_end(self) -> None:
        """By a descriptor that can be read once the process is gone, or, where there is no such
        thing, by a thread that waits for it."""
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except (AttributeError, OSError):
            Thread(target=self._wait, name="wait for a process", daemon=True).start()
            return

        def gone() -> None:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)
            self._process.wait()
            self._protocol.process_exited()

        self._loop.add_reader(descriptor, gone)

    def _wait(self) -> None:
        self._process.wait()
        self._loop.call_soon_threadsafe(self._protocol.process_exited)


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
    def __init__(self, protocol: asyncio.SubprocessProtocol, number: int) -> None:
        self._protocol = protocol
        self._number = number

    def data_received(self, data: bytes) -> None:
        self._protocol.pipe_data_received(self._number, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.pipe_connection_lost(self._number, exc)
