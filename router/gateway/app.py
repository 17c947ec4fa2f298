"""The ASGI application: the gate, then the SDK's session manager for every protocol revision."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from router.gateway.protocol import Protocol
from router.gateway.sessions import MAX_SESSIONS, SESSION_IDLE_S


class _Manager(StreamableHTTPSessionManager):
    """The SDK's, which also tells when a session has ended, in whichever way."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(
            protocol.server, max_sessions=MAX_SESSIONS, session_idle_timeout=SESSION_IDLE_S
        )
        self._ended = protocol.sessions.end

    async def _discard_session(
        self, session_id: str, transport: StreamableHTTPServerTransport
    ) -> None:
        self._ended(session_id)
        await super()._discard_session(session_id, transport)


def build_app(protocol: Protocol) -> ASGIApp:
    """The endpoint without its gate. Host and Origin are the gate's to check, on every path."""
    manager = _Manager(protocol)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    return Starlette(routes=[Mount("/", StreamableHTTPASGIApp(manager))], lifespan=lifespan)
