"""Scripts over real servers: many calls, one number as result, few tokens for the client."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import TextContent

from bench.scripts import FIFTY_CALLS
from tests.support.router_process import RouterProcess, connected

pytestmark = pytest.mark.timeout(300)


@pytest.mark.proves("PROG-6")
async def test_a_script_makes_fifty_calls_of_real_servers_and_returns_one_number(
    real_router: RouterProcess, listed: Path
) -> None:
    folder = listed / "fifty"
    folder.mkdir()
    real_router.json("project", "set", "-", "--exposure", "progressive")
    async with connected(real_router.url, real_router.token(), "auto") as client:
        script = FIFTY_CALLS.replace("FOLDER", f'"{folder}"')
        result = await client.call_tool("execute", {"script": script})
    [block] = result.content
    assert isinstance(block, TextContent)
    assert block.text == str(sum(i * 100 for i in range(1, 16)) + 15)
    assert len(list(folder.iterdir())) == 15
