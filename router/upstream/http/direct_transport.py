"""An httpx transport that speaks HTTP/1.1 without a pool: one asyncio protocol per connection.

Replaces httpx's own transport, which takes four times as long for a small call, in layers that a
client of one origin does not need.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeAlias, cast

import httpx2

from router.wire.http1 import InvalidResponse, ResponseHead, ResponseParser

CONNECT_TIMEOUT_S = 5.0
_MAX_IDLE = 32
# Common servers close idle connections after 5 s: stop using them before that, because a request
# that is lost then can't be told from one that was processed.
IDLE_S = 4.0
_CHUNK_BYTES = 16 * 1024
_MAX_BUFFERED_BYTES = 256 * 1024
_FORBIDDEN = re.compile(rb"[\r\n\0]")

_Origin: TypeAlias = tuple[str, str, int]


class DirectTransport(httpx2.AsyncBaseTransport):
    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._idle: dict[_Origin, list[_Connection]] = {}
        self._connections: set[_Connection] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        text = _serialize(request)
        origin = _origin(request.url)
        connection = self._idle_connection(origin) or await self._connect(origin)
        try:
            head = await connection.send_request(request.method, text)
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

    def give_back(self, origin: _Origin, connection: _Connection) -> None:
        """Take back a connection whose response was read as far as it was wanted."""
        idle = self._idle.setdefault(origin, [])
        if connection.reusable and len(idle) < _MAX_IDLE:
            connection.idle_since = time.monotonic()
            idle.append(connection)
        else:
            self._drop(connection)

    def _idle_connection(self, origin: _Origin) -> _Connection | None:
        idle = self._idle.get(origin, [])
        while idle:
            connection = idle.pop()  # the one used last, so that others expire
            if connection.reusable and time.monotonic() - connection.idle_since < IDLE_S:
                return connection
            self._drop(connection)
        return None

    async def _connect(self, origin: _Origin) -> _Connection:
        scheme, host, port = origin
        tls = self._tls if scheme == "https" else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                _, connection = await loop.create_connection(_Connection, host, port, ssl=tls)
        except TimeoutError:
            raise httpx2.ConnectTimeout("") from None
        except OSError as error:
            raise httpx2.ConnectError(error.strerror or str(error)) from error
        self._connections.add(connection)
        return connection

    def _drop(self, connection: _Connection) -> None:
        self._connections.discard(connection)
        connection.abort()


class _Body(httpx2.AsyncByteStream):
    def __init__(
        self, transport: DirectTransport, origin: _Origin, connection: _Connection
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


class _Connection(asyncio.Protocol):
    """One connection, with one request at a time. Received data is parsed by the reading task, a
    little at a time; reading is paused while too much is buffered."""

    def __init__(self) -> None:
        self.idle_since = 0.0
        self._transport: asyncio.Transport
        self._parser = ResponseParser("")
        self._first_parts: list[bytes] = []
        """Parts of the body that arrived with the head."""
        self._buffer: deque[bytes] = deque()
        self._buffered_bytes = 0
        self._lost = False
        self._broken = False
        self._changed = asyncio.Event()

    @property
    def reusable(self) -> bool:
        over = self._lost or self._transport.is_closing()
        return self._parser.reusable and not self._buffer and not over

    async def send_request(self, method: str, text: bytes) -> ResponseHead:
        """Send a request; returns the head of its response."""
        self._parser = ResponseParser(method)
        self._transport.write(text)
        while self._parser.head is None:
            await self._wait_for_data()
            self._first_parts = self._parse()
        return self._parser.head

    async def parts(self) -> AsyncGenerator[bytes]:
        for part in self._first_parts:
            yield part
        while not self._parser.done:
            await self._wait_for_data()
            for part in self._parse():
                yield part

    def abort(self) -> None:
        self._transport.abort()

    async def _wait_for_data(self) -> None:
        """Return when data is buffered, or the connection is lost."""
        if self._buffer:
            await asyncio.sleep(0)  # there may be thousands of chunks in it
        while not self._buffer and not self._lost:
            self._changed.clear()
            await self._changed.wait()

    def _parse(self) -> list[bytes]:
        try:
            if self._buffer:
                return self._parser.feed(self._next_chunk())
            self._parser.feed_eof()
        except InvalidResponse as error:
            raise httpx2.RemoteProtocolError(str(error)) from None
        if self._broken:
            raise httpx2.ReadError("the connection broke off")
        return []

    def _next_chunk(self) -> bytes:
        data = self._buffer.popleft()
        if len(data) > _CHUNK_BYTES:
            self._buffer.appendleft(data[_CHUNK_BYTES:])
            data = data[:_CHUNK_BYTES]
        self._buffered_bytes -= len(data)
        if self._buffered_bytes < _MAX_BUFFERED_BYTES and not self._lost:
            self._transport.resume_reading()
        return data

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop's transports have the methods but not the base classes.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer.append(data)
        self._buffered_bytes += len(data)
        if self._buffered_bytes >= _MAX_BUFFERED_BYTES:
            self._transport.pause_reading()
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost, self._broken = True, exc is not None
        self._changed.set()


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
