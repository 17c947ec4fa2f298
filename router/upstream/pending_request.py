"""A request that waits for its response, with the messages that come meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from router.catalog.tool_definition import estimated_json_length
from router.domain.failures import Failure
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.ports import CallOptions

_MAX_QUEUED = 1000
_MAX_QUEUED_CHARACTERS = 16 * 1024 * 1024


class NotificationQueue:
    """Delivers what belongs to a request in order, one at a time, outside of the reading path. If
    the client doesn't read and too much is queued, the oldest is dropped."""

    def __init__(self) -> None:
        self._queue: deque[tuple[int, Callable[[], Awaitable[None]]]] = deque()
        self._characters = 0
        self._task: asyncio.Task[None] | None = None

    def put(self, params: JsonObject, delivery: Callable[[], Awaitable[None]]) -> None:
        """Queue `delivery`, which delivers `params`."""
        characters = estimated_json_length(params, _MAX_QUEUED_CHARACTERS)
        self._queue.append((characters, delivery))
        self._characters += characters
        while len(self._queue) > 1 and self._is_full():
            self._next()
        if self._task is None or self._task.done():
            self._task = spawn(self._forward(), name="notifications")

    async def _forward(self) -> None:
        while self._queue:
            await self._next()()

    def _next(self) -> Callable[[], Awaitable[None]]:
        characters, delivery = self._queue.popleft()
        self._characters -= characters
        return delivery

    def _is_full(self) -> bool:
        return len(self._queue) > _MAX_QUEUED or self._characters > _MAX_QUEUED_CHARACTERS

    async def drain(self) -> None:
        """Return when everything queued so far has been delivered."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        await stop(self._task)


@dataclass(slots=True, eq=False)
class PendingRequest:
    """One of our requests in progress."""

    options: CallOptions
    is_subscription: bool
    """Whether it is `subscriptions/listen`, whose response nobody waits for."""
    response: asyncio.Future[JsonObject | Failure] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    timeout: asyncio.Timeout | None = None
    notifications: NotificationQueue | None = None
    server_requests: set[asyncio.Task[None]] = field(default_factory=lambda: set())
    """Requests of the server that belong to it; they end with it."""

    def notify_progress(self, params: JsonObject) -> None:
        if (sink := self.options.on_progress) is not None:
            self._put(params, lambda: sink(params))

    def notify(self, method: str, params: JsonObject) -> None:
        """Pass a server's notification on to the client whose call this is."""
        if (client := self.options.client) is not None:
            self._put(params, lambda: client.notify(method, params))

    def expire(self) -> None:
        """End it now as if its timeout was over, whether it is being sent or waits."""
        if self.timeout is not None and not self.timeout.expired():
            self.timeout.reschedule(0)

    async def drain(self) -> None:
        if self.notifications is not None:
            await self.notifications.drain()

    async def end(self) -> None:
        for server_request in tuple(self.server_requests):
            server_request.cancel()
        if self.notifications is not None:
            await self.notifications.stop()

    def _put(self, params: JsonObject, delivery: Callable[[], Awaitable[None]]) -> None:
        if self.notifications is None:
            self.notifications = NotificationQueue()
        self.notifications.put(params, delivery)
