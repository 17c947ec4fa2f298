"""A hand-written MCP server over HTTP that gives unusual and invalid responses.

`OddServer().app` serves `/mcp`. The tool of a `tools/call` names its response; see `_ANSWERS`.
`push` sends its arguments over the standalone stream. `requests` has what was received.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

_ABOUT: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "odd", "version": "1"},
}
_EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Seen:
    verb: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any]
    client_port: int


@dataclass
class OddServer:
    """`initialize_status` refuses to open a session; `gone_status` means that one was lost."""

    elsewhere: str = ""
    initialize_status: int = 200
    gone_status: int = 404
    session_prefix: str = "session-"
    requests: list[Seen] = field(default_factory=list[Seen])
    has_stream: bool = True
    _pushed: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue[dict[str, Any]])
    _session: int = 0

    @property
    def app(self) -> Starlette:
        verbs = ["GET", "POST", "DELETE"]
        return Starlette(
            routes=[
                Route("/mcp", self._handle, methods=verbs),
                Route("/moved", self._redirect, methods=verbs),
                Route("/away", self._redirect, methods=verbs),
            ]
        )

    async def _redirect(self, request: Request) -> Response:
        away = request.url.path == "/away"
        return RedirectResponse(self.elsewhere if away else "/mcp", 307)

    def lose_sessions(self) -> None:
        self._session += 1

    def methods(self) -> list[str]:
        return [seen.message["method"] for seen in self.requests if "method" in seen.message]

    async def _handle(self, request: Request) -> Response:
        body = await request.body()
        message: dict[str, Any] = json.loads(body or b"{}")
        headers = {key.lower(): value for key, value in request.headers.items()}
        port = request.client.port if request.client else 0
        self.requests.append(Seen(request.method, request.url.path, headers, message, port))
        if message.get("method") == "initialize":
            return self._initialize(message)
        if headers.get("mcp-session-id") != f"session-{self._session}":
            words = "Bad Request: No valid session ID provided"
            return _error(None, -32000, words, self.gone_status)
        if request.method == "GET":
            return self._stream(headers) if self.has_stream else Response(status_code=405)
        if request.method == "DELETE" or "id" not in message:
            return Response(status_code=202)
        return self._answer(message)

    def _initialize(self, message: dict[str, Any]) -> Response:
        if self.initialize_status != 200:
            return Response("no", self.initialize_status)
        headers = {"mcp-session-id": f"{self.session_prefix}{self._session}"}
        return JSONResponse(_result(message, _ABOUT), headers=headers)

    def _stream(self, headers: dict[str, str]) -> Response:
        if cursor := headers.get("last-event-id"):
            text = cursor.encode("latin-1").decode()  # an event's id is UTF-8, as a header too
            request_id = int(text.removeprefix("é日 "))
            return _events(_event(_result({"id": request_id}, {"resumed": True})))
        return StreamingResponse(self._pushes(), media_type=_EVENTS)

    async def _pushes(self) -> AsyncIterator[bytes]:
        yield b": here you are\n\n"
        while True:
            yield _event(await self._pushed.get())

    def _answer(self, message: dict[str, Any]) -> Response:
        params = message.get("params", {})
        if params.get("name") == "push":
            self._pushed.put_nowait(params["arguments"])
        return _ANSWERS[params.get("name", "plain")](message)


def _result(message: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _error(request_id: Any, code: int, words: str, status: int) -> Response:
    error = {"code": code, "message": words}
    return JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": error}, status)


def _event(message: dict[str, Any], *fields: bytes) -> bytes:
    return b"".join(fields) + b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n"


def _events(*events: bytes) -> Response:
    return Response(b"".join(events), media_type=_EVENTS)


def _zeros(size: int) -> bytes:
    return b'{"zeros": "' + b"0" * size + b'"}'


async def _silence() -> AsyncIterator[bytes]:
    yield b": wait\n\n"
    await asyncio.sleep(600)


def _bomb(message: dict[str, Any]) -> Response:
    body = gzip.compress(_zeros(200_000_000), 1)
    return Response(body, headers={"content-encoding": "gzip"}, media_type="application/json")


def _endless_event(message: dict[str, Any]) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"data: "
        for _ in range(50):
            yield b"x" * 1_000_000

    return StreamingResponse(chunks(), media_type=_EVENTS)


def _strange(message: dict[str, Any]) -> Response:
    """A valid response with everything the event stream syntax allows."""
    progress = {"jsonrpc": "2.0", "method": "notifications/strange", "params": {"n": 1}}
    ping = {"jsonrpc": "2.0", "id": "s1", "method": "ping"}
    answer = json.dumps(_result(message, {"a": [1, None]}), indent=1).replace("\n", "\r\ndata: ")
    return _events(
        b": a comment\r\n\r\n",
        b"event: ping\ndata: {}\n\n",
        b"id: 5\nretry: 20\ndata:\n\n",
        _event(progress),
        _event(ping),
        f"data: {answer}\r\n\r\n".encode(),
    )


_ANSWERS: dict[str, Callable[[dict[str, Any]], Response]] = {
    "plain": lambda m: JSONResponse(_result(m, {"content": [], "x": None})),
    "push": lambda m: JSONResponse(_result(m, {})),
    "batch": lambda m: JSONResponse([_result(m, {"batch": True})]),
    "strange": _strange,
    "large": lambda m: Response(_zeros(3_000_000), media_type="application/json"),
    "bomb": _bomb,
    "endless_event": _endless_event,
    "wrong_type": lambda m: Response("<html>", media_type="text/html"),
    "no_json": lambda m: Response("{", media_type="application/json"),
    "accepted": lambda m: Response(status_code=202),
    "cut": lambda m: _events(b": and that was it\n\n"),
    "resumable": lambda m: _events(f"id: {m['id']}\nretry: 20\ndata:\n\n".encode()),
    "resumable_text": lambda m: _events(f"id: é日 {m['id']}\nretry: 20\ndata:\n\n".encode()),
    "error": lambda m: _error(None, -32602, "Wrong name", 400),
    "unauthorized": lambda m: Response("who?", 401),
    "forbidden": lambda m: Response("no", 403),
    "unavailable": lambda m: Response("busy", 503),
    "silent": lambda m: StreamingResponse(_silence(), media_type=_EVENTS),
}
