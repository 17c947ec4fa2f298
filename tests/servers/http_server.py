"""An MCP server over streamable HTTP, made with the SDK; it speaks the legacy and modern revisions.

Run it with `python http_server.py [--port N] [--json] [--modern-only]`: it prints
`{"url": "..."}` when it listens. In a test: `with serving(sdk_app()) as url: ...`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
from collections.abc import Generator
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.support.timeouts import WAIT_S

MODERN = b"2026-07-28"
TOOLS = ("echo", "progress", "slow", "notify")


class Tools:
    """`echo` returns its arguments, `progress` sends `steps` notifications, `slow` never returns;
    `notify` sends `list_changed`. `cancelled` is set when a slow call was cancelled."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.cancelled = threading.Event()

    async def list(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in TOOLS]
        )

    async def call(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        match params.name:
            case "progress":
                for step in range(1, arguments["steps"] + 1):
                    await ctx.session.report_progress(step, arguments["steps"], f"step {step}")
            case "slow":
                await self._wait_for_cancellation()
            case "notify":
                await ctx.session.send_tool_list_changed()
            case _:
                pass
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=json.dumps(arguments))],
            structured_content=arguments,
            _meta={"example.com/seen": dict(ctx.meta or {}).get("example.com/sent")},
        )

    async def _wait_for_cancellation(self) -> None:
        self.started.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def sdk_server(tools: Tools) -> Server[Any]:
    return Server(
        "http-test",
        version="1",
        instructions="Test me.",
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        get_tool_input_schema=lambda _: {"type": "object"},
    )


def sse_app(tools: Tools | None = None) -> ASGIApp:
    """The server as an ASGI application at `/mcp`, over HTTP+SSE alone."""
    server = sdk_server(tools or Tools())
    transport = SseServerTransport("/messages/")

    async def handle(request: Request) -> Response:
        scope, send = request.scope, request._send  # pyright: ignore[reportPrivateUsage]
        async with transport.connect_sse(scope, request.receive, send) as streams:
            await server.run(*streams, server.create_initialization_options())
        return Response()

    messages = Mount("/messages/", app=transport.handle_post_message)
    return Starlette(routes=[Route("/mcp", handle, methods=["GET"]), messages])


def sdk_app(
    tools: Tools | None = None, *, json_response: bool = False, modern_only: bool = False
) -> ASGIApp:
    """The server as an ASGI application at `/mcp`."""
    server = sdk_server(tools or Tools())
    app = server.streamable_http_app(json_response=json_response)
    return ModernOnly(app) if modern_only else app


class ModernOnly:
    """Refuses requests that aren't in the modern revision, as a server without the legacy ones
    does."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "http" and headers.get(b"mcp-protocol-version") != MODERN:
            error = {
                "code": -32022,
                "message": "Unsupported protocol version",
                "data": {"supported": [MODERN.decode()], "requested": "2025-11-25"},
            }
            refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class AnnouncingServer(uvicorn.Server):
    """Signals when it listens, and where."""

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        config = uvicorn.Config(
            app, port=port, log_level="warning", timeout_graceful_shutdown=1, ws="none"
        )
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @property
    def url(self) -> str:
        port = self.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def serving(app: ASGIApp, port: int = 0) -> Generator[str]:
    """Serve `app` on another thread; the URL has no path."""
    server = AnnouncingServer(app, port)
    thread = threading.Thread(target=server.run, name="test http server", daemon=True)
    thread.start()
    try:
        if not server.listening.wait(WAIT_S):
            raise TimeoutError("the test server did not start")
        yield server.url
    finally:
        server.should_exit = True
        thread.join(WAIT_S)
        assert not thread.is_alive(), "the test server did not end"


async def _serve(app: ASGIApp, port: int) -> None:
    server = AnnouncingServer(app, port)
    running = asyncio.get_running_loop().create_task(server.serve())
    await asyncio.to_thread(server.listening.wait, WAIT_S)
    print(json.dumps({"url": f"{server.url}/mcp"}), flush=True)
    await running


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="answer as JSON, not as event streams")
    parser.add_argument("--modern-only", action="store_true")
    options = parser.parse_args()
    app = sdk_app(json_response=options.json, modern_only=options.modern_only)
    asyncio.run(_serve(app, options.port))


if __name__ == "__main__":
    main()
