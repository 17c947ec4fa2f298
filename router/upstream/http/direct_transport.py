"""An httpx transport that speaks HTTP/1.1 without a pool: one asyncio protocol per connection.

Replaces httpx's own transport, which takes four times as long for a small call, in layers that a
client of one origin does not need.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import TypeAlias

import httpx2

from router.wire.http1 import HttpConnection

CONNECT_TIMEOUT_S = 5.0
_MAX_IDLE = 32
# Common servers close idle connections after 5 s: stop using them before that, because a request
# that is lost then can't be distinguished from one that was processed.
IDLE_S = 4.0
_FORBIDDEN = re.compile(rb"[\r\n\0]")
_new_connection = partial(HttpConnection, httpx2.RemoteProtocolError)

_Origin: TypeAlias = tuple[str, str, int]
_Idle: TypeAlias = tuple[HttpConnection, float]
"""A connection, and when it was used last."""


class DirectTransport(httpx2.AsyncBaseTransport):
    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._idle: dict[_Origin, list[_Idle]] = {}
        self._connections: set[HttpConnection] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        text = _serialize(request)
        origin = _origin(request.url)
        connection = self._idle_connection(origin) or await self._connect(origin)
        try:
            head = await connection.send_request(text)
        except BaseException:
            self._drop(connection)
            raise
        return httpx2.Response(
            head.status,
            headers=list(head.headers),
            stream=_Body(self, origin, connection),
            extensions={"http_version": head.version, "reason_phrase": head.reason},
        )

    async def aclose(self) -> None:
        for connection in list(self._connections):
            self._drop(connection)

    def give_back(self, origin: _Origin, connection: HttpConnection) -> None:
        """Take back a connection whose response was read as far as it was wanted."""
        idle = self._idle.setdefault(origin, [])
        if connection.reusable and len(idle) < _MAX_IDLE:
            idle.append((connection, time.monotonic()))
        else:
            self._drop(connection)

    def _idle_connection(self, origin: _Origin) -> HttpConnection | None:
        idle = self._idle.get(origin, [])
        while idle:
            connection, since = idle.pop()  # the one used last, so that others expire
            if connection.reusable and time.monotonic() - since < IDLE_S:
                return connection
            self._drop(connection)
        return None

    async def _connect(self, origin: _Origin) -> HttpConnection:
        scheme, host, port = origin
        tls = self._tls if scheme == "https" else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                _, connection = await loop.create_connection(_new_connection, host, port, ssl=tls)
        except TimeoutError:
            raise httpx2.ConnectTimeout("") from None
        except OSError as error:
            raise httpx2.ConnectError(error.strerror or str(error)) from error
        self._connections.add(connection)
        return connection

    def _drop(self, connection: HttpConnection) -> None:
        self._connections.discard(connection)
        connection.abort()


class _Body(httpx2.AsyncByteStream):
    def __init__(
        self, transport: DirectTransport, origin: _Origin, connection: HttpConnection
    ) -> None:
        self._transport = transport
        self._origin = origin
        self._connection = connection
        self._open = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._connection.parts()

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._transport.give_back(self._origin, self._connection)


def _origin(url: httpx2.URL) -> _Origin:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _serialize(request: httpx2.Request) -> bytes:
    """The bytes of the request. Raises `httpx2.LocalProtocolError` for a line break in a header,
    without quoting it."""
    target = request.url.raw_path
    lines = [b"%s %s HTTP/1.1" % (request.method.encode("ascii"), target)]
    lines += [b"%s: %s" % pair for pair in request.headers.raw]
    if any(map(_FORBIDDEN.search, lines)):
        raise httpx2.LocalProtocolError("a header that can't be sent")
    return b"\r\n".join((*lines, b"", request.read()))
