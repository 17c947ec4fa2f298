"""A small HTTP/1.1 client for our own endpoint: POST, GET and DELETE on the loopback.

Connections are kept alive for the next request, but only if the response was read to its end. A
response is read as the texts of its messages, whether it is JSON or an event stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import urlsplit

from router.wire.http1 import HttpConnection, ResponseHead
from router.wire.sse import SseParser

_MAX_IDLE = 8


class NotSent(Exception):
    """There is no connection: the request was certainly not processed."""


class ConnectionBroken(Exception):
    """The connection broke after the request was sent, which may have been processed or not."""


_new_connection = partial(HttpConnection, ConnectionBroken)


class Response:
    def __init__(self, head: ResponseHead, parts: AsyncGenerator[bytes]) -> None:
        self._parts = parts
        self.status = head.status
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in head.headers
        }

    async def body(self) -> bytes:
        return b"".join([part async for part in self._parts])

    async def messages(self) -> AsyncGenerator[bytes]:
        """The messages of the response, each as it arrives."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            if body := await self.body():
                yield body
            return
        events = SseParser()
        async for part in self._parts:
            for event in events.feed(part):
                yield event.data


class BridgeHttpClient:
    """Requests to one URL; `headers` are sent with each."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._headers = {"Host": parts.netloc, **headers}
        self._idle: list[HttpConnection] = []

    @asynccontextmanager
    async def request(
        self, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncGenerator[Response]:
        """The response; what the block leaves unread of it is discarded with its connection."""
        connection = await self._connect()
        try:
            text = self._head(method, headers, len(body)) + body
            head = await connection.send_request(text)
            yield Response(head, connection.parts())
        except ConnectionBroken as error:
            if connection.expired:
                raise NotSent(str(error)) from error
            raise
        finally:
            if connection.reusable and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
            else:
                connection.abort()

    def close(self) -> None:
        for connection in self._idle:
            connection.abort()
        self._idle.clear()

    async def _connect(self) -> HttpConnection:
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable:
                return connection
            connection.abort()
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_connection(_new_connection, self._host, self._port)
        except OSError as error:
            raise NotSent(str(error)) from error
        return connection

    def _head(self, method: str, headers: Mapping[str, str], length: int) -> bytes:
        fields = {**self._headers, **headers, "Content-Length": str(length)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {self._path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")
