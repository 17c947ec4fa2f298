"""After a system sleep: dead connections are dropped, and reconnected at their next use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from router.config.server import ServerConfig
from router.runtime.tasks import spawn, stop
from router.upstream import pool as pool_module
from router.upstream.pool import UpstreamPool
from tests.router.upstream.pool_harness import IDLE, OTHER, READY, REF, PoolHarness, call
from tests.servers.http_server import sdk_app, serving


class SilenceableProxy:
    """A proxy between client and server, whose connections can go silent as in a sleep."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._pumps: set[asyncio.Task[None]] = set()
        self._ends: list[asyncio.StreamWriter] = []
        self.port = 0

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._to)
        self._ends += [writer, far_writer]
        for source, target in ((reader, far_writer), (far_reader, writer)):
            self._pumps.add(spawn(_pump(source, target), name="a direction"))

    async def go_silent(self) -> None:
        """From now on nothing passes on the open connections; no side is notified."""
        for pump in self._pumps:
            await stop(pump)
        self._pumps.clear()

    async def close(self) -> None:
        await self.go_silent()
        for end in self._ends:
            end.transport.abort()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)


@asynccontextmanager
async def proxy_to(url: str) -> AsyncGenerator[SilenceableProxy]:
    parts = urlsplit(url)
    proxy = SilenceableProxy(parts.hostname or "", parts.port or 0)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()


async def test_a_dead_connection_is_dropped_and_reconnected(
    pool: UpstreamPool, harness: PoolHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "PING_TIMEOUT_S", 0.5)
    with serving(sdk_app(json_response=True)) as url:
        async with proxy_to(url) as proxy:
            harness.configs[REF] = ServerConfig(url=f"http://127.0.0.1:{proxy.port}/mcp")
            await call(pool, "echo", n=1)
            await proxy.go_silent()
            await pool.recheck()
            assert harness.states_of()[-1] is IDLE
            await call(pool, "echo", n=2)
            await pool.disconnect(REF)


async def test_a_live_connection_stays_and_processes_are_not_pinged(
    pool: UpstreamPool, harness: PoolHarness
) -> None:
    with serving(sdk_app(json_response=True)) as url:
        harness.configs[REF] = ServerConfig(url=f"{url}/mcp")
        harness.options = ["--deaf-to", "ping"]
        await call(pool, "echo", n=1)
        await call(pool, "echo", OTHER, n=1)
        await pool.recheck()
        assert (harness.states_of()[-1], harness.states_of(OTHER)[-1]) == (READY, READY)
        assert harness.launches == 2
        await pool.disconnect(REF)
