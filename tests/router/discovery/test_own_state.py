"""What a server can read of Toolbooth's own data directory while its tools are discovered."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.discovery.sandbox.sandbox import STATE_FILES
from router.discovery.sandbox.self_test import supported_sandbox
from router.domain.receipts import IsolationLevel
from tests.support.running_router import running_router

READER = """
import json, os, sys

def readable(path):
    try:
        return bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
    except OSError:
        return False

found = [path for path in sys.argv[1:] if readable(path)]
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        tool = {"name": "t", "description": json.dumps(found), "inputSchema": {"type": "object"}}
        result = {"tools": [tool], "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "reader", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


@pytest.mark.proves("DISC-6")
async def test_a_server_reads_nothing_of_our_state_during_discovery(tmp_path: Path) -> None:
    """Not even if its command names the folder, or it lies in the project of the server."""
    data = tmp_path / "project" / ".toolbooth"
    script = tmp_path / "project" / "reader.py"
    async with running_router(data) as running:
        script.write_text(READER)
        (script.parent / "package.json").write_text("{}")
        (script.parent / "notes").write_text("mine")
        state = [str(data / name) for name in ("tokens.json", "instance.json", "workspaces")]
        own = str(script.parent / "notes")
        args = (str(script), own, str(data), *state)
        config = ServerConfig(command=sys.executable, args=args, cwd=str(script.parent))
        ref = await running.add("reader", config)
        [tool] = running.router.tools.list(ref)
        confined = supported_sandbox().profile.level >= IsolationLevel.CONFINED
        found = json.loads(tool.description)
        assert own in found
        assert any(path in found for path in state) is not confined
        unknown = {path.name for path in data.iterdir()} - {*STATE_FILES}
        assert {name for name in unknown if not name.endswith(".lock")} == set()
