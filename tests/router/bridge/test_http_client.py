"""The bridge's HTTP client, against endpoints that break the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import pytest

from router.bridge.http_client import BridgeHttpClient, ConnectionBroken, NotSent
from tests.support.timeouts import WAIT_S

OK = b"HTTP/1.1 200 OK\r\n"
SMALL = OK + b"Content-Length: 2\r\n\r\nok"


class Endpoint:
    """Answers each request with the next of `responses`; an empty one closes the connection."""

    def __init__(self, responses: Sequence[bytes]) -> None:
        self._responses = iter(responses)
        self._handlers: list[asyncio.Task[None] | None] = []

    @property
    def connections(self) -> int:
        return len(self._handlers)

    async def finish(self) -> None:
        """Return when the client has closed all connections."""
        async with asyncio.timeout(WAIT_S):
            await asyncio.wait(filter(None, self._handlers))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handlers.append(asyncio.current_task())
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                response = next(self._responses, b"")
                if not response:
                    break
                writer.write(response)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def connected(*responses: bytes) -> AsyncGenerator[tuple[BridgeHttpClient, Endpoint]]:
    endpoint = Endpoint(responses)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    client = BridgeHttpClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", {})
    try:
        yield client, endpoint
    finally:
        client.close()
        server.close()
        await endpoint.finish()


async def body_of(client: BridgeHttpClient) -> bytes:
    async with client.request("POST", {}) as response:
        return await response.body()


async def test_a_connection_is_reused_once_its_response_was_read() -> None:
    async with connected(SMALL, SMALL) as (client, endpoint):
        assert [await body_of(client), await body_of(client)] == [b"ok", b"ok"]
        assert endpoint.connections == 1


@pytest.mark.parametrize(
    "malformed",
    [b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 okay\r\n\r\n", b"220 mail.example ESMTP\r\n\r\n"],
)
async def test_a_malformed_status_line_fails_the_request_and_the_next_one_works(
    malformed: bytes,
) -> None:
    async with connected(malformed, SMALL) as (client, endpoint):
        with pytest.raises(ConnectionBroken):
            await body_of(client)
        assert await body_of(client) == b"ok"
        assert endpoint.connections == 2


async def test_a_connection_with_a_partly_read_response_is_not_reused() -> None:
    half = OK + b"Content-Length: 100\r\n\r\nhalf of it"
    async with connected(half, SMALL) as (client, endpoint):
        async with client.request("GET", {}) as response:
            assert response.status == 200
        assert await body_of(client) == b"ok"
        assert endpoint.connections == 2


async def test_a_kept_connection_that_was_closed_while_idle_has_not_sent_the_request() -> None:
    async with connected(SMALL, b"", SMALL) as (client, _):
        await body_of(client)
        with pytest.raises(NotSent):
            await body_of(client)
        assert await body_of(client) == b"ok"


async def test_a_new_connection_that_ends_without_a_response_may_have_sent_the_request() -> None:
    async with connected(b"") as (client, _):
        with pytest.raises(ConnectionBroken):
            await body_of(client)


async def test_messages_of_a_stream_arrive_one_by_one_in_any_chunking() -> None:
    stream = (
        OK + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        b'9\r\ndata: {"a\r\nF\r\n":1}\n\ndata: {}\n\r\n1\r\n\n\r\n0\r\n\r\n'
    )
    async with connected(stream, SMALL) as (client, endpoint):
        async with client.request("GET", {}) as response:
            assert [message async for message in response.messages()] == [b'{"a":1}', b"{}"]
        await body_of(client)
        assert endpoint.connections == 1
