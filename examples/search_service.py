"""A minimal search service for Toolbooth's cloud search, as a starting point for your own.

    TOKEN=secret python examples/search_service.py 8900

Then run `toolbooth cloud set http://127.0.0.1:8900` (it asks for the token) and
`toolbooth project set - --optimization cloud`. It needs only the standard library.

It implements version 1 of the protocol. The request is `POST /catalog/search` with

    {"schemaVersion": 1, "query": [...], "context": "...", "maxResults": 8,
     "tools": [{"toolKey", "toolName", "serverName", "description"}]}

and the response is

    {"schemaVersion": 1, "results": [{"toolKey", "toolName", "serverName", "description",
     "relevance", "explanation"}]}

best first, with relevance from 0 to 1. This service counts shared words; a real one would use a
model.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SCHEMA_VERSION = 1
MAX_BODY_BYTES = 64 << 20


def answer(request: dict[str, Any]) -> dict[str, Any]:
    wanted = set(re.findall(r"\w+", " ".join(request["query"]).lower()))
    results = [result for tool in request["tools"] if (result := _score(tool, wanted))]
    results.sort(key=lambda result: -result["relevance"])
    return {"schemaVersion": SCHEMA_VERSION, "results": results[: request.get("maxResults", 8)]}


def _score(tool: dict[str, Any], wanted: set[str]) -> dict[str, Any] | None:
    text = f"{tool['toolName']} {tool['serverName']} {tool.get('description', '')}"
    shared = sorted(wanted & set(re.findall(r"[a-z0-9]+", text.lower().replace("_", " "))))
    if not shared:
        return None
    relevance = round(len(shared) / len(wanted), 3)
    return {**tool, "relevance": relevance, "explanation": f"has {', '.join(shared)}"}


class Handler(BaseHTTPRequestHandler):
    token = ""

    def do_POST(self) -> None:
        sent = self.headers.get("Authorization", "")
        if self.token and not hmac.compare_digest(sent, f"Bearer {self.token}"):
            self._send(401, {"error": "wrong token"})
        elif self.path != "/catalog/search":
            self._send(404, {"error": "not found; use /catalog/search"})
        else:
            self._search()

    def _search(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            self._send(413, {"error": "the request is too large"})
            return
        try:
            request = json.loads(self.rfile.read(length))
            found = answer(request)
        except (ValueError, KeyError, TypeError) as error:
            self._send(400, {"error": str(error)})
            return
        if request.get("schemaVersion", SCHEMA_VERSION) != SCHEMA_VERSION:
            self._send(400, {"error": f"only schemaVersion {SCHEMA_VERSION} is supported"})
        else:
            self._send(200, found)

    def _send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Logs nothing: queries are private."""


def serve(port: int, token: str) -> ThreadingHTTPServer:
    """Bind a server; call `serve_forever` on it. Port 0 takes a free port."""
    handler = type("WithToken", (Handler,), {"token": token})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    serve(int(sys.argv[1]), os.environ.get("TOKEN", "")).serve_forever()
