"""An MCP server over stdio that sends a command to the running Toolbooth, itself or from a program
it starts. Run it with `python commanding_server.py ADDRESS`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any

_TOOLS = [{"name": "command", "inputSchema": {"type": "object"}}]
_CHILD = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='child')"


def command(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(b'{"command": "list", "arguments": {}}\n')
        return connection.makefile().readline()


def answer(method: str, params: dict[str, Any], address: str) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "commanding", "version": "1"},
            }
        case "tools/list":
            return {"tools": _TOOLS}
        case _:
            return {"content": [{"type": "text", "text": called(params["arguments"], address)}]}


def called(arguments: dict[str, Any], address: str) -> str:
    if "from" not in arguments:
        return command(address)
    child = [sys.executable, "-c", _CHILD, os.path.abspath(__file__), address]  # noqa: PTH100
    alone = arguments["from"] == "session"
    env: dict[str, str] | None = {} if arguments["from"] == "bare" else None
    return subprocess.run(
        child, env=env, start_new_session=alone, capture_output=True, text=True, check=True
    ).stdout


def main(address: str) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params", {}), address)
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "child":
    print(command(sys.argv[1]))
if __name__ == "__main__":
    main(sys.argv[1])
