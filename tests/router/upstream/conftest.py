"""Every test of this folder runs on asyncio's own loop and, where installed, on uvloop."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from router.upstream.connection import UpstreamConnection
from router.upstream.pool import UpstreamPool
from tests.router.upstream.connection_harness import Open, ServerOutput, open_config
from tests.router.upstream.pool_harness import PoolHarness
from tests.servers.commands import stdio_config
from tests.support.timeouts import WAIT_S

LOOPS = ["asyncio"] if sys.platform == "win32" else ["asyncio", "uvloop"]


@pytest.fixture(params=LOOPS)
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


@pytest.fixture
def output() -> ServerOutput:
    return ServerOutput()


@pytest.fixture
async def open_server(output: ServerOutput) -> AsyncIterator[Open]:
    """Opens test servers with options, and closes them after the test."""
    opened: list[UpstreamConnection] = []

    async def open_with(
        *options: str, startup_timeout_s: float = WAIT_S, expected_version: str = "", **fields: Any
    ) -> UpstreamConnection:
        config = stdio_config(*options, **fields)
        connection = await open_config(
            config, output, startup_timeout_s, expected_version=expected_version
        )
        opened.append(connection)
        return connection

    yield open_with
    for connection in opened:
        await connection.close()


@pytest.fixture
async def harness(tmp_path: Path) -> PoolHarness:
    return PoolHarness(tmp_path / "record")


@pytest.fixture
async def pool(harness: PoolHarness) -> AsyncIterator[UpstreamPool]:
    pool = harness.pool()
    yield pool
    await pool.close()
