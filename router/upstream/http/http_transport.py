"""What both HTTP transports have in common: the HTTP client, and messages that nobody waits for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import ClassVar

from router.domain.errors import UpstreamFailed
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.http.http_client import EVENT_STREAM, JSON, Credentials, HttpClient
from router.upstream.limits import LIMITS, UpstreamLimits
from router.upstream.peer import Peer

log = logging.getLogger(__name__)

POST_HEADERS = {"accept": f"{JSON}, {EVENT_STREAM}", "content-type": JSON}
_BACKGROUND_TIMEOUT_S = 5.0
_MAX_BACKGROUND_SENDS = 100


class HttpTransport:
    """A `Transport` to a URL, except for `start` and `send`."""

    is_closing = False
    authenticated_method: ClassVar[str] = "POST"
    """The method whose responses accept or refuse the access token."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials | None = None,
        *,
        limits: UpstreamLimits = LIMITS,
    ) -> None:
        self._http = HttpClient(
            url,
            headers,
            credentials,
            limits=limits,
            authenticated_method=self.authenticated_method,
        )
        self._limits = limits
        self._background_sends: set[asyncio.Task[None]] = set()
        self._peer: Peer

    async def send(self, message: JsonObject) -> None:
        raise NotImplementedError

    def send_soon(self, message: JsonObject) -> None:
        """Send `message` in the background; a failure is only logged. Dropped if too many are being
        sent: then the server sends requests faster than it takes our responses."""
        if len(self._background_sends) < _MAX_BACKGROUND_SENDS:
            send = self._send_or_log(message)
            spawn(send, name="background send", group=self._background_sends)

    async def close(self) -> None:
        await self._stop_background_sends()
        await self._http.close()

    async def _stop_background_sends(self) -> None:
        for task in tuple(self._background_sends):
            await stop(task)

    async def _send_or_log(self, message: JsonObject) -> None:
        try:
            async with asyncio.timeout(_BACKGROUND_TIMEOUT_S):
                await self.send(message)
        except (UpstreamFailed, TimeoutError) as error:
            log.debug("A message to %s was lost: %s", self._http.host, error)
