"""Starts a process without blocking other threads.

uvloop forks, which copies the address space while it holds the GIL: tens of milliseconds for each
start, in the window too. `subprocess` uses vfork, which takes two or three. So on uvloop the
process is started by `subprocess` in a thread and gets the transport that asyncio's own loops use.
Its hooks (`_start`, `_process_exited`, `_pipe_data_received`) are the same in Python 3.11 to 3.13.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.base_subprocess import BaseSubprocessTransport
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Thread
from typing import IO, Any, cast

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
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NO_WINDOW
    if not type(loop).__module__.startswith("uvloop"):
        transport, _ = await loop.subprocess_exec(lambda: protocol, program, *args, **options)
        return transport
    command = [program, *args]
    options |= {"bufsize": 0, "shell": False}
    process = await loop.run_in_executor(_executor, partial(_launch, command, **options))
    connected: asyncio.Future[None] = loop.create_future()
    options |= {"waiter": connected, "process": process}
    transport = StartedProcess(loop, protocol, command, **options)
    try:
        await connected
    except Exception:
        transport.close()
        transport.close_unconnected()
        await loop.run_in_executor(_executor, process.wait)
        raise
    transport.dispatch_directly()
    return transport


def _launch(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """A process whose pipes belong to the event loop: uvloop closes the descriptor of a pipe, then
    its file object. If that closed the descriptor again, it could be another thread's by then."""
    process = subprocess.Popen[bytes](command, **options)
    try:
        process.stdin = _without_descriptor(process.stdin)
        process.stdout = _without_descriptor(process.stdout)
        process.stderr = _without_descriptor(process.stderr)
    except OSError:  # no descriptor is left
        process.kill()
        process.wait()
        raise
    return process


def _without_descriptor(pipe: IO[bytes] | None) -> IO[bytes] | None:
    """The same pipe as a file object that does not close its descriptor: the loop does, or
    `StartedProcess.close_unconnected`."""
    if pipe is None:
        return None
    with pipe:
        return os.fdopen(os.dup(pipe.fileno()), pipe.mode, buffering=0, closefd=False)


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
    starting = spawn(start, name=f"start {program}", log_failure=False)
    try:
        return Program(await asyncio.shield(starting), protocol)
    except asyncio.CancelledError:
        await asyncio.wait([starting])
        if starting.exception() is None:
            await Program(starting.result(), protocol).end()
        raise


class StartedProcess(BaseSubprocessTransport):
    """asyncio's transport of a process, for one that is already running: the `process`."""

    _dispatches_directly = False

    def _start(self, *_: Any, process: subprocess.Popen[bytes], **options: Any) -> None:
        self._proc = process
        try:
            descriptor = os.pidfd_open(process.pid)
        except (AttributeError, OSError):
            Thread(target=self._wait_on_thread, name="wait for a process", daemon=True).start()
        else:  # which becomes readable when the process exits
            self._loop.add_reader(descriptor, self._on_exit, process, descriptor)

    def dispatch_directly(self) -> None:
        """From now on, pass output to the protocol at once and not in the next iteration of the
        loop. Call it when the protocol has got everything that came before."""
        self._dispatches_directly = True

    def close_unconnected(self) -> None:
        """Close the descriptors of the pipes that the loop has not taken over."""
        process = cast("subprocess.Popen[bytes]", self._proc)
        for number, pipe in enumerate((process.stdin, process.stdout, process.stderr)):
            if pipe is not None and self._pipes[number] is None:
                os.close(pipe.fileno())

    def _pipe_data_received(self, fd: int, data: bytes) -> None:
        if self._dispatches_directly:
            self._protocol.pipe_data_received(fd, data)
        else:
            super()._pipe_data_received(fd, data)

    def _on_exit(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self._loop.remove_reader(descriptor)
        os.close(descriptor)
        self._process_exited(process.wait())

    def _wait_on_thread(self) -> None:
        loop, process = self._loop, cast("subprocess.Popen[bytes]", self._proc)
        loop.call_soon_threadsafe(self._process_exited, process.wait())
