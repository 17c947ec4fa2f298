"""Servers that write without end are read in turns, and the loop keeps most of its time."""

from __future__ import annotations

import asyncio
import time

import pytest

from router.domain.json_values import JsonObject
from router.upstream.limits import LIMITS
from router.upstream.message_decoder import InvalidMessage
from router.upstream.process.inbox import Inbox

pytestmark = pytest.mark.proof
CHUNK = [b'{"jsonrpc":"2.0","method":"notifications/nonsense"}'] * 1000
WATCHED_S = 0.4


class Flood:
    """Writes more as soon as reading resumes."""

    def __init__(self) -> None:
        self.taken = 0
        self.is_read = True
        self._inbox = Inbox(self, LIMITS)

    def write(self) -> None:
        self._inbox.put(CHUNK)
        if self.is_read:
            asyncio.get_running_loop().call_soon(self.write)

    async def end(self) -> None:
        self.resume_reading = lambda: None
        await self._inbox.drain(0)

    def take_message(self, message: JsonObject) -> None:
        self.taken += 1

    def take_invalid_line(self, line: bytes, error: InvalidMessage) -> None:
        raise error

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True
        asyncio.get_running_loop().call_soon(self.write)


async def test_concurrent_floods_leave_the_loop_half_of_its_time() -> None:
    floods = [Flood() for _ in range(4)]
    began, computed = time.monotonic(), time.process_time()
    for flood in floods:
        flood.write()
    await asyncio.sleep(WATCHED_S)
    share = (time.process_time() - computed) / (time.monotonic() - began)
    for flood in floods:
        await flood.end()
    assert share < 0.6
    assert all(flood.taken for flood in floods)
