"""A small HTTP/1.1 client for our own endpoint: POST, GET and DELETE on the loopback.

Connections are kept alive for the next request, but only if the response was read to its end. A
response is read as the texts of its messages, whether it is JSON or an event stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from router.wire.http1 import InvalidResponse, ResponseHead, ResponseParser
from router.wire.sse import SseParser

_READ_BYTES = 64 * 1024
_MAX_IDLE = 8


class NotSent(Exception):
    """There is no connection: the request was certainly not processed."""


class ConnectionBroken(Exception):
    """The connection broke after the request was sent, which may have been processed or not."""


@dataclass(frozen=True, slots=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    is_new: bool = True


class Response:
    def __init__(
        self, connection: _Connection, parser: ResponseParser, head: ResponseHead, body: list[bytes]
    ) -> None:
        """`body` is what came together with the head."""
        self._connection = connection
        self._parser = parser
        self._body = body
        self.status = head.status
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in head.headers
        }

    async def body(self) -> bytes:
        return b"".join([part async for part in self._parts()])

    async def messages(self) -> AsyncGenerator[bytes]:
        """The messages of the response, each as it arrives."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            if body := await self.body():
                yield body
            return
        events = SseParser()
        async for part in self._parts():
            for event in events.feed(part):
                yield event.data

    async def _parts(self) -> AsyncGenerator[bytes]:
        for part in self._body:
            yield part
        while not self._parser.done:
            try:
                parts = await _read(self._connection, self._parser)
            except (OSError, InvalidResponse) as error:
                raise ConnectionBroken(str(error)) from error
            for part in parts:
                yield part


class BridgeHttpClient:
    """Requests to one URL; `headers` are sent with each."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path
        self._headers = {"Host": parts.netloc, **headers}
        self._idle: list[_Connection] = []

    @asynccontextmanager
    async def request(
        self, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncGenerator[Response]:
        """The response; what the block leaves unread of it is discarded with its connection."""
        connection = await self._connect()
        parser = ResponseParser(method)
        try:
            connection.writer.write(self._head(method, headers, len(body)) + body)
            yield await _response(connection, parser)
        finally:
            if parser.reusable and len(self._idle) < _MAX_IDLE:
                self._idle.append(_Connection(connection.reader, connection.writer, is_new=False))
            else:
                connection.writer.close()

    def close(self) -> None:
        for connection in self._idle:
            connection.writer.close()
        self._idle.clear()

    async def _connect(self) -> _Connection:
        while self._idle:
            connection = self._idle.pop()
            if not (connection.reader.at_eof() or connection.writer.is_closing()):
                return connection
        try:
            return _Connection(*await asyncio.open_connection(self._host, self._port))
        except OSError as error:
            raise NotSent(str(error)) from error

    def _head(self, method: str, headers: Mapping[str, str], length: int) -> bytes:
        fields = {**self._headers, **headers, "Content-Length": str(length)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {self._path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")


async def _response(connection: _Connection, parser: ResponseParser) -> Response:
    """A kept connection that ends before the first byte was closed while it was idle."""
    received = connection.is_new
    body: list[bytes] = []
    try:
        while parser.head is None:
            body = await _read(connection, parser)
            received = True
    except (OSError, InvalidResponse) as error:
        raise (ConnectionBroken if received else NotSent)(str(error)) from error
    return Response(connection, parser, parser.head, body)


async def _read(connection: _Connection, parser: ResponseParser) -> list[bytes]:
    """The next parts of the body. Raises `OSError` or `InvalidResponse`."""
    if data := await connection.reader.read(_READ_BYTES):
        return parser.feed(data)
    parser.feed_eof()
    return []
