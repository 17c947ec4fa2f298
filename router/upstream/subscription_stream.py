"""Notifications from a modern server, which only sends them on a `subscriptions/listen` stream.

One such request stays open. It names everything that is subscribed to, so each change of a
subscription replaces it with a new one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_ACKNOWLEDGE_TIMEOUT_S = 5.0
_FIRST_RETRY_S = 1.0
_LONGEST_RETRY_S = 60.0


class SubscriptionStream:
    def __init__(
        self, listen: Callable[[JsonObject], Awaitable[JsonObject]], capabilities: JsonObject
    ) -> None:
        """`listen` sends the request and returns when the server ends its stream."""
        self._listen = listen
        self._lists = {
            f"{name}ListChanged": True
            for name in ("tools", "prompts", "resources")
            if as_object(capabilities.get(name)).get("listChanged") is True
        }
        self._uris: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._acknowledged = asyncio.Event()

    def start(self) -> None:
        wanted: JsonObject = dict(self._lists)
        if self._uris:
            wanted["resourceSubscriptions"] = sorted(self._uris)
        if wanted:
            self._acknowledged.clear()
            self._task = spawn(self._keep_listening(wanted), name="listen")

    def acknowledged(self) -> None:
        self._acknowledged.set()

    async def add(self, uri: str) -> None:
        """Subscribe to a resource too; returns when the server has acknowledged it, or later."""
        self._uris.add(uri)
        await self._restart()
        try:
            async with asyncio.timeout(_ACKNOWLEDGE_TIMEOUT_S):
                await self._acknowledged.wait()
        except TimeoutError:
            log.debug("A subscription was not acknowledged")

    async def remove(self, uri: str) -> None:
        self._uris.discard(uri)
        await self._restart()

    async def close(self) -> None:
        await stop(self._task)

    async def _restart(self) -> None:
        await stop(self._task)
        self.start()

    async def _keep_listening(self, wanted: JsonObject) -> None:
        retry_s = _FIRST_RETRY_S
        while True:
            try:
                await self._listen({"notifications": wanted})
                retry_s = _FIRST_RETRY_S
            except UpstreamAnsweredError as error:
                log.debug("The server refused subscriptions/listen: %s", error)
                return
            except UpstreamFailed as error:
                log.debug("The subscription stream ended: %s", error)
                retry_s = min(2 * retry_s, _LONGEST_RETRY_S)
            await asyncio.sleep(retry_s)
