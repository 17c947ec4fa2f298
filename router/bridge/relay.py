"""Messages both ways: each line of the client becomes a request, each message of the answer a line.

The client never notices that the router was restarted: its session is opened again with what it
said at first, and only calls that were under way fail. Speaks every revision: in those with
sessions the bridge keeps the session, in the others a request stands for itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from router.bridge.http_client import Broken, HttpClient, NotSent, Response
from router.bridge.router_lookup import error_of
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn, stop
from router.wire import jsonrpc
from router.wire.mcp import NAMED_BY, VERSION_KEY, header_value

Connect: TypeAlias = Callable[[bool], Awaitable[HttpClient]]
"""Find the router, again if need be; True: start it if none runs."""

_LISTS = ("tools", "prompts", "resources")
_LOST, _UNREACHABLE = -32001, -32002
_TRIES = 3
_RETRY_LISTENING_S = 1.0
_LAST_ANSWERS_S = 1.5
_ACCEPT = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


class Relay:
    def __init__(self, connect: Connect, write: Callable[[bytes], None]) -> None:
        self._connect = connect
        self._write = write
        self._http: HttpClient | None = None
        self._connecting = asyncio.Lock()
        self._initialize: JsonObject | None = None
        self._session: dict[str, str] = {}
        self._calls: dict[Any, asyncio.Task[None]] = {}
        self._listening: asyncio.Task[None] | None = None

    async def take(self, line: bytes) -> None:
        """A line the client wrote. Requests go side by side, all else in order."""
        try:
            message = as_object(json.loads(line))
        except ValueError:
            message = {}
        if not message:
            self._tell(jsonrpc.error(None, -32700, "Parse error"))
            return
        method, request_id = message.get("method"), message.get("id")
        if method == "notifications/cancelled" and self._cancel(message):
            return
        if method is None or request_id is None or method == "initialize":
            await self._send(message)
            return
        call = self._calls[request_id] = spawn(self._send(message), name=f"bridge {method}")
        call.add_done_callback(lambda _: self._calls.pop(request_id, None))

    async def finish(self) -> None:
        """The client has said all: end its session."""
        await stop(self._listening)
        if self._calls:
            await asyncio.wait(list(self._calls.values()), timeout=_LAST_ANSWERS_S)
        for call in list(self._calls.values()):
            await stop(call)
        if self._http is not None and self._session:
            with contextlib.suppress(NotSent, Broken, TimeoutError):
                async with asyncio.timeout(1), self._http.request("DELETE", self._session):
                    pass
        if self._http is not None:
            self._http.close()

    def _cancel(self, message: JsonObject) -> bool:
        """In revisions without sessions, leaving a request is what cancels it."""
        call = self._calls.get(as_object(message.get("params")).get("requestId"))
        if self._session or call is None:
            return False
        call.cancel()
        return True

    async def _send(self, message: JsonObject) -> None:
        try:
            for _ in range(_TRIES):
                if await self._exchange(message):
                    return
            raise ToolboothError("Toolbooth does not answer.", "Is it running?")
        except Broken:
            lost = "Toolbooth stopped while this was under way; it may have been done or not."
            self._refuse(message, _LOST, lost)
        except (ToolboothError, TimeoutError, OSError) as error:
            self._refuse(message, _UNREACHABLE, str(error) or "Toolbooth could not be started.")

    async def _exchange(self, message: JsonObject) -> bool:
        """Send a message and pass on what is answered; False if it has to be sent again."""
        http = await self._connected(start=True)
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            async with http.request("POST", self._headers(message), body) as response:
                if response.status == 404 and self._is_in_session(message):
                    await response.body()
                    await self._reopen(http)
                    return False
                await self._pass_on(message, response)
        except NotSent:
            await self._lose(http)
            return False
        return True

    def _is_in_session(self, message: JsonObject) -> bool:
        return bool(self._session) and message.get("method") != "initialize"

    async def _pass_on(self, message: JsonObject, response: Response) -> None:
        if response.status >= 300:
            self._refuse(message, -32000, error_of(await response.body()))
            return
        async for text in response.messages():
            self._write(_line(text))
            if message.get("method") == "initialize":
                self._opened(message, response, json.loads(text))

    def _opened(self, message: JsonObject, response: Response, answer: JsonObject) -> None:
        result = as_object(answer.get("result"))
        if not result:
            return
        self._initialize = message
        self._session = _session_of(response, result)
        if self._listening is None:
            self._listening = spawn(self._listen(), name="bridge listening")

    async def _connected(self, *, start: bool) -> HttpClient:
        async with self._connecting:
            if self._http is None:
                self._http = await self._connect(start)
                if self._initialize is not None:
                    await self._open_again(self._http)
            return self._http

    async def _lose(self, http: HttpClient) -> None:
        """The router has gone, and may be back elsewhere."""
        async with self._connecting:
            if self._http is http:
                http.close()
                self._http = None

    async def _reopen(self, http: HttpClient) -> None:
        """The router is there but has forgotten the session: it was restarted."""
        lost = self._session
        async with self._connecting:
            if self._http is http and self._session == lost:
                await self._open_again(http)

    async def _open_again(self, http: HttpClient) -> None:
        """A new session, opened with the client's own words; it hears only that lists may have
        changed."""
        body = json.dumps(self._initialize).encode()
        async with http.request("POST", _ACCEPT, body) as response:
            if response.status >= 300:
                raise ToolboothError(error_of(await response.body()))
            answers = [json.loads(text) async for text in response.messages()]
            result = as_object(as_object(answers[-1]).get("result"))
            self._session = _session_of(response, result)
        initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        async with http.request("POST", {**_ACCEPT, **self._session}, initialized) as response:
            await response.body()
        for kind in _LISTS:
            if as_object(as_object(result.get("capabilities")).get(kind)).get("listChanged"):
                self._tell(jsonrpc.notification(f"notifications/{kind}/list_changed"))

    async def _listen(self) -> None:
        """Pass on what the router says by itself, for as long as the session lives. A router that a
        person stopped is not started for this."""
        while True:
            with contextlib.suppress(NotSent, Broken, ToolboothError, TimeoutError, OSError):
                http = await self._connected(start=False)
                headers = {"Accept": "text/event-stream", **self._session}
                try:
                    async with http.request("GET", headers) as response:
                        if response.status == 404:
                            await self._reopen(http)
                        elif response.status >= 400:
                            return
                        async for text in response.messages():
                            self._write(_line(text))
                except (NotSent, Broken):
                    await self._lose(http)
            await asyncio.sleep(_RETRY_LISTENING_S)

    def _headers(self, message: JsonObject) -> dict[str, str]:
        params = as_object(message.get("params"))
        version = as_object(params.get("_meta")).get(VERSION_KEY)
        if not isinstance(version, str):
            return {**_ACCEPT, **self._session}
        method = str(message.get("method", ""))
        headers = {**_ACCEPT, "MCP-Protocol-Version": version, "Mcp-Method": method}
        if (name := params.get(NAMED_BY.get(method, ""))) is not None:
            headers["Mcp-Name"] = header_value(str(name))
        return headers

    def _refuse(self, message: JsonObject, code: int, text: str) -> None:
        if message.get("method") is not None and message.get("id") is not None:
            self._tell(jsonrpc.error(message["id"], code, text))

    def _tell(self, message: JsonObject) -> None:
        self._write(json.dumps(message, ensure_ascii=False).encode())


def _session_of(response: Response, result: Mapping[str, Any]) -> dict[str, str]:
    session = {"MCP-Protocol-Version": str(result.get("protocolVersion", ""))}
    if session_id := response.headers.get("mcp-session-id"):
        session["Mcp-Session-Id"] = session_id
    return session


def _line(text: bytes) -> bytes:
    """A message without a line break inside."""
    return text if b"\n" not in text else json.dumps(json.loads(text)).encode()
