"""A minimal client, so that its own cost does not affect the measurement.

It uses the protocol revision 2025-06-18, which every proxy supports, as raw bytes: over HTTP with
one keep-alive connection for each concurrent caller, all in one session, or over a child's pipes.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

PROTOCOL_VERSION = "2025-06-18"
INITIALIZE = {
    "protocolVersion": PROTOCOL_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
request_ids = itertools.count(1)
"""Ids must differ within a session, even between its connections."""


class Connection(Protocol):
    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request; raises `RuntimeError` for an error."""
        ...


C = TypeVar("C", bound=Connection)


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    fields: Mapping[str, str]
    body: bytes


class HttpConnection:
    """One connection, one request at a time; responses are JSON or server-sent events."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._address = urlsplit(url)
        self._headers = dict(headers)
        self._closing = False

    async def open(self) -> None:
        host, port = self._address.hostname, self._address.port
        self._reader, self._writer = await asyncio.open_connection(host, port)
        self._closing = False

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def initialize(self) -> dict[str, str]:
        """Open a new session; returns the headers that make other connections part of it."""
        self._headers.pop("Mcp-Session-Id", None)
        response = await self._post_ok(request(next(request_ids), "initialize", INITIALIZE))
        self._headers["MCP-Protocol-Version"] = PROTOCOL_VERSION
        if session := response.fields.get("mcp-session-id"):
            self._headers["Mcp-Session-Id"] = session
        await self._post_ok(INITIALIZED)
        return self._headers

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        response = await self._post_ok(request(next(request_ids), method, params))
        return result_of(message_in(response.body))

    async def _post_ok(self, body: bytes) -> Response:
        response = await self.post(body)
        if response.status >= 300:
            returned = f"returned {response.status}: {response.body[:300]!r}"
            raise RuntimeError(f"{self._address.geturl()} {returned}")
        return response

    async def post(self, body: bytes, headers: Mapping[str, str] | None = None) -> Response:
        if self._closing or self._reader.at_eof():  # closed by the server
            await self.close()
            await self.open()
        self._writer.write(self._head(len(body), headers or {}) + body)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status, fields = parse_head(head)
        self._closing = fields.get("connection") == "close"
        return Response(status, fields, await self._body(fields))

    def _head(self, length: int, headers: Mapping[str, str]) -> bytes:
        fields = {
            "Host": self._address.netloc,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(length),
            **self._headers,
            **headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        target = self._address._replace(scheme="", netloc="").geturl()
        return f"POST {target} HTTP/1.1\r\n{lines}\r\n".encode()

    async def _body(self, fields: Mapping[str, str]) -> bytes:
        if fields.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(fields.get("content-length", 0)))
        chunks: list[bytes] = []
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            chunks.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readexactly(2)
        return b"".join(chunks)


class StdioConnection:
    """A child process; any number of requests may be in progress."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def open(self) -> None:
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe
        )
        assert self._process.stdin
        assert self._process.stdout
        self._writer, self._reader = self._process.stdin, self._process.stdout
        self._receiving = asyncio.get_running_loop().create_task(self._receive())
        await self.ask("initialize", INITIALIZE)
        self._writer.write(INITIALIZED + b"\n")

    async def close(self) -> None:
        self._writer.close()
        await self._process.wait()
        await self._receiving

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(request_ids)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(request(number, method, params) + b"\n")
        return result_of(await self._waiting[number])

    async def _receive(self) -> None:
        async for line in self._reader:
            message = json.loads(line)
            self._waiting.pop(message["id"]).set_result(message)


@asynccontextmanager
async def http_connections(
    url: str, headers: Mapping[str, str], count: int
) -> AsyncGenerator[list[HttpConnection]]:
    """`count` connections in one session."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(opened(HttpConnection(url, headers)))
        session = await first.initialize()
        others = (opened(HttpConnection(url, session)) for _ in range(count - 1))
        yield [first, *[await stack.enter_async_context(other) for other in others]]


@asynccontextmanager
async def opened(connection: C) -> AsyncGenerator[C]:
    await connection.open()
    try:
        yield connection
    finally:
        await connection.close()


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode()


def parse_head(head: bytes) -> tuple[int, dict[str, str]]:
    status_line, *lines = head.decode("latin-1").rstrip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return int(status_line.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}


def message_in(body: bytes) -> dict[str, Any]:
    """The response in a body that is either JSON or a stream of events."""
    if body.startswith(b"{"):
        return json.loads(body)
    data = (line[5:] for line in body.splitlines() if line.startswith(b"data:"))
    messages = (json.loads(text) for text in data if text.strip())
    return next(message for message in messages if "id" in message)


def result_of(message: dict[str, Any]) -> dict[str, Any]:
    if "error" in message:
        raise RuntimeError(f"The response is an error: {message['error']}")
    return message["result"]
