"""A request that waits for its answer, and what the server says and asks in the meantime."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from router.catalog.tool_definition import estimated_json_length
from router.domain.failures import Failure
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.ports import ProgressSink, Requester

_BACKLOG = 1000
_BACKLOG_CHARACTERS = 16 * 1024 * 1024


class Outbox:
    """Hands on what belongs to a request in order, one at a time, off the reading path. Of more
    than can wait for a client that doesn't read, the oldest is dropped."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Callable[[], Awaitable[None]]]] = deque()
        self._characters = 0
        self._forwarding: asyncio.Task[None] | None = None

    def put(self, params: JsonObject, delivery: Callable[[], Awaitable[None]]) -> None:
        """Have `delivery` hand on `params`."""
        characters = estimated_json_length(params, _BACKLOG_CHARACTERS)
        self._waiting.append((characters, delivery))
        self._characters += characters
        while len(self._waiting) > 1 and self._is_too_much():
            self._next()
        if self._forwarding is None or self._forwarding.done():
            self._forwarding = spawn(self._forward(), name="outbox")

    async def _forward(self) -> None:
        while self._waiting:
            await self._next()()

    def _next(self) -> Callable[[], Awaitable[None]]:
        characters, delivery = self._waiting.popleft()
        self._characters -= characters
        return delivery

    def _is_too_much(self) -> bool:
        return len(self._waiting) > _BACKLOG or self._characters > _BACKLOG_CHARACTERS

    async def settle(self) -> None:
        """Return when all that came so far has been handed on."""
        if self._forwarding is not None:
            await asyncio.wait([self._forwarding])

    async def stop(self) -> None:
        await stop(self._forwarding)


class Pending:
    """One of our requests, on its way."""

    __slots__ = ("answer", "bound", "on_progress", "outbox", "questions", "requester", "standing")

    def __init__(
        self,
        on_progress: ProgressSink | None = None,
        requester: Requester | None = None,
        *,
        standing: bool = False,
    ) -> None:
        self.answer: asyncio.Future[JsonObject | Failure] = (
            asyncio.get_running_loop().create_future()
        )
        self.bound: asyncio.Timeout | None = None
        self.on_progress = on_progress
        self.requester = requester
        self.standing = standing
        """Whether it is one that waits for what may come, and nobody for it."""
        self.outbox: Outbox | None = None
        self.questions: set[asyncio.Task[None]] = set()
        """What the server wants to know first; it ends with the request."""

    def progressed(self, params: JsonObject) -> None:
        if (sink := self.on_progress) is not None:
            self._put(params, lambda: sink(params))

    def tell(self, method: str, params: JsonObject) -> None:
        """Pass a server's message on to the client whose request this is."""
        if (requester := self.requester) is not None:
            self._put(params, lambda: requester.tell(method, params))

    def give_up(self) -> None:
        """Wake whoever waits, wherever in sending or waiting they are."""
        if self.bound is not None and not self.bound.expired():
            self.bound.reschedule(0)

    async def settle(self) -> None:
        if self.outbox is not None:
            await self.outbox.settle()

    async def end(self) -> None:
        for question in tuple(self.questions):
            question.cancel()
        if self.outbox is not None:
            await self.outbox.stop()

    def _put(self, params: JsonObject, delivery: Callable[[], Awaitable[None]]) -> None:
        if self.outbox is None:
            self.outbox = Outbox()
        self.outbox.put(params, delivery)
