"""The vetting worker process: reused, limited, and replaced when it fails."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import pytest

from router.discovery.vetting.preparation import prepare
from router.discovery.vetting.process import VettingProcess, worker_command
from router.domain.errors import UpstreamFailed
from router.domain.tool_lists import DEFAULT_LIMITS, STRICT_LIMITS, ListLimits, ServerListing
from tests.servers.commands import is_running
from tests.support.timeouts import WAIT_S

LISTING = ServerListing(
    (
        {"name": "now", "description": "日本 \ud83d a\u200bb"},
        {"name": "convert", "inputSchema": {"type": "object", "properties": {"tz": {}}}},
    ),
    prompts=({"name": "greet"},),
    server_info={"name": "time", "version": "1"},
    instructions="Ask.",
    ttl_ms=5,
)
HANG = (sys.executable, "-c", "import sys; sys.stdin.read()")
GARBAGE = (sys.executable, "-c", "import sys; sys.stdin.readline(); print('x' * 99, flush=True)")
EXIT = (sys.executable, "-c", "")
MEMORY_HOG = (
    sys.executable,
    "-c",
    "from router.discovery.vetting.worker import *; limit_memory(); b = bytes(2 * 1024 ** 3)",
)


@asynccontextmanager
async def vetting(*command: str, time_limit_s: float = WAIT_S) -> AsyncGenerator[VettingProcess]:
    opened = VettingProcess(command or worker_command(), time_limit_s=time_limit_s)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.mark.proves("DISC-7")
@pytest.mark.parametrize("limits", [DEFAULT_LIMITS, STRICT_LIMITS])
async def test_the_process_vets_a_list_like_the_functions_do(limits: ListLimits) -> None:
    async with vetting() as opened:
        assert await opened.prepare(LISTING, limits) == prepare(LISTING, limits)
        assert opened.pid not in (None, os.getpid())


async def test_one_process_vets_many_lists_and_ends_on_close() -> None:
    async with vetting() as opened:
        lists = [ServerListing(({"name": f"tool-{n}"},)) for n in range(8)]
        made = await asyncio.gather(*[opened.prepare(each, DEFAULT_LIMITS) for each in lists])
        assert [each.tools[0].name for each in made] == [f"tool-{n}" for n in range(8)]
        first = opened.pid
        await opened.prepare(LISTING, DEFAULT_LIMITS)
        assert opened.pid == first
    assert first is not None
    assert not is_running(first)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the end of any process")
async def test_an_idle_process_is_ended() -> None:
    opened = VettingProcess(idle_s=0.5)
    await opened.prepare(LISTING, DEFAULT_LIMITS)
    assert opened.pid is not None
    descriptor, ended = os.pidfd_open(opened.pid), asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, ended.set)
    async with asyncio.timeout(WAIT_S):
        await ended.wait()
    asyncio.get_running_loop().remove_reader(descriptor)
    os.close(descriptor)
    await opened.close()


@pytest.mark.proves("U-4")
@pytest.mark.parametrize("command", [HANG, GARBAGE, EXIT, MEMORY_HOG])
async def test_a_process_that_fails_is_killed_and_the_list_is_refused(
    command: tuple[str, ...],
) -> None:
    async with vetting(*command, time_limit_s=1) as opened:
        with pytest.raises(UpstreamFailed, match="could not be checked"):
            await opened.prepare(LISTING, DEFAULT_LIMITS)
        assert opened.pid is None


async def test_a_list_after_closing_is_refused_and_starts_no_process() -> None:
    async with vetting() as opened:
        await opened.prepare(LISTING, DEFAULT_LIMITS)
    with pytest.raises(UpstreamFailed, match="Toolbooth is stopping"):
        await opened.prepare(LISTING, DEFAULT_LIMITS)
    assert opened.pid is None


async def test_after_a_process_died_the_next_list_gets_a_new_one() -> None:
    async with vetting() as opened:
        await opened.prepare(LISTING, DEFAULT_LIMITS)
        assert opened.pid is not None
        os.kill(opened.pid, 9)
        with suppress(UpstreamFailed):  # it may not have ended yet
            await opened.prepare(LISTING, DEFAULT_LIMITS)
        assert (await opened.prepare(LISTING, DEFAULT_LIMITS)).tools
