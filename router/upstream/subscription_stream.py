"""Hearing what changed at a server of the stateless revision, which speaks only when asked.

One `subscriptions/listen` request stays open, whose stream brings the changes. What shall be heard
changes with each subscription, so then it is sent anew.
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
_ACKNOWLEDGED_WITHIN_S = 5.0
_FIRST_RETRY_S = 1.0
_LONGEST_RETRY_S = 60.0


class Listening:
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
        self._addresses: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._acknowledged = asyncio.Event()

    def begin(self) -> None:
        wanted: JsonObject = dict(self._lists)
        if self._addresses:
            wanted["resourceSubscriptions"] = sorted(self._addresses)
        if wanted:
            self._acknowledged.clear()
            self._task = spawn(self._keep_listening(wanted), name="listen")

    def acknowledged(self) -> None:
        self._acknowledged.set()

    async def add(self, address: str) -> None:
        """Listen for a resource too; returns when the server has said yes, or a while later."""
        self._addresses.add(address)
        await self._again()
        try:
            async with asyncio.timeout(_ACKNOWLEDGED_WITHIN_S):
                await self._acknowledged.wait()
        except TimeoutError:
            log.debug("A subscription was not acknowledged")

    async def remove(self, address: str) -> None:
        self._addresses.discard(address)
        await self._again()

    async def close(self) -> None:
        await stop(self._task)

    async def _again(self) -> None:
        await stop(self._task)
        self.begin()

    async def _keep_listening(self, wanted: JsonObject) -> None:
        retry_s = _FIRST_RETRY_S
        while True:
            try:
                await self._listen({"notifications": wanted})
                retry_s = _FIRST_RETRY_S
            except UpstreamAnsweredError as error:
                log.debug("It does not let us listen: %s", error)
                return
            except UpstreamFailed as error:
                log.debug("Listening ended: %s", error)
                retry_s = min(2 * retry_s, _LONGEST_RETRY_S)
            await asyncio.sleep(retry_s)
