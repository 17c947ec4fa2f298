"""Who may send commands to the running instance: the user, and no server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from router.runtime.local_ipc import send, socket_address
from tests.support.running_router import RunningRouter

SERVER = Path(__file__).parents[2] / "servers" / "commanding_server.py"
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="the process is not known there")


@POSIX_ONLY
@pytest.mark.proves("META-5")
@pytest.mark.parametrize("origin", [None, "child", "session", "bare"])
async def test_no_server_and_no_program_it_starts_can_send_commands(
    running: RunningRouter, tmp_path: Path, origin: str | None
) -> None:
    """Also not from a session of its own, or with an empty environment."""
    address = socket_address(tmp_path)
    config = ServerConfig(command=sys.executable, args=(str(SERVER), address))
    await running.add("cunning", config)
    arguments: JsonObject = {} if origin is None else {"from": origin}
    call: JsonObject = {"toolKey": "cunning:command", "arguments": arguments}
    result = await running.call("tool_execute", call)
    reply = json.loads(result["content"][0]["text"])
    assert reply["ok"] is False
    assert "MCP servers" in reply["error"]["message"]
    assert [each["id"] for each in await send(address, "list", {})] == ["cunning"]
