"""A result of 50 MB passes where the settings allow it, in bounded memory."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from pathlib import Path

import httpx2
import pytest

from tests.support.router_process import TOOLBOOTH, RouterProcess
from tests.support.running_router import STDIO_SERVER, Client, read_answer
from tests.support.timeouts import WAIT_S

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc"),
]
RESULT_CHARACTERS = 50_000_000
MAX_GROWTH_MB = 120


@pytest.fixture
def router(tmp_path: Path) -> Generator[RouterProcess]:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    settings = {"messageLimitMb": 64, "resultLimitKb": 0}
    (data_dir / "settings.json").write_text(json.dumps({"schemaVersion": 1, **settings}))
    process = RouterProcess(TOOLBOOTH, data_dir)
    process.start()
    yield process
    process.close()


@pytest.mark.parametrize("mode", ["modern", "legacy"])
async def test_a_result_of_50_mb_passes_in_bounded_memory(router: RouterProcess, mode: str) -> None:
    router.json("add", "Test", "--", sys.executable, str(STDIO_SERVER))
    router.refresh()
    async with httpx2.AsyncClient(timeout=WAIT_S) as http:
        client = Client(http, router.url, router.token())
        await large_result(client, mode, 1_000)
        before = memory_mb(router.pid, "VmRSS")
        assert await large_result(client, mode, RESULT_CHARACTERS) >= RESULT_CHARACTERS
    growth = memory_mb(router.pid, "VmHWM") - before
    print(f"\nA result of 50 MB: the router's memory grew by {growth:.0f} MB at most.")
    assert growth <= MAX_GROWTH_MB


async def large_result(client: Client, mode: str, characters: int) -> int:
    """The number of characters in the result's text."""
    tool = {"toolKey": "test:large_answer", "arguments": {"size": characters}}
    if mode == "modern":
        result = await client.call("tool_execute", tool)
    else:
        _, session = await client.open_session("2025-06-18")
        params = {"name": "tool_execute", "arguments": tool}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result = read_answer(await client.post(message, **session))["result"]
    assert not result.get("isError"), result
    return len(result["content"])


def memory_mb(pid: int, field: str) -> float:
    found = re.search(rf"^{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    assert found is not None
    return int(found[1]) / 1024
