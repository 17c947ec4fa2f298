"""Scripts over real servers: many calls, one number, and hardly a token for the client."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import TextContent

from bench.scripts import FIFTY_CALLS
from tests.support.router_process import Booth, connected, node_server, python_server


@pytest.mark.proves("PROG-6")
async def test_a_script_makes_fifty_calls_of_real_servers_and_returns_one_number(
    booth: Booth, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    memory = f"MEMORY_FILE_PATH={tmp_path / 'memory.json'}"
    booth.start()
    booth.json("add", "files", "--", *node_server("filesystem", str(folder)))
    booth.json("add", "memory", "--env", memory, "--", *node_server("memory"))
    booth.json("add", "time", "--", *python_server("time"))
    booth.refresh()
    booth.json("project", "set", "-", "--exposure", "progressive")
    async with connected(booth.url, booth.token(), "auto") as client:
        script = FIFTY_CALLS.replace("FOLDER", f'"{folder}"')
        result = await client.call_tool("execute", {"script": script})
    [block] = result.content
    assert isinstance(block, TextContent)
    assert block.text == str(sum(i * 100 for i in range(1, 16)) + 15)
    assert len(list(folder.iterdir())) == 15
