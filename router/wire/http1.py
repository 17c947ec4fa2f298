"""HTTP/1.1 for clients: a connection, and the incremental parser of its responses, with httptools.

A connection carries one request at a time, so wrong framing harms only the server that sent it.
httptools rejects malformed and contradictory framing. It limits no sizes and accepts more versions
and transfer encodings than we do, so this module checks those.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import cast

import httptools

_MAX_OVERHEAD_BYTES = 64 * 1024
"""How much may arrive in a row that is not body: a head, interim responses, trailers."""
_VERSIONS = ("1.0", "1.1")
_CHUNK_BYTES = 16 * 1024
_MAX_BUFFERED_BYTES = 256 * 1024


class InvalidResponse(ValueError):
    """Bytes that are not an HTTP response."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    version: bytes
    status: int
    reason: bytes
    headers: Sequence[tuple[bytes, bytes]]


class ResponseParser:
    """`head` is set once it is complete; `done` once the response is."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []
        self._overhead_bytes = 0
        self._ends_at_eof = False
        self._keep_alive = False
        self._has_excess = False
        """Whether anything came after the end of the response."""
        self.head: ResponseHead | None = None
        self.done = False

    @property
    def reusable(self) -> bool:
        """Whether the response is complete and the connection may be used again."""
        return self.done and self._keep_alive and not self._has_excess

    def feed(self, data: bytes) -> list[bytes]:
        """The parts of the body in `data`. Raises `InvalidResponse`."""
        if self.done:
            self._has_excess = True
            return []
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self.done:
                raise InvalidResponse(str(error.__context__ or error)) from None
            self._has_excess = True
        if self.done:
            del self._parser  # it refers to us: leave no cycle to the garbage collector
        parts, self._parts = self._parts, []
        self._overhead_bytes = 0 if parts else self._overhead_bytes + len(data)
        if self._overhead_bytes > _MAX_OVERHEAD_BYTES:
            raise InvalidResponse("headers without end")
        return parts

    def feed_eof(self) -> None:
        """The peer has closed the connection. Raises `InvalidResponse` if the response is
        incomplete."""
        if not self.done and not self._ends_at_eof:
            raise InvalidResponse("the connection was lost")
        self.done = True

    # Called by httptools

    def on_message_begin(self) -> None:
        self._has_excess = self.done
        self._reason, self._headers = b"", []

    def on_status(self, status: bytes) -> None:
        self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value.rstrip()))

    def on_headers_complete(self) -> None:
        status, version = self._parser.get_status_code(), self._parser.get_http_version()
        if version not in _VERSIONS:
            raise InvalidResponse("an unknown version of HTTP")
        if status < 200 or self.done:  # an interim response, or an unsolicited one
            return
        lengths, encodings = self._values(b"content-length"), self._values(b"transfer-encoding")
        if encodings not in ([], [b"chunked"]):
            raise InvalidResponse("an unknown transfer encoding")
        self._ends_at_eof = not lengths and not encodings
        version_text = f"HTTP/{version}".encode("ascii")
        self.head = ResponseHead(version_text, status, self._reason, tuple(self._headers))

    def on_body(self, body: bytes) -> None:
        if self.head is None:
            raise InvalidResponse("an interim response with a body")
        if self.done:
            self._has_excess = True
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        if self.head is not None and not self.done:
            self.done = True
            self._keep_alive = self._parser.should_keep_alive()

    def _values(self, name: bytes) -> list[bytes]:
        return [value.lower() for key, value in self._headers if key.lower() == name]


class HttpConnection(asyncio.Protocol):
    """One connection, with one request at a time. Received data is parsed by the reading task, a
    little at a time; reading is paused while too much is buffered.

    A response that is malformed or breaks off raises `broken`.
    """

    def __init__(self, broken: Callable[[str], Exception]) -> None:
        self._broken = broken
        self._transport: asyncio.Transport
        self._parser = ResponseParser()
        self._first_parts: list[bytes] = []
        """Parts of the body that arrived with the head."""
        self._buffer: deque[bytes] = deque()
        self._buffered_bytes = 0
        self._lost = False
        self._reset = False
        self._changed = asyncio.Event()
        self.expired = False
        """Whether it was closed after an earlier response, before a byte of the next: the request
        was not processed."""

    @property
    def reusable(self) -> bool:
        over = self._lost or self._transport.is_closing()
        return self._parser.reusable and not self._buffer and not over

    async def send_request(self, request: bytes) -> ResponseHead:
        """Send a request other than HEAD; returns the head of its response."""
        self.expired = self._parser.done
        self._parser = ResponseParser()
        self._transport.write(request)
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
                self.expired = False
                return self._parser.feed(self._next_chunk())
            self._parser.feed_eof()
        except InvalidResponse as error:
            raise self._broken(str(error)) from None
        if self._reset:
            raise self._broken("the connection was lost")
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
        self._lost, self._reset = True, exc is not None
        self._changed.set()
