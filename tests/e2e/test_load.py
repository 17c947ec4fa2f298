"""Many clients, slow clients and clients that guess tokens, against a router process under load."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from bench.client import HttpConnection, message_in, opened, request
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from tests.support.fuzzer import fuzz
from tests.support.router_process import RouterProcess
from tests.support.running_router import MODERN, STDIO_SERVER, Client
from tests.support.timeouts import WAIT_S

pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]
_STATELESS = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_STATELESS_HEADERS = {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "tool_execute",
}


@pytest.fixture
def token(router: RouterProcess) -> str:
    """The HTTP client of a router with one server."""
    router.start()
    router.json("add", "Test", "--", sys.executable, str(STDIO_SERVER))
    router.refresh()
    return router.token()


@asynccontextmanager
async def client_of(router: RouterProcess, token: str) -> AsyncGenerator[Client]:
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=120, limits=limits) as http:
        yield Client(http, router.url, token)


def rss_mb(router: RouterProcess) -> float:
    status = Path(f"/proc/{router.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def latency_s(client: Client) -> float:
    """How long a listing took."""
    started = time.monotonic()
    assert (await client.post_modern("tools/list")).status_code == 200
    return time.monotonic() - started


async def latencies_s(client: Client, seconds: float) -> list[float]:
    """The latency of each listing one client requested meanwhile."""
    until = time.monotonic() + seconds
    taken: list[float] = []
    while time.monotonic() < until:
        taken.append(await latency_s(client))
    return taken


def p99(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=100)[98]


async def test_twenty_thousand_malformed_requests_break_nothing(
    router: RouterProcess, token: str
) -> None:
    async with client_of(router, token) as client:
        await fuzz(client, 1000, seed=0)
        before = rss_mb(router)
        rounds = await asyncio.gather(*(fuzz(client, 5000, seed=n + 1) for n in range(4)))
        statuses = [status for statuses in rounds for status in statuses]
        assert len(statuses) == 20_000
        assert not [status for status in statuses if status == 0 or status >= 500]
        assert (await client.post_modern("tools/list")).status_code == 200
    assert "Traceback" not in router.log
    assert rss_mb(router) - before <= 20


async def test_five_hundred_clients_get_their_own_responses(
    router: RouterProcess, token: str
) -> None:
    """Each on its own connection, concurrently: half in sessions, half stateless, all with the same
    request ids, so that a wrongly routed response would be noticed."""
    bearer = {"Authorization": f"Bearer {token}"}

    async def echoed(connection: HttpConnection, number: int, call: int) -> object:
        meta: JsonObject = {"_meta": _STATELESS} if number % 2 else {}
        arguments = {"toolKey": "test:echo", "arguments": {"client": number, "call": call}}
        params = {"name": "tool_execute", "arguments": arguments, **meta}
        headers = _STATELESS_HEADERS if number % 2 else {}
        answer = await connection.post(request(call, "tools/call", params), headers)
        assert answer.status == 200, answer.body
        return message_in(answer.body)["result"]["structuredContent"]

    async def twenty_calls(connection: HttpConnection, number: int) -> None:
        if number % 2 == 0:
            await connection.initialize()
        for call in range(20):
            assert await echoed(connection, number, call) == {"client": number, "call": call}

    async with AsyncExitStack() as stack:
        opening = [opened(HttpConnection(router.url, bearer)) for _ in range(500)]
        connections = [await stack.enter_async_context(each) for each in opening]
        await asyncio.gather(*(twenty_calls(c, number) for number, c in enumerate(connections)))


async def test_five_hundred_incomplete_requests_are_closed_and_affect_no_other_client(
    router: RouterProcess, token: str
) -> None:
    url = httpx2.URL(router.url)
    async with client_of(router, token) as client:
        started = time.monotonic()
        halves = [await asyncio.open_connection(url.host, url.port) for _ in range(500)]
        for _, writer in halves:
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: ")
        watching = spawn(latencies_s(client, 5), name="watch")
        async with asyncio.timeout(WAIT_S):
            await asyncio.gather(*(reader.read() for reader, _ in halves))
        assert time.monotonic() - started < 12
        assert p99(await watching) < 0.25
    for _, writer in halves:
        writer.close()


async def test_a_hundred_thousand_guessed_tokens_are_refused_and_slow_no_other_client(
    router: RouterProcess, token: str
) -> None:
    meanwhile: list[float] = []

    async def guess(client: Client, first: int) -> set[int]:
        statuses: set[int] = set()
        async with opened(HttpConnection(router.url, {})) as connection:
            for number in range(first, first + 25_000):
                wrong = {"Authorization": f"Bearer tbt_{number:08x}_{'x' * 43}"}
                statuses.add((await connection.post(b"{}", wrong)).status)
                if number % 500 == 0:
                    meanwhile.append(await latency_s(client))
        return statuses

    async with client_of(router, token) as client:
        alone = statistics.median([await latency_s(client) for _ in range(200)])
        statuses = await asyncio.gather(*(guess(client, n) for n in range(0, 100_000, 25_000)))
    assert set[int]().union(*statuses) == {401, 429}
    assert statistics.median(meanwhile) < alone + 0.05
    assert rss_mb(router) < 300


async def test_fifty_thousand_sessions_leak_nothing(router: RouterProcess, token: str) -> None:
    bearer = {"Authorization": f"Bearer {token}"}

    async def initialize(times: int) -> None:
        async with opened(HttpConnection(router.url, bearer)) as connection:
            for _ in range(times):
                await connection.initialize()

    await asyncio.gather(*(initialize(500) for _ in range(8)))
    before = rss_mb(router)
    await asyncio.gather(*(initialize(5750) for _ in range(8)))
    assert rss_mb(router) - before <= 20
