"""A named pipe that another process writes lines to, read without a thread.

A thread that reads a pipe nobody writes to can't be stopped, and keeps the test run from ending.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from tests.support.timeouts import WAIT_S

_CHUNK_BYTES = 64 * 1024


class Fifo:
    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        # Open for both, so that the pipe does not end when the other side closes it.
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._received = b""

    async def line(self) -> str:
        async with asyncio.timeout(WAIT_S):
            while b"\n" not in self._received:
                await self._readable()
                self._received += os.read(self._descriptor, _CHUNK_BYTES)
        line, _, self._received = self._received.partition(b"\n")
        return line.decode()

    async def _readable(self) -> None:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)
