"""Thousands of cached tools: loaded quickly at start, and read without delaying the loop."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.discovery.vetting.preparation import prepare
from router.domain.ids import ServerId, ServerRef
from router.domain.json_values import JsonObject
from router.domain.tool_lists import CachedListing, ServerListing
from router.service import Router
from router.store.tool_list_cache import ToolListCache
from tests.support.running_router import PERSONAL

PER_SERVER = 1000
CONFIG = ServerConfig(url="http://127.0.0.1:9/mcp")


def tool(number: int) -> JsonObject:
    properties = {name: {"type": "string"} for name in ("owner", "repo", "title")}
    schema = {"type": "object", "properties": properties, "required": ["owner"]}
    return {"name": f"tool_{number}", "description": "Create an issue. " * 8, "inputSchema": schema}


async def filled(folder: Path, servers: int) -> Router:
    """A router on `folder`, in which each of `servers` has a thousand cached tools."""
    first = Router(folder)
    await first.open()
    cache = ToolListCache(folder / "workspaces" / "personal" / "cache")
    listing = prepare(ServerListing(tuple(tool(n) for n in range(PER_SERVER))))
    for number in range(servers):
        await first.servers.add(PERSONAL, f"s{number}", CONFIG, consent=True)
        entry = CachedListing(listing, CONFIG.config_hash, datetime.now(UTC))
        cache.write(ServerId(f"s{number}"), entry)
    await first.stop()
    second = Router(folder)  # approves the list it sees first
    await second.open()
    await second.stop()
    return Router(folder)


@pytest.mark.proof
@pytest.mark.proves("DISC-13", "CACHE-2")
async def test_the_tools_of_a_server_are_read_within_a_millisecond(tmp_path: Path) -> None:
    router = await filled(tmp_path, 1)
    await router.open()
    ref = ServerRef(PERSONAL, ServerId("s0"))
    assert len(router.tools.list(ref)) == PER_SERVER
    fastest = min(timed(lambda: router.tools.list(ref)) for _ in range(20))
    await router.stop()
    assert fastest < 0.001


@pytest.mark.proof
@pytest.mark.proves("DISC-13")
async def test_ten_thousand_cached_tools_are_loaded_within_half_a_second(tmp_path: Path) -> None:
    router = await filled(tmp_path, 10)
    took = await opened(router)
    refs = [ServerRef(PERSONAL, ServerId(f"s{n}")) for n in range(10)]
    assert sum(len(router.tools.list(ref)) for ref in refs) == 10 * PER_SERVER
    fastest = min(timed(lambda: [router.tools.list(ref) for ref in refs]) for _ in range(10))
    await router.stop()
    assert fastest < 0.010
    assert took < 0.5


@pytest.mark.proof
async def test_twice_as_many_cached_tools_take_about_twice_as_long(tmp_path: Path) -> None:
    costs: list[float] = []
    for servers in (6, 12):
        folder = tmp_path / str(servers)
        await filled(folder, servers)
        costs.append(min([await opened_and_stopped(folder) for _ in range(3)]))
    assert costs[1] < 2.5 * costs[0]


async def opened(router: Router) -> float:
    began = time.process_time()
    await router.open()
    return time.process_time() - began


async def opened_and_stopped(folder: Path) -> float:
    router = Router(folder)
    took = await opened(router)
    await router.stop()
    return took


def timed(read: object) -> float:
    assert callable(read)
    began = time.process_time()
    read()
    return time.process_time() - began
