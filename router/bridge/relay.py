"""Relays messages: each line from the client becomes an HTTP request, each message of the response
a line.

A restart of the router is invisible to the client: the session is opened again with the client's
`initialize` request, and only requests in progress fail. In legacy revisions the bridge keeps the
session; modern requests are independent of each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from router.bridge.http_client import BridgeHttpClient, ConnectionBroken, NotSent, Response
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_object, parse_object
from router.runtime.tasks import spawn, stop
from router.wire import jsonrpc
from router.wire.mcp import NAMED_BY, VERSION_KEY, header_value

Connect: TypeAlias = Callable[[bool], Awaitable[BridgeHttpClient]]
"""Find the router; True: start it if it is not running."""

_RETRIED = (NotSent, ConnectionBroken, ToolboothError, TimeoutError, OSError)
_LIST_KINDS = ("tools", "prompts", "resources")
_LOST, _UNREACHABLE = -32001, -32002
_MAX_ATTEMPTS = 3
_RETRY_LISTENING_S = 1.0
_FINISH_TIMEOUT_S = 1.5
_ACCEPT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Relay:
    def __init__(self, connect: Connect, write: Callable[[bytes], None]) -> None:
        self._connect = connect
        self._write = write
        self._http: BridgeHttpClient | None = None
        self._connecting = asyncio.Lock()
        self._initialize: JsonObject | None = None
        self._session: dict[str, str] = {}
        self._requests: dict[Any, asyncio.Task[None]] = {}
        self._listening: asyncio.Task[None] | None = None

    async def receive(self, line: bytes) -> None:
        """Handle a line from the client. Requests run concurrently, all else in order."""
        if not (message := parse_object(line)):
            self._emit(jsonrpc.error(None, -32700, "Parse error"))
            return
        method, request_id = message.get("method"), message.get("id")
        if method == "notifications/cancelled" and self._cancel(message):
            return
        if method is None or request_id is None or method == "initialize":
            await self._send(message)
            return
        call = self._requests[request_id] = spawn(self._send(message), name=f"bridge {method}")
        call.add_done_callback(lambda _: self._requests.pop(request_id, None))

    async def finish(self) -> None:
        """The client has closed its side: end its session."""
        await stop(self._listening)
        if self._requests:
            await asyncio.wait(list(self._requests.values()), timeout=_FINISH_TIMEOUT_S)
        for call in list(self._requests.values()):
            await stop(call)
        if self._http is not None and self._session:
            with contextlib.suppress(NotSent, ConnectionBroken, TimeoutError):
                async with asyncio.timeout(1), self._http.request("DELETE", self._session):
                    pass
        if self._http is not None:
            self._http.close()

    def _cancel(self, message: JsonObject) -> bool:
        """In the modern revision, closing the connection of a request cancels it."""
        call = self._requests.get(as_object(message.get("params")).get("requestId"))
        if self._session or call is None:
            return False
        call.cancel()
        return True

    async def _send(self, message: JsonObject) -> None:
        try:
            for _ in range(_MAX_ATTEMPTS):
                if await self._exchange(message):
                    return
            raise ToolboothError("Toolbooth does not answer.", "Is it running?")
        except ConnectionBroken:
            lost = "Toolbooth stopped while this was under way; it may have been done or not."
            self._emit_error(message, _LOST, lost)
        except (ToolboothError, TimeoutError, OSError) as error:
            self._emit_error(message, _UNREACHABLE, str(error) or "Toolbooth could not be started.")

    async def _exchange(self, message: JsonObject) -> bool:
        """Send a message and relay the response; False if it has to be sent again."""
        http = await self._client(start=True)
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            async with http.request("POST", self._headers(message), body) as response:
                in_session = self._session and message.get("method") != "initialize"
                if response.status == 404 and in_session:
                    await response.body()
                    await self._reopen(http)
                    return False
                await self._relay(message, response)
        except NotSent:
            await self._disconnect(http)
            return False
        return True

    async def _relay(self, message: JsonObject, response: Response) -> None:
        if response.status >= 300:
            self._emit_error(message, -32000, _error_message(await response.body()))
            return
        async for text in response.messages():
            self._write(_line(text))
            if message.get("method") == "initialize":
                self._store_session(message, response, json.loads(text))

    def _store_session(self, message: JsonObject, response: Response, answer: JsonObject) -> None:
        result = as_object(answer.get("result"))
        if not result:
            return
        self._initialize = message
        self._session = _session_of(response, result)
        if self._listening is None:
            self._listening = spawn(self._listen(), name="bridge listening")

    async def _client(self, *, start: bool) -> BridgeHttpClient:
        async with self._connecting:
            if self._http is None:
                self._http = await self._connect(start)
                if self._initialize is not None:
                    await self._open_session(self._http)
            return self._http

    async def _disconnect(self, http: BridgeHttpClient) -> None:
        """The router is gone, and may come back at another address."""
        async with self._connecting:
            if self._http is http:
                http.close()
                self._http = None

    async def _reopen(self, http: BridgeHttpClient) -> None:
        """The router does not know the session: it was restarted."""
        lost = self._session
        async with self._connecting:
            if self._http is http and self._session == lost:
                await self._open_session(http)

    async def _open_session(self, http: BridgeHttpClient) -> None:
        """Open a new session with the client's own `initialize`; the client is only notified that
        lists may have changed."""
        body = json.dumps(self._initialize).encode()
        async with http.request("POST", _ACCEPT, body) as response:
            if response.status >= 300:
                raise ToolboothError(_error_message(await response.body()))
            answers = [json.loads(text) async for text in response.messages()]
            result = as_object(as_object(answers[-1]).get("result"))
            self._session = _session_of(response, result)
        initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        async with http.request("POST", {**_ACCEPT, **self._session}, initialized) as response:
            await response.body()
        for kind in _LIST_KINDS:
            if as_object(as_object(result.get("capabilities")).get(kind)).get("listChanged"):
                self._emit(jsonrpc.notification(f"notifications/{kind}/list_changed"))

    async def _listen(self) -> None:
        """Relay the router's own messages for as long as the session lives. Never starts a router
        that the user stopped."""
        while True:
            with contextlib.suppress(*_RETRIED):
                http = await self._client(start=False)
                headers = {"Accept": "text/event-stream", **self._session}
                try:
                    async with http.request("GET", headers) as response:
                        if response.status == 404:
                            await self._reopen(http)
                        elif response.status >= 400:
                            return
                        async for text in response.messages():
                            self._write(_line(text))
                except (NotSent, ConnectionBroken):
                    await self._disconnect(http)
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

    def _emit_error(self, message: JsonObject, code: int, text: str) -> None:
        if message.get("method") is not None and message.get("id") is not None:
            self._emit(jsonrpc.error(message["id"], code, text))

    def _emit(self, message: JsonObject) -> None:
        self._write(json.dumps(message, ensure_ascii=False).encode())


def _session_of(response: Response, result: Mapping[str, Any]) -> dict[str, str]:
    session = {"MCP-Protocol-Version": str(result.get("protocolVersion", ""))}
    if session_id := response.headers.get("mcp-session-id"):
        session["Mcp-Session-Id"] = session_id
    return session


def _line(text: bytes) -> bytes:
    """A message without line breaks."""
    return text if b"\n" not in text else json.dumps(json.loads(text)).encode()


def _error_message(body: bytes) -> str:
    """The message of an error response."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode("utf-8", "replace")
