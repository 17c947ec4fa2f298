"""How many discoveries run at once, and which is next: one that a request waits for comes before
the others."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager


class DiscoverySlots:
    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: OrderedDict[Hashable, asyncio.Future[None]] = OrderedDict()

    @asynccontextmanager
    async def taken(self, key: Hashable) -> AsyncGenerator[None]:
        """A slot, for the discovery that `key` names; each key is used once at a time."""
        await self._acquire(key)
        try:
            yield
        finally:
            self._release()

    def prefer(self, key: Hashable) -> None:
        """Let this discovery be the next, if it waits for a slot."""
        if key in self._waiting:
            self._waiting.move_to_end(key, last=False)

    async def _acquire(self, key: Hashable) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            await turn
        except asyncio.CancelledError:
            if self._waiting.pop(key, None) is None and not turn.cancelled():
                self._release()  # its turn had come
            raise

    def _release(self) -> None:
        while self._waiting:
            _, turn = self._waiting.popitem(last=False)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
