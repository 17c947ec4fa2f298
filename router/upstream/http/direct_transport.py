"""HTTP/1.1 straight to a server: one asyncio protocol per connection, kept alive for a while.

Takes the place of httpx's own transport, which spends four times as long on a small call, in layers
that a client of one address does not need.
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

from router.upstream.http.response_parser import BadReply, Head, ReplyParser

CONNECT_TIMEOUT_S = 5.0
_MOST_IDLE = 32
# Common servers drop idle connections after 5 s: stop using them before that, because a request
# lost in between can't be told from one that was processed.
IDLE_S = 4.0
_PIECE_BYTES = 16 * 1024
_MOST_WAITING_BYTES = 256 * 1024
_UNSENDABLE = re.compile(rb"[\r\n\0]")

_Origin: TypeAlias = tuple[str, str, int]


class DirectTransport(httpx2.AsyncBaseTransport):
    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._idle: dict[_Origin, list[_Wire]] = {}
        self._wires: set[_Wire] = set()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        text = _text_of(request)
        origin = _origin(request.url)
        wire = self._idle_wire(origin) or await self._connect(origin)
        try:
            head = await wire.ask(request.method, text)
        except BaseException:
            self._drop(wire)
            raise
        return httpx2.Response(
            head.status,
            headers=list(head.headers),
            stream=_Body(self, origin, wire),
            extensions={"http_version": head.version, "reason_phrase": head.reason},
        )

    async def aclose(self) -> None:
        for wire in list(self._wires):
            self._drop(wire)

    def give_back(self, origin: _Origin, wire: _Wire) -> None:
        """The reply was read as far as it is wanted."""
        idle = self._idle.setdefault(origin, [])
        if wire.reusable and len(idle) < _MOST_IDLE:
            wire.idle_since = time.monotonic()
            idle.append(wire)
        else:
            self._drop(wire)

    def _idle_wire(self, origin: _Origin) -> _Wire | None:
        idle = self._idle.get(origin, [])
        while idle:
            wire = idle.pop()  # the one used last, so that the others can grow old
            if wire.reusable and time.monotonic() - wire.idle_since < IDLE_S:
                return wire
            self._drop(wire)
        return None

    async def _connect(self, origin: _Origin) -> _Wire:
        scheme, host, port = origin
        tls = self._tls if scheme == "https" else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                _, wire = await loop.create_connection(_Wire, host, port, ssl=tls)
        except TimeoutError:
            raise httpx2.ConnectTimeout("") from None
        except OSError as error:
            raise httpx2.ConnectError(error.strerror or str(error)) from error
        self._wires.add(wire)
        return wire

    def _drop(self, wire: _Wire) -> None:
        self._wires.discard(wire)
        wire.abort()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, transport: DirectTransport, origin: _Origin, wire: _Wire) -> None:
        self._transport = transport
        self._origin = origin
        self._wire = wire
        self._open = True

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._wire.parts()

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._transport.give_back(self._origin, self._wire)


class _Wire(asyncio.Protocol):
    """One connection, with one request on it at a time. What comes in is taken apart by whoever
    reads it, a little at a time, and read no further while too much of it waits."""

    def __init__(self) -> None:
        self.idle_since = 0.0
        self._transport: asyncio.Transport
        self._parser = ReplyParser("")
        self._first: list[bytes] = []
        """What of the body came with the head."""
        self._raw: deque[bytes] = deque()
        self._raw_bytes = 0
        self._lost = False
        self._broken = False
        self._news = asyncio.Event()

    @property
    def reusable(self) -> bool:
        over = self._lost or self._transport.is_closing()
        return self._parser.ends_cleanly and not self._raw and not over

    async def ask(self, method: str, text: bytes) -> Head:
        """Send a request and return when its reply begins."""
        self._parser = ReplyParser(method)
        self._transport.write(text)
        while self._parser.head is None:
            await self._more()
            self._first = self._taken()
        return self._parser.head

    async def parts(self) -> AsyncGenerator[bytes]:
        for part in self._first:
            yield part
        while not self._parser.done:
            await self._more()
            for part in self._taken():
                yield part

    def abort(self) -> None:
        self._transport.abort()

    async def _more(self) -> None:
        """Return when there is something to take, or nothing will come."""
        if self._raw:
            await asyncio.sleep(0)  # there may be thousands of chunks in it
        while not self._raw and not self._lost:
            self._news.clear()
            await self._news.wait()

    def _taken(self) -> list[bytes]:
        try:
            if self._raw:
                return self._parser.feed(self._next_piece())
            self._parser.end()
        except BadReply as error:
            raise httpx2.RemoteProtocolError(str(error)) from None
        if self._broken:
            raise httpx2.ReadError("the connection broke off")
        return []

    def _next_piece(self) -> bytes:
        data = self._raw.popleft()
        if len(data) > _PIECE_BYTES:
            self._raw.appendleft(data[_PIECE_BYTES:])
            data = data[:_PIECE_BYTES]
        self._raw_bytes -= len(data)
        if self._raw_bytes < _MOST_WAITING_BYTES and not self._lost:
            self._transport.resume_reading()
        return data

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop's transports have the methods but not the base classes.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._raw.append(data)
        self._raw_bytes += len(data)
        if self._raw_bytes >= _MOST_WAITING_BYTES:
            self._transport.pause_reading()
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost, self._broken = True, exc is not None
        self._news.set()


def _origin(url: httpx2.URL) -> _Origin:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def _text_of(request: httpx2.Request) -> bytes:
    """The request as it is sent. Raises `httpx2.LocalProtocolError` for what would break out of a
    line, without repeating it."""
    target = request.url.raw_path
    lines = [b"%s %s HTTP/1.1" % (request.method.encode("ascii"), target)]
    lines += [b"%s: %s" % pair for pair in request.headers.raw]
    if any(map(_UNSENDABLE.search, lines)):
        raise httpx2.LocalProtocolError("a header that can't be sent")
    return b"\r\n".join((*lines, b"", request.read()))
