"""Connections of odd or hostile clients, byte by byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest

from router.domain.activity import ActivityKind
from router.domain.json_values import JsonObject
from router.gateway.http import response_stream
from tests.support.running_router import RunningRouter
from tests.support.timeouts import WAIT_S

OLD = "2025-06-18"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
OFFER = (
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"
)


class Wire:
    """A connection with a session."""

    def __init__(
        self,
        running: RunningRouter,
        session: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._running = running
        self._session = session
        self.reader = reader
        self.writer = writer

    def request(self, verb: str, body: bytes = b"", more: bytes = b"") -> bytes:
        lines = {**self._running.headers(), "Mcp-Session-Id": self._session}
        lines["Host"] = httpx2.URL(self._running.url).netloc.decode()
        lines["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode()
        return f"{verb} /mcp HTTP/1.1\r\n".encode() + head + more + b"\r\n" + body

    async def status(self) -> int:
        """The status of the next response."""
        async with asyncio.timeout(WAIT_S):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await self.reader.readexactly(int(length or 0))
            return int(head.split()[1])

    async def is_closed(self) -> bool:
        try:
            async with asyncio.timeout(WAIT_S):
                await self.reader.read()
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        return True


@asynccontextmanager
async def connected(running: RunningRouter) -> AsyncGenerator[Wire]:
    _, session = await running.open_session(OLD)
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    try:
        yield Wire(running, session["Mcp_Session_Id"], reader, writer)
    finally:
        writer.close()


async def test_an_upgrade_header_does_not_lose_the_request_body(
    running: RunningRouter,
) -> None:
    """Java's HTTP client sends it with each request."""
    async with connected(running) as wire:
        for _ in range(2):
            wire.writer.write(wire.request("POST", PING, OFFER))
            assert await wire.status() == 200
        head, end, body = wire.request("POST", PING, OFFER).partition(b"\r\n\r\n")
        wire.writer.write(head + end)
        await wire.writer.drain()
        wire.writer.write(body)
        assert await wire.status() == 200


async def test_trailers_of_a_chunked_body_are_bounded(running: RunningRouter) -> None:
    async with connected(running) as wire:
        host = httpx2.URL(running.url).netloc
        wire.writer.write(
            b"POST /mcp HTTP/1.1\r\nHost: " + host + b"\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 200_000
        )
        assert await wire.is_closed()


async def test_a_pipelined_endless_head_is_bounded(running: RunningRouter) -> None:
    async with connected(running) as wire:
        wire.writer.write(wire.request("GET"))
        assert await wire.status() == 200
        wire.writer.write(b"GET /mcp HTTP/1.1\r\nX: " + b"y" * 1_000_000)
        assert await wire.is_closed()


async def test_a_stream_ends_with_its_connection_despite_a_pipelined_request(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_stream, "PING_INTERVAL_S", 0.05)
    async with connected(running) as wire:
        wire.writer.write(wire.request("GET") + wire.request("POST", PING))
        assert await wire.status() == 200
        wire.writer.close()
        again = wire.request("GET")
    url = httpx2.URL(running.url)
    async with asyncio.timeout(WAIT_S):
        while True:
            wire.reader, writer = await asyncio.open_connection(url.host, url.port)
            writer.write(again)
            status = await wire.status()
            writer.close()
            if status == 200:
                break
            assert status == 409


async def test_an_incomplete_request_is_not_executed(running: RunningRouter) -> None:
    await running.add("Test")
    echo: JsonObject = {"toolKey": "test:echo", "arguments": {}}
    call = {"name": "tool_execute", "arguments": echo}
    message: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    async with connected(running) as wire:
        body = json.dumps(message).encode()
        head = wire.request("POST").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        wire.writer.write(head + b"%x\r\n%b\r\n" % (len(body), body))
        wire.writer.write_eof()
        assert await wire.is_closed()
    await running.call("tool_execute", echo)
    calls = [e for e in running.router.activity.recent() if e.kind is ActivityKind.CALL]
    assert len(calls) == 1
