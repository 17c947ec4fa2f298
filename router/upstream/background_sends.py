"""Messages that nobody waits for: sent in the background, a bounded number at a time; a failure is
only logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from router.domain.errors import UpstreamFailed
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

_TIMEOUT_S = 5.0
_MAX_SENDING = 100


class BackgroundSends:
    def __init__(self, send: Callable[[JsonObject], Awaitable[None]], host: str) -> None:
        self._send = send
        self._host = host
        self._sending: set[asyncio.Task[None]] = set()

    def send_soon(self, message: JsonObject) -> None:
        if len(self._sending) >= _MAX_SENDING:
            return  # the server sends requests faster than it takes our responses
        task = spawn(self._send_or_log(message), name="background send")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def stop(self) -> None:
        for task in list(self._sending):
            await stop(task)

    async def _send_or_log(self, message: JsonObject) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await self._send(message)
        except (UpstreamFailed, TimeoutError) as error:
            log.debug("A message to %s was lost: %s", self._host, error)
