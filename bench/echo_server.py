"""The server that all calls reach: one tool, `echo`, in plain JSON-RPC without an SDK.

python echo_server.py            serves on stdio
python echo_server.py --http     serves on a free local port and prints its URL
python echo_server.py --tools N  has N more tools
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

TOOL = {
    "name": "echo",
    "description": "Returns the text it is given.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}
METHOD_NOT_FOUND = {"code": -32601, "message": "Method not found"}


def answer(message: dict[str, Any]) -> bytes | None:
    """The reply to a request; None for a notification."""
    if "id" not in message:
        return None
    outcome = result(message["method"], message.get("params") or {})
    body = {"error": METHOD_NOT_FOUND} if outcome is None else {"result": outcome}
    reply = {"jsonrpc": "2.0", "id": message["id"], **body}
    return json.dumps(reply, separators=(",", ":")).encode()


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "tools/call":
            return {"content": [{"type": "text", "text": params["arguments"]["text"]}]}
        case "tools/list":
            return {"tools": [TOOL, *more_tools()]}
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"},
            }
        case "ping":
            return {}
        case _:
            return None


def more_tools() -> list[dict[str, Any]]:
    count = int(sys.argv[sys.argv.index("--tools") + 1]) if "--tools" in sys.argv else 0
    words = ("issue", "branch", "file", "message", "calendar", "invoice", "sprint", "contact")
    return [
        {
            **TOOL,
            "name": f"{words[number % 8]}_{words[number // 8 % 8]}_{number}",
            "description": f"Finds a {words[number % 8]} and says what the {words[number % 7]} is.",
        }
        for number in range(count)
    ]


def serve_stdio() -> None:
    for line in sys.stdin.buffer:
        if (reply := answer(json.loads(line))) is not None:
            sys.stdout.buffer.write(reply + b"\n")
            sys.stdout.buffer.flush()


class HttpConnection(asyncio.Protocol):
    """Just enough of HTTP/1.1: requests with a Content-Length, one after the other."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        while (request := self.next_request()) is not None:
            self.transport.write(respond(*request))

    def next_request(self) -> tuple[bytes, bytes] | None:
        head, blank_line, rest = self.received.partition(b"\r\n\r\n")
        length = content_length(head)
        if not blank_line or len(rest) < length:
            return None
        self.received = rest[length:]
        return head, rest[:length]


def content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def respond(head: bytes, body: bytes) -> bytes:
    if not head.startswith(b"POST"):
        return b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
    reply = answer(json.loads(body))
    if reply is None:
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
    fields = f"Content-Type: application/json\r\nContent-Length: {len(reply)}"
    return f"HTTP/1.1 200 OK\r\n{fields}\r\n\r\n".encode() + reply


async def serve_http() -> None:
    server = await asyncio.get_running_loop().create_server(HttpConnection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if "--http" in sys.argv:
        asyncio.run(serve_http())
    else:
        serve_stdio()
