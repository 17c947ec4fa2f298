"""Whatever a server does: a result or a clear error in time, and no other call is delayed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hostile_servers import (
    HEAVY_OVER_HTTP,
    HEAVY_OVER_SSE,
    HEAVY_OVER_STDIO,
    HTTP,
    LINUX_ONLY,
    SSE,
    STDIO,
    STEPS,
    assert_affects_only_its_own_calls,
    hostile_processes,
    http_configs,
    stdio_configs,
)

pytestmark = [LINUX_ONLY, pytest.mark.proof]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """One loop is enough here: uvloop where it is installed."""
    return "asyncio", {"use_uvloop": True}


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("fault", STDIO)
async def test_a_hostile_process_delays_no_other_call(fault: str) -> None:
    steps, expected = STDIO[fault]
    configs = stdio_configs(fault, steps)
    await assert_affects_only_its_own_calls(configs, steps, expected, measures=True)
    assert hostile_processes(fault) == []


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("step", STEPS[1:])
@pytest.mark.parametrize("fault", HEAVY_OVER_STDIO)
async def test_a_process_that_floods_delays_no_other_call(fault: str, step: str) -> None:
    configs, expected = stdio_configs(fault, (step,)), HEAVY_OVER_STDIO[fault]
    await assert_affects_only_its_own_calls(configs, (step,), expected, measures=True)
    assert hostile_processes(fault) == []


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize(
    ("transport", "fault"),
    [*(("http", fault) for fault in HTTP), *(("sse", fault) for fault in SSE)],
)
async def test_a_hostile_http_server_delays_no_other_call(transport: str, fault: str) -> None:
    steps, expected = (HTTP if transport == "http" else SSE)[fault]
    with http_configs(fault, steps, transport) as configs:
        await assert_affects_only_its_own_calls(configs, steps, expected, measures=True)


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize("step", STEPS[1:])
@pytest.mark.parametrize(
    ("transport", "fault"),
    [
        *(("http", fault) for fault in HEAVY_OVER_HTTP),
        *(("sse", fault) for fault in HEAVY_OVER_SSE),
    ],
)
async def test_an_http_server_that_floods_delays_no_other_call(
    transport: str, fault: str, step: str
) -> None:
    expected = HEAVY_OVER_HTTP[fault]
    with http_configs(fault, (step,), transport) as configs:
        await assert_affects_only_its_own_calls(configs, (step,), expected, measures=True)
