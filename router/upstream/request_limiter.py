"""Limits the concurrent requests to a server: the others wait in order, up to a bound."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from router.domain.failures import Failure, FailureKind
from router.upstream.errors import failed, time_limit

MAX_WAITING = 1000
"""Enough for hundreds of concurrent clients; with more than this the server does not answer."""


class RequestLimiter:
    """`acquire` before a request, `release` after it. First in, first out."""

    def __init__(self, limit: Callable[[], int], max_waiting: int = MAX_WAITING) -> None:
        self._limit = limit
        self._max_waiting = max_waiting
        self._active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def in_use(self) -> bool:
        return self._active > 0

    async def acquire(self, timeout_s: float | None) -> None:
        """Raises `UpstreamFailed` if too many wait already, or the turn does not come in time."""
        if self._active < self._limit():
            self._active += 1
        elif len(self._waiting) >= self._max_waiting:
            raise failed(self._busy())
        else:
            await self._wait(timeout_s)

    def release(self) -> None:
        """Let the next one in; after a change of the limit, several."""
        self._active -= 1
        while self._waiting and self._active < self._limit():
            turn = self._waiting.popleft()
            if not turn.done():
                self._active += 1
                turn.set_result(None)

    async def _wait(self, timeout_s: float | None) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with time_limit(timeout_s, self._busy()):
                await turn
        except BaseException:
            self._give_up(turn)
            raise

    def _busy(self) -> Failure:
        return Failure(FailureKind.BUSY, str(self._active + len(self._waiting)))

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        if turn.done() and not turn.cancelled():
            self.release()  # its turn came at the same moment
        elif turn in self._waiting:
            self._waiting.remove(turn)
