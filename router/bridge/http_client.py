"""Just enough of HTTP/1.1 to talk to our own endpoint: POST, GET and DELETE on the loopback.

Connections are kept for the next request. An answer comes as the texts of its messages, whether it
is JSON or a stream of events.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

_MAX_LINE = 64 * 1024 * 1024
_MAX_IDLE = 8


class NotSent(Exception):
    """There is nobody to talk to: the request has certainly not been carried out."""


class Broken(Exception):
    """The connection broke after the request was sent: nobody knows how far it got."""


@dataclass(frozen=True, slots=True)
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]
    connection: Connection

    @property
    def is_stream(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/event-stream")

    async def body(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    async def messages(self) -> AsyncGenerator[bytes]:
        """The messages of the answer, each as it arrives."""
        if not self.is_stream:
            if body := await self.body():
                yield body
            return
        rest = b""
        async for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                # Our endpoint writes a message on one line.
                if line.startswith(b"data:") and (data := line[5:].strip()):
                    yield data

    async def chunks(self) -> AsyncGenerator[bytes]:
        reader = self.connection.reader
        try:
            if self.headers.get("transfer-encoding") != "chunked":
                yield await reader.readexactly(int(self.headers.get("content-length", 0)))
                return
            while size := int(await reader.readuntil(b"\r\n"), 16):
                yield (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
        except (OSError, EOFError, ValueError) as error:
            raise Broken(str(error)) from error


class HttpClient:
    """Requests to one address; `headers` go with each."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path
        self._headers = {"Host": parts.netloc, **headers}
        self._idle: list[Connection] = []

    @asynccontextmanager
    async def request(
        self, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncGenerator[Response]:
        """The answer; what of it is not read when the block ends is not waited for."""
        connection, fresh = await self._connection()
        complete = False
        try:
            connection.writer.write(self._head(method, headers, len(body)) + body)
            response = await _response(connection, fresh=fresh)
            yield response
            complete = response.headers.get("connection") != "close"
        finally:
            if complete and len(self._idle) < _MAX_IDLE:
                self._idle.append(connection)
            else:
                connection.writer.close()

    def close(self) -> None:
        for connection in self._idle:
            connection.writer.close()
        self._idle.clear()

    async def _connection(self) -> tuple[Connection, bool]:
        while self._idle:
            connection = self._idle.pop()
            if not (connection.reader.at_eof() or connection.writer.is_closing()):
                return connection, False
        try:
            opened = await asyncio.open_connection(self._host, self._port, limit=_MAX_LINE)
        except OSError as error:
            raise NotSent(str(error)) from error
        return Connection(*opened), True

    def _head(self, method: str, headers: Mapping[str, str], length: int) -> bytes:
        fields = {**self._headers, **headers, "Content-Length": str(length)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {self._path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")


async def _response(connection: Connection, *, fresh: bool) -> Response:
    """A kept connection that ends before a word was said ended while nobody looked."""
    try:
        head = await connection.reader.readuntil(b"\r\n\r\n")
    except (OSError, EOFError, asyncio.LimitOverrunError) as error:
        said = getattr(error, "partial", b"")
        raise (Broken if fresh or said else NotSent)(str(error)) from error
    status_line, *lines = head.decode("latin-1").rstrip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Response(int(status_line.split()[1]), headers, connection)
