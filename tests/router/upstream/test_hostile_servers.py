"""Whatever a server does: a result or a clear error, and no other server is affected.

Each fault happens at every possible step, in separate concurrent servers; meanwhile a healthy
server is called continuously. All faults, and how long each may delay others, are in
`tests/proofs/test_hostile_servers.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hostile_servers import (
    HTTP,
    LINUX_ONLY,
    SSE,
    STDIO,
    assert_affects_only_its_own_calls,
    hostile_processes,
    http_configs,
    stdio_configs,
)

pytestmark = LINUX_ONLY


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """One loop is enough here: uvloop where it is installed."""
    return "asyncio", {"use_uvloop": True}


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("fault", ["exit", "deep"])
async def test_a_hostile_process_affects_only_its_own_calls(fault: str) -> None:
    steps, expected = STDIO[fault]
    await assert_affects_only_its_own_calls(stdio_configs(fault, steps), steps, expected)
    assert hostile_processes(fault) == []


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("fault", ["drip", "digits"])
async def test_a_hostile_http_server_affects_only_its_own_calls(fault: str) -> None:
    steps, expected = HTTP[fault]
    with http_configs(fault, steps, "http") as configs:
        await assert_affects_only_its_own_calls(configs, steps, expected)


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("fault", ["exit", "deep"])
async def test_a_hostile_event_stream_affects_only_its_own_calls(fault: str) -> None:
    steps, expected = SSE[fault]
    with http_configs(fault, steps, "sse") as configs:
        await assert_affects_only_its_own_calls(configs, steps, expected)
