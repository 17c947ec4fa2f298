"""The answer to one HTTP request: one JSON body; or a stream of events, as soon as there is more to
say than the result, or the result lets itself be waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from router.domain.json_values import JsonObject
from router.gateway.http.http_request import Send
from router.gateway.http.jsonrpc import written
from router.runtime.tasks import spawn

SILENCE_S = 15.0
"""Whoever is between us and the client may take a connection that is silent for longer as dead."""

_JSON = (b"content-type", b"application/json")
_STREAM = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


async def respond(
    send: Send, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> None:
    """A whole answer at once; a body is JSON."""
    lines = [(b"content-length", b"%d" % len(body))]
    if body:
        lines.append(_JSON)
    for name, value in (headers or {}).items():
        lines.append((name.lower().encode(), value.encode()))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


class Answer:
    """Used in a `with` block, after which nothing more is sent."""

    def __init__(self, send: Send, headers: Mapping[str, str] | None = None) -> None:
        self._send = send
        self._headers = headers or {}
        self._streaming = False
        self._over = False
        self._turn = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._pulse = self._loop.call_later(SILENCE_S, self._beat)

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *failure: object) -> None:
        self._over = True
        self._pulse.cancel()

    @property
    def over(self) -> bool:
        return self._over

    async def tell(self, message: JsonObject) -> None:
        """Send a message before the result; when that is on its way, nothing."""
        await self.say(written(message))

    async def say(self, message: bytes) -> None:
        """The same with one that is written already."""
        await self._write(_event(message))

    async def open(self) -> None:
        """Begin the stream, before there is anything to say."""
        await self._write(b"")

    async def finish(self, body: bytes, status: int = 200) -> None:
        """Send the result, which is the end. The status is lost on a stream, which has begun."""
        async with self._turn:
            if self._over:
                return
            self._over = True
            if self._streaming:
                await self._send(_chunk(_event(body), more=False))
            else:
                await respond(self._send, status, body, self._headers)

    async def close(self) -> None:
        """End a stream without a result."""
        async with self._turn:
            self._over = True
            await self._send(_chunk(b"", more=False))

    async def _write(self, chunk: bytes) -> None:
        async with self._turn:
            if self._over:
                return
            if not self._streaming:
                own = [(name.encode(), value.encode()) for name, value in self._headers.items()]
                lines = [*_STREAM, *own]
                await self._send({"type": "http.response.start", "status": 200, "headers": lines})
                self._streaming = True
            await self._send(_chunk(chunk, more=True))

    def _beat(self) -> None:
        self._pulse = self._loop.call_later(SILENCE_S, self._beat)
        if not self._turn.locked():
            spawn(self._write(b": ping\r\n\r\n"), name="keep a stream alive")


def _event(message: bytes) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % message


def _chunk(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}
