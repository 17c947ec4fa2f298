"""An MCP server over stdio whose tools are in a JSON file that is read for each `tools/list`.

Run it with `python listed_server.py FILE`. The file has the result of `tools/list` and, in
`answers`, the answers to other methods, whose capabilities are declared. A line is appended to
`FILE.asked` for each list, unless it is isolated; the tool `announce`, listed or not, sends
`list_changed`.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def main(path: Path) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            write({"jsonrpc": "2.0", "id": request["id"], **answer(request, path)})
        if request.get("params", {}).get("name") == "announce":
            write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def answer(request: dict[str, Any], path: Path) -> dict[str, Any]:
    if answered := content(path)["answers"].get(request["method"]):
        return answered
    match request["method"]:
        case "initialize":
            return {
                "result": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities(path),
                    "serverInfo": {"name": "listed", "version": "1"},
                }
            }
        case "tools/list":
            with suppress(OSError), path.with_suffix(".asked").open("a") as asked:
                asked.write("list\n")
            return {"result": content(path)["tools/list"]}
        case "tools/call":
            called = request["params"]["name"]
            return {"result": {"content": [{"type": "text", "text": f"called {called}"}]}}
        case method:
            return {"error": {"code": -32601, "message": f"no {method}"}}


def content(path: Path) -> dict[str, Any]:
    listed = json.loads(path.read_text())
    return {"answers": listed.pop("answers", {}), "tools/list": listed}


def capabilities(path: Path) -> dict[str, Any]:
    declared = {method.partition("/")[0] for method in content(path)["answers"]}
    return {"tools": {"listChanged": True}, **{name: {} for name in declared - {"initialize"}}}


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
