"""What the conformance suite starts for each scenario: `python conformance_front.py SOCKET URL`.

It passes the scenario to `conformance_client.py`, which has a running router, and reports the
outcome. It imports nothing that takes time.
"""

from __future__ import annotations

import json
import os
import socket
import sys


def main(path: str, url: str) -> None:
    scenario_run = {
        "url": url,
        "scenario": os.environ.get("MCP_CONFORMANCE_SCENARIO", ""),
        "revision": os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", ""),
        "context": json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}"),
    }
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(json.dumps(scenario_run).encode() + b"\n")
        while messages := connection.recv(65536):
            sys.stderr.buffer.write(messages)


if __name__ == "__main__":
    main(*sys.argv[1:])
