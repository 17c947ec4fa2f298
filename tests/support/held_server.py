"""A server over HTTP that answers nothing until a test lets it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Receive, Scope, Send

from router.config.server import ServerConfig
from tests.servers.http_server import sdk_app, serving
from tests.support.timeouts import WAIT_S


@dataclass(slots=True)
class HeldServer:
    app: ASGIApp
    url: str = ""
    let_go: threading.Event = field(default_factory=threading.Event)

    @property
    def config(self) -> ServerConfig:
        return ServerConfig(url=f"{self.url}/mcp")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.to_thread(self.let_go.wait, WAIT_S)
        await self.app(scope, receive, send)


@contextmanager
def held_server() -> Generator[HeldServer]:
    held = HeldServer(sdk_app())
    with serving(held) as held.url:
        try:
            yield held
        finally:
            held.let_go.set()
