"""Decodes the lines of a server and delivers the messages in order, within a time budget.

A normal line is delivered at once. A server that writes more than can be handled in a few
milliseconds, or a large line, is paused until that is done: its pipe fills and it blocks, while the
loop goes on. All paused servers share one time slice with a rest after it, so that most of the
loop's time is left, however many servers write without end.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import ClassVar, Protocol

from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.limits import UpstreamLimits
from router.upstream.message_decoder import (
    SMALL_MESSAGE_BYTES,
    InvalidMessage,
    MessageTooLarge,
    decode,
    decode_large,
)
from router.wire.lines import TruncatedLine, ends_of

_SLICE_S = 0.005
_REST_S = 2 * _SLICE_S
"""After which a slice is free again: what takes less than a third of the time is never paused."""
_MIN_SLICE_S = _SLICE_S / 5
"""What each server gets whatever the others use, so that normal traffic is never delayed."""


class Reader(Protocol):
    """Receives what the lines contain, and controls the pipe."""

    def take_message(self, message: JsonObject) -> None: ...
    def take_invalid_line(self, line: bytes, error: InvalidMessage) -> None:
        """A line that is not a message, and why."""
        ...

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


class TimeSpent:
    """How much of the loop's time was used recently."""

    def __init__(self) -> None:
        self._spent_s = 0.0
        self._until = 0.0

    def at(self, now: float) -> float:
        return max(0.0, self._spent_s - (now - self._until) * _SLICE_S / _REST_S)

    def add(self, began: float, ended: float) -> None:
        self._spent_s = self.at(began) + ended - began
        self._until = ended


class Inbox:
    _paused: ClassVar[int] = 0
    """How many inboxes are paused."""
    _shared: ClassVar[TimeSpent] = TimeSpent()

    def __init__(self, reader: Reader, limits: UpstreamLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._queue: deque[bytes] = deque()
        self._catching_up: asyncio.Task[None] | None = None
        self._own = TimeSpent()

    def put(self, lines: Iterable[bytes]) -> None:
        self._queue.extend(filter(None, lines))
        if self._catching_up is None and not self._deliver_small():
            self._reader.pause_reading()
            self._catching_up = spawn(self._catch_up(), name="inbox")

    def clear(self) -> None:
        """Drop what is queued."""
        self._queue.clear()

    async def drain(self, limit_s: float) -> None:
        """Return when everything is delivered; what takes longer is dropped."""
        if self._catching_up is not None:
            await asyncio.wait([self._catching_up], timeout=limit_s)
        self.clear()
        await stop(self._catching_up)

    async def _catch_up(self) -> None:
        Inbox._paused += 1
        try:
            done = False
            while not done:
                if self._queue and len(self._queue[0]) > SMALL_MESSAGE_BYTES:
                    await self._deliver_large()
                else:
                    await asyncio.sleep(_REST_S)
                done = self._deliver_small()
        finally:
            Inbox._paused -= 1
        self._catching_up = None
        self._reader.resume_reading()

    def _deliver_small(self) -> bool:
        """Deliver the small lines before the next large one, within the slice. Whether the queue is
        empty and time is left."""
        began = now = time.monotonic()
        end = began + self._remaining_s(began)
        while self._queue and len(self._queue[0]) <= SMALL_MESSAGE_BYTES and now < end:
            self._deliver_line(self._queue.popleft())
            now = time.monotonic()
        self._own.add(began, now)
        self._shared.add(began, now)
        return not self._queue and now < end

    def _remaining_s(self, now: float) -> float:
        """What is left of the shared slice: each may be within its share, and yet the sum too
        much."""
        own = self._own.at(now)
        of_all = max(_SLICE_S - self._shared.at(now), _MIN_SLICE_S - own)
        return min(_SLICE_S / max(1, Inbox._paused) - own, of_all)

    def _deliver_line(self, line: bytes) -> None:
        if isinstance(line, TruncatedLine):
            self._reader.take_invalid_line(line, MessageTooLarge(self._limits))
            return
        try:
            self._deliver(decode(line, self._limits))
        except InvalidMessage as error:
            self._reader.take_invalid_line(line, error)

    async def _deliver_large(self) -> None:
        line = ends_of(self._queue[0])
        try:
            self._deliver(await decode_large(self._queue.popleft(), self._limits))
        except InvalidMessage as error:
            self._reader.take_invalid_line(line, error)

    def _deliver(self, messages: Iterable[JsonObject]) -> None:
        for message in messages:
            self._reader.take_message(message)
