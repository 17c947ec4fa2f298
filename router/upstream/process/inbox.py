"""What a server wrote, decoded and handed on in order, a little at a time.

The usual line is handed on at once. A server that writes more than can be taken in a few
milliseconds, or a large line, is read no further until that is done: its pipe fills and it waits,
while the loop goes on with others. Those who are behind share one turn and rest after it, so that
however many write without end, most of the loop's time is left.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import ClassVar, Protocol

from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.limits import Limits
from router.upstream.message_decoder import LIGHT_BYTES, NotAMessage, decode, decode_large
from router.wire.lines import TruncatedLine

_TURN_S = 0.005
_REST_S = 2 * _TURN_S
"""After which a turn is forgotten: what takes less than a third of the time never has to rest."""
_LITTLE_S = _TURN_S / 5
"""What each gets however much the others take, so that nobody waits who writes what is usual."""


class Reader(Protocol):
    """Whoever the lines are read for."""

    def take_message(self, message: JsonObject) -> None: ...
    def take_noise(self, line: bytes, reason: str) -> None:
        """A line that is no message, and why."""
        ...

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


class Spent:
    """How much of the loop's time was taken lately."""

    def __init__(self) -> None:
        self._spent_s = 0.0
        self._until = 0.0

    def at(self, now: float) -> float:
        return max(0.0, self._spent_s - (now - self._until) * _TURN_S / _REST_S)

    def add(self, began: float, ended: float) -> None:
        self._spent_s = self.at(began) + ended - began
        self._until = ended


class Inbox:
    _behind: ClassVar[int] = 0
    """How many there are with more than could be taken at once."""
    _together: ClassVar[Spent] = Spent()

    def __init__(self, reader: Reader, limits: Limits) -> None:
        self._reader = reader
        self._limits = limits
        self._waiting: deque[bytes] = deque()
        self._working: asyncio.Task[None] | None = None
        self._own = Spent()

    def put(self, lines: Iterable[bytes]) -> None:
        self._waiting.extend(filter(None, lines))
        if self._working is None and not self._take_light_ones():
            self._reader.pause_reading()
            self._working = spawn(self._work(), name="inbox")

    def clear(self) -> None:
        """Nobody waits any more for what was put."""
        self._waiting.clear()

    async def settle(self, limit_s: float) -> None:
        """Return when all is handed on; what takes longer is dropped."""
        if self._working is not None:
            await asyncio.wait([self._working], timeout=limit_s)
        self.clear()
        await stop(self._working)

    async def _work(self) -> None:
        Inbox._behind += 1
        try:
            done = False
            while not done:
                if self._waiting and len(self._waiting[0]) > LIGHT_BYTES:
                    await self._take_heavy_one(self._waiting.popleft())
                else:
                    await asyncio.sleep(_REST_S)
                done = self._take_light_ones()
        finally:
            Inbox._behind -= 1
        self._working = None
        self._reader.resume_reading()

    def _take_light_ones(self) -> bool:
        """Those before the next heavy one, as many as fit into a turn. Whether all were taken with
        time to spare."""
        began = now = time.monotonic()
        end = began + self._left_s(began)
        while self._waiting and len(self._waiting[0]) <= LIGHT_BYTES and now < end:
            self._take_light_one(self._waiting.popleft())
            now = time.monotonic()
        self._own.add(began, now)
        self._together.add(began, now)
        return not self._waiting and now < end

    def _left_s(self, now: float) -> float:
        """Of the turn that all share: each is below its own part, and yet all may be too much."""
        own = self._own.at(now)
        of_all = max(_TURN_S - self._together.at(now), _LITTLE_S - own)
        return min(_TURN_S / max(1, Inbox._behind) - own, of_all)

    def _take_light_one(self, line: bytes) -> None:
        if isinstance(line, TruncatedLine):
            self._reader.take_noise(line, f"more than {self._limits.message_bytes:,} bytes")
            return
        try:
            messages = decode(line, self._limits)
        except NotAMessage as error:
            self._reader.take_noise(line, str(error))
        else:
            self._hand_on(messages)

    async def _take_heavy_one(self, line: bytes) -> None:
        try:
            messages = await decode_large(line, self._limits)
        except NotAMessage as error:
            self._reader.take_noise(line, str(error))
        else:
            self._hand_on(messages)

    def _hand_on(self, messages: Iterable[JsonObject]) -> None:
        for message in messages:
            self._reader.take_message(message)
