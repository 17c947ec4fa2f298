"""A hand-written MCP server over HTTP+SSE that can violate the protocol.

`OddSseServer().app` serves the stream at `/mcp`. `endpoint` is the URL of its endpoint event, or
empty for none; `status` is the status of a POST. The tool of a `tools/call` names its response.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

_ABOUT: dict[str, Any] = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "odd-sse", "version": "1"},
}
_PLAIN: dict[str, Any] = {"content": [], "x": None}
END = b""
Post: TypeAlias = tuple[str, dict[str, str]]
"""Path and query of a message's address, and its headers."""


@dataclass
class OddSseServer:
    endpoint: str = "/messages?session=7"
    opens_with: int = 200
    status: int = 202
    token: str = ""
    """Which token opens the stream, if it takes one."""
    posts: list[Post] = field(default_factory=list["Post"])
    _events_to_send: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue[bytes])

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/mcp", self._stream, methods=["GET"]),
                Route("/messages", self._post, methods=["POST"]),
            ]
        )

    async def _stream(self, request: Request) -> Response:
        if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
            return Response("who?", 401)
        if self.opens_with != 200:
            return Response("no", self.opens_with)
        if not self.endpoint:
            return PlainTextResponse("A page.")
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[bytes]:
        yield b": hello\r\n\r\n"
        if self.endpoint != "never":
            yield f"event: endpoint\r\ndata: {self.endpoint}\r\n\r\n".encode()
        while event := await self._events_to_send.get():
            yield event

    async def _post(self, request: Request) -> Response:
        message = json.loads(await request.body())
        query = f"{request.url.path}?{request.url.query}"
        self.posts.append((query, dict(request.headers.items())))
        if "id" in message and self.status == 202:
            self._answer(message)
        return Response(status_code=self.status)

    def _answer(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match params.get("name"):
            case "end":
                self._events_to_send.put_nowait(END)
            case "large":
                self._send_event(_result(message, {"text": "x" * 3_000_000}))
            case "endless":
                self._events_to_send.put_nowait(b"data: " + b"x" * 3_000_000)
            case "no_json":
                broken = b'{"jsonrpc":"2.0","id":%d,"result":[}' % message["id"]
                self._events_to_send.put_nowait(b"data: " + broken + b"\n\n")
            case "silent":
                pass
            case _:
                opening = message["method"] == "initialize"
                self._events_to_send.put_nowait(b"event: ping\ndata: {}\n\n")
                self._send_event(
                    {"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": 1}}
                )
                self._send_event(_result(message, _ABOUT if opening else _PLAIN))

    def _send_event(self, message: dict[str, Any]) -> None:
        self._events_to_send.put_nowait(
            b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n"
        )


def _result(message: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}
