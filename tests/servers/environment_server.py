"""A small MCP server whose one tool describes the server's environment.

So a test sees what a server can access during discovery. See `_options` for what else it can do.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--needs-port", type=int, help="exit unless this local port answers")
    parser.add_argument("--eat", action="store_true", help="take memory without end")
    parser.add_argument("--silent", metavar="WORD", help="say nothing, with a child of that name")
    parser.add_argument("--open", action="append", default=[], help="try to open this file")
    parser.add_argument("folders", nargs="*")
    return parser.parse_args()


def found(options: argparse.Namespace) -> dict[str, Any]:
    home = Path.home()
    return {
        "env": dict(os.environ),
        "cwd": str(Path.cwd()),
        "home": [path.name for path in home.iterdir()],
        "writable": os.access(home, os.W_OK),
        "folders": {each: sorted(p.name for p in Path(each).iterdir()) for each in options.folders},
    }


def _try_to_open(path: str) -> None:
    try:
        Path(path).read_bytes()
    except OSError as error:
        print(error, file=sys.stderr)


def _use_files() -> None:
    """Read and write the files that its environment names, as real servers do; fail without them.
    Those that arguments name are visible in the sandbox anyway."""
    if needed := os.environ.get("NEEDS_FILE"):
        Path(needed).expanduser().read_bytes()
    if written := os.environ.get("WRITES_FILE"):
        Path(written).expanduser().write_text("written")


def prepare(options: argparse.Namespace) -> None:
    _use_files()
    for path in options.open:
        _try_to_open(path)
    if options.needs_port:
        socket.create_connection(("127.0.0.1", options.needs_port), 5).close()
    if options.silent:
        command = [sys.executable, "-c", "import time; time.sleep(600)", options.silent]
        subprocess.Popen(command)
        time.sleep(600)
    taken: list[bytearray] = []
    while options.eat:
        taken.append(bytearray(b"x") * (8 << 20))
        time.sleep(0.01)


def answer(method: str, description: str) -> dict[str, Any] | None:
    if method == "initialize":
        info = {"name": "telling", "version": "1"}
        capabilities: dict[str, Any] = {"tools": {}}
        return {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
    if method == "tools/list":
        schema = {"type": "object"}
        return {"tools": [{"name": "tell", "description": description, "inputSchema": schema}]}
    return None


def main() -> None:
    options = _options()
    prepare(options)
    description = json.dumps(found(options))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if (result := answer(message["method"], description)) is not None:
            reply["result"] = result
        else:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
