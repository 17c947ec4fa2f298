"""The response to one HTTP request: one JSON body; or, as soon as there is a message before the
result or the result takes long, a stream of server-sent events (SSE).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from router.domain.json_values import JsonObject
from router.gateway.http.http_request import Send
from router.gateway.http.message_parts import MessageParts
from router.runtime.tasks import spawn
from router.wire.jsonrpc import encode

PING_INTERVAL_S = 15.0
"""Proxies and clients may take a connection that is silent for longer as dead."""

_JSON = (b"content-type", b"application/json")
_STREAM = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


async def respond(
    send: Send,
    status: int,
    body: MessageParts | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a complete response; a body is JSON."""
    parts = body or deque([b""])
    lines = [(b"content-length", b"%d" % sum(map(len, parts)))]
    if body:
        lines.append(_JSON)
    for name, value in (headers or {}).items():
        lines.append((name.lower().encode(), value.encode()))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await _send_parts(send, parts)


async def _send_parts(send: Send, parts: MessageParts) -> None:
    """Send the end of a response."""
    while parts:
        part = parts.popleft()
        await send(_chunk(part, more=bool(parts)))


class ResponseStream:
    """Used in a `with` block, after which nothing more is sent."""

    def __init__(self, send: Send, headers: Mapping[str, str] | None = None) -> None:
        self._send = send
        self._headers = headers or {}
        self._streaming = False
        self.closed = False
        """Whether nothing more is sent."""
        self._lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._ping_timer = self._loop.call_later(PING_INTERVAL_S, self._ping)

    def __enter__(self) -> ResponseStream:
        return self

    def __exit__(self, *failure: object) -> None:
        self.closed = True
        self._ping_timer.cancel()

    async def send(self, message: JsonObject) -> None:
        """Send a message before the result; once that is on its way, do nothing."""
        await self.send_parts(deque([encode(message)]))

    async def send_parts(self, message: MessageParts) -> None:
        await self._write(_event(message))

    async def open(self) -> None:
        """Begin the stream, before there is any message."""
        await self._write(deque([b""]))

    async def finish(self, message: MessageParts, status: int = 200) -> None:
        """Send the response message, which is the last. A stream has begun with status 200, so
        there `status` has no effect."""
        async with self._lock:
            if self.closed:
                return
            self.closed = True
            if self._streaming:
                await _send_parts(self._send, _event(message))
            else:
                await respond(self._send, status, message, self._headers)

    async def close(self) -> None:
        """End a stream without a response message."""
        async with self._lock:
            self.closed = True
            await self._send(_chunk(b"", more=False))

    async def _write(self, parts: MessageParts) -> None:
        async with self._lock:
            if self.closed:
                return
            if not self._streaming:
                own = [(name.encode(), value.encode()) for name, value in self._headers.items()]
                lines = [*_STREAM, *own]
                await self._send({"type": "http.response.start", "status": 200, "headers": lines})
                self._streaming = True
            while parts:
                await self._send(_chunk(parts.popleft(), more=True))

    def _ping(self) -> None:
        self._ping_timer = self._loop.call_later(PING_INTERVAL_S, self._ping)
        if not self._lock.locked():
            spawn(self._write(deque([b": ping\r\n\r\n"])), name="ping a client")


def _event(message: MessageParts) -> MessageParts:
    if len(message) == 1:
        return deque([b"event: message\r\ndata: %b\r\n\r\n" % message[0]])
    message.appendleft(b"event: message\r\ndata: ")
    message.append(b"\r\n\r\n")
    return message


def _chunk(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}
