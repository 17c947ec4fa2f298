"""The ASGI application: the gate, then the SDK's session manager for every protocol revision."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from router.gateway.protocol import Protocol

_MAX_SESSIONS = 1000
_SESSION_IDLE_S = 1800


def build_app(protocol: Protocol) -> ASGIApp:
    """The endpoint without its gate. Host and Origin are the gate's to check, on every path."""
    manager = StreamableHTTPSessionManager(
        protocol.server, max_sessions=_MAX_SESSIONS, session_idle_timeout=_SESSION_IDLE_S
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Mount("/", StreamableHTTPASGIApp(manager))], lifespan=lifespan)
