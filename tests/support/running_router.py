"""A real router for tests: its events, and raw requests to its endpoint in any revision."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2

from router.api.events import Event
from router.config.server import ServerConfig
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.receipts import DiscoveryAccess
from router.runtime.tasks import spawn
from router.service import Router
from tests.support.fifo import Fifo
from tests.support.timeouts import WAIT_S

EventT = TypeVar("EventT")

PERSONAL = WorkspaceId("personal")
STDIO_SERVER = Path(__file__).parents[1] / "servers" / "stdio_server.py"
MODERN = "2026-07-28"


def stdio_config(*options: str, script: Path = STDIO_SERVER, **more: Any) -> ServerConfig:
    """A configuration that starts the test server."""
    return ServerConfig(command=sys.executable, args=(str(script), *options), **more)


def save(file: Path, text: str) -> None:
    """As editors do it, so that the file watch never reads half of it."""
    aside = file.with_name(f"{file.name}~")
    aside.write_text(text)
    aside.replace(file)


class Record:
    """What the test server records about itself, line by line as it happens, through a pipe."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "record"
        self._lines = Fifo(self.path)

    async def until(self, event: str) -> None:
        async with asyncio.timeout(WAIT_S):
            while event != json.loads(await self._lines.line())["event"]:
                pass

    def close(self) -> None:
        self._lines.close()


class EventTrace:
    """All events of a router, and a method to wait for one."""

    def __init__(self, router: Router) -> None:
        self.events: list[Event] = []
        self._arrived = asyncio.Condition()
        self._loop = asyncio.get_running_loop()
        router.subscribe(self._take)

    async def until(
        self, kind: type[EventT], matches: Callable[[EventT], bool] = lambda _: True
    ) -> EventT:
        """The first event of `kind` that matches, waiting for it if necessary."""

        def found() -> EventT | None:
            return next((e for e in self.events if isinstance(e, kind) and matches(e)), None)

        async with asyncio.timeout(WAIT_S), self._arrived:
            await self._arrived.wait_for(lambda: found() is not None)
        event = found()
        assert event is not None
        return event

    def clear(self) -> None:
        self.events.clear()

    def _take(self, event: Event) -> None:
        self.events.append(event)
        self._loop.call_soon(self._wake)

    def _wake(self) -> None:
        async def notify() -> None:
            async with self._arrived:
                self._arrived.notify_all()

        spawn(notify(), name="wake a test")


class Client:
    """Raw requests to an endpoint, in any protocol revision."""

    def __init__(self, http: httpx2.AsyncClient, url: str = "", token: str = "") -> None:
        self.http = http
        self._url = url
        self.token = token

    @property
    def url(self) -> str:
        return self._url

    def headers(self, token: str | None = None, **more: str) -> dict[str, str]:
        given = self.token if token is None else token
        bearer = {"Authorization": f"Bearer {given}"} if given else {}
        accept = "application/json, text/event-stream"
        return {"Accept": accept, "Content-Type": "application/json", **bearer, **more}

    async def post(
        self, message: JsonObject, *, path: str = "", token: str | None = None, **headers: str
    ) -> httpx2.Response:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(
            self.url + path, json=message, headers=self.headers(token, **sent)
        )

    async def modern(self, method: str, params: JsonObject | None = None, **how: Any) -> JsonObject:
        """The response to a request of the modern revision, which needs no session."""
        response = await self.post_modern(method, params, **how)
        return read_answer(response)

    async def post_modern(
        self, method: str, params: JsonObject | None = None, **how: Any
    ) -> httpx2.Response:
        params = dict(params or {})
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            **params.get("_meta", {}),
        }
        named = {"Mcp_Name": str(params["name"])} if "name" in params else {}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self.post(
            message, MCP_Protocol_Version=MODERN, Mcp_Method=method, **named, **how
        )

    async def call(self, name: str, arguments: JsonObject, **how: Any) -> JsonObject:
        """The result of a tool call in the modern revision."""
        answer = await self.modern("tools/call", {"name": name, "arguments": arguments}, **how)
        return answer["result"]

    async def open_session(self, version: str, **how: Any) -> tuple[JsonObject, dict[str, str]]:
        """`initialize` in a legacy revision: its result, and the headers of later requests."""
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        response = await self.post(message, **how)
        result = read_answer(response)["result"]
        session = {
            "Mcp_Session_Id": response.headers["mcp-session-id"],
            "MCP_Protocol_Version": result["protocolVersion"],
        }
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self.post(initialized, **session, **how)
        return result, session


class RunningRouter(Client):
    """A started router with its events, and a client of it."""

    def __init__(self, router: Router, http: httpx2.AsyncClient) -> None:
        super().__init__(http)
        self.router = router
        self.trace = EventTrace(router)

    @property
    def url(self) -> str:
        return self.router.endpoint.state().url or ""

    async def add(
        self, name: str, config: ServerConfig | None = None, *, unconfined: bool = False
    ) -> ServerRef:
        """Add a server and discover its tools; unconfined if it writes where a test looks."""
        config = config or stdio_config()
        consent = not unconfined
        ref = ServerRef(
            PERSONAL, await self.router.servers.add(PERSONAL, name, config, consent=consent)
        )
        if unconfined:
            await self.router.discovery.allow(ref, DiscoveryAccess.UNCONFINED)
            await self.router.servers.grant_consent(ref)
        await self.router.discovery.refresh(PERSONAL, ref.server)
        return ref


def read_answer(response: httpx2.Response) -> JsonObject:
    """The JSON-RPC response in an HTTP response, as JSON or as the last event of a stream."""
    assert response.status_code == 200, response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        data = [line for line in response.text.splitlines() if line.startswith("data:")]
        return json.loads(data[-1].removeprefix("data:"))
    return response.json()


@asynccontextmanager
async def running_router(data_dir: Path, **options: Any) -> AsyncGenerator[RunningRouter]:
    """A started router on `data_dir` and a free port, with a token for its client."""
    router = Router(data_dir, port=0, **options)
    async with httpx2.AsyncClient(timeout=WAIT_S) as http:
        running = RunningRouter(router, http)
        try:
            await router.start()
            issued = await router.tokens.issue("Test", None, None)
            running.token = issued.secret
            yield running
        finally:
            await router.stop()
