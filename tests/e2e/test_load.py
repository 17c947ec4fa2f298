"""Many clients, slow clients, guessing clients: a router as a process of its own, under load."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from router.model import JsonObject
from router.tasks import spawn, stop
from tests.booth import Booth
from tests.fuzzing import fuzz
from tests.running import STDIO_SERVER, Client

pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]


@pytest.fixture
def token(booth: Booth) -> str:
    """Of a client of a router with one server."""
    booth.start()
    booth.json("add", "Test", "--", sys.executable, str(STDIO_SERVER))
    booth.json("refresh")
    return booth.token()


@asynccontextmanager
async def client_of(booth: Booth, token: str) -> AsyncGenerator[Client]:
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=120, limits=limits) as http:
        yield Client(http, booth.url, token)


def rss_mb(booth: Booth) -> float:
    status = Path(f"/proc/{booth.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def latencies_s(client: Client, seconds: float) -> list[float]:
    """How long each of the listings took that one client asked for meanwhile."""
    taken: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.monotonic()
        assert (await client.post_modern("tools/list")).status_code == 200
        taken.append(time.monotonic() - started)
    return taken


def p99(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=100)[98]


async def test_twenty_thousand_malformed_requests_do_no_harm(booth: Booth, token: str) -> None:
    async with client_of(booth, token) as client:
        await fuzz(client, 1000, seed=0)
        before = rss_mb(booth)
        statuses = [s for n in range(20) for s in await fuzz(client, 1000, seed=n + 1)]
        assert not [status for status in statuses if status == 0 or status >= 500]
        assert (await client.post_modern("tools/list")).status_code == 200
    assert "Traceback" not in booth.log
    assert rss_mb(booth) - before <= 20


async def test_five_hundred_clients_get_their_own_answers(booth: Booth, token: str) -> None:
    async def twenty_calls(client: Client, number: int) -> None:
        for call in range(20):
            nonce: JsonObject = {"client": number, "call": call}
            arguments = {"toolKey": "test:echo", "arguments": nonce}
            assert (await client.call("tool_execute", arguments))["structuredContent"] == nonce

    async with client_of(booth, token) as client:
        await asyncio.gather(*(twenty_calls(client, number) for number in range(500)))


async def test_five_hundred_half_sent_requests_are_closed_and_harm_nobody(
    booth: Booth, token: str
) -> None:
    url = httpx2.URL(booth.url)
    async with client_of(booth, token) as client:
        started = time.monotonic()
        halves = [await asyncio.open_connection(url.host, url.port) for _ in range(500)]
        for _, writer in halves:
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: ")
        watching = spawn(latencies_s(client, 5), name="watch")
        async with asyncio.timeout(20):
            await asyncio.gather(*(reader.read() for reader, _ in halves))
        assert time.monotonic() - started < 12
        assert p99(await watching) < 0.25
    for _, writer in halves:
        writer.close()


async def test_a_hundred_thousand_guesses_are_all_wrong_and_slow_nobody(
    booth: Booth, token: str
) -> None:
    async def guess(client: Client, first: int, count: int) -> set[int]:
        wrong = (f"tbt_{number:08x}_{'x' * 43}" for number in range(first, first + count))
        return {(await client.post({}, token=guessed)).status_code for guessed in wrong}

    async with client_of(booth, token) as client:
        alone = statistics.median(await latencies_s(client, 3))
        watching = spawn(latencies_s(client, 600), name="watch")
        parts = [guess(client, first, 25_000) for first in range(0, 100_000, 25_000)]
        statuses = await asyncio.gather(*parts)
        await stop(watching)
        assert set[int]().union(*statuses) == {401, 429}
        assert statistics.median(await latencies_s(client, 3)) < alone + 0.05


async def test_fifty_thousand_sessions_leave_no_trace(booth: Booth, token: str) -> None:
    async with client_of(booth, token) as client:

        async def initialize(times: int) -> None:
            for _ in range(times):
                await client.open_session("2025-06-18")

        await asyncio.gather(*(initialize(500) for _ in range(8)))
        before = rss_mb(booth)
        await asyncio.gather(*(initialize(5750) for _ in range(8)))
    assert rss_mb(booth) - before <= 20
