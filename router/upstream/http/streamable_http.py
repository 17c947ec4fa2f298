"""The streamable HTTP transport: each message is a POST, answered as JSON or as an event stream.

A request is sent, and its response read, in the caller's own task. In the legacy revisions there is
a session id, and a GET stream for the server's own messages; in the modern one there is neither,
and closing a request's stream cancels it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from http import HTTPStatus

from router.domain.errors import UpstreamFailed
from router.domain.failures import FailureKind
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn, stop
from router.upstream.errors import (
    HttpRefused,
    NoConnection,
    SessionTerminated,
    bad_protocol,
    failed,
    refused,
)
from router.upstream.http.http_client import (
    EVENT_STREAM,
    JSON,
    LAST_EVENT_ID,
    Credentials,
    HttpResponse,
)
from router.upstream.http.http_transport import POST_HEADERS, HttpTransport
from router.upstream.http.param_headers import param_headers
from router.upstream.limits import LIMITS, UpstreamLimits
from router.upstream.message_decoder import InvalidMessage, decode_any
from router.upstream.peer import Peer
from router.wire import mcp
from router.wire.jsonrpc import encode_ascii
from router.wire.sse import MESSAGE_EVENT, SseParser

log = logging.getLogger(__name__)

_DELETE_TIMEOUT_S = 1.0
_FIRST_RETRY_S = 1.0
_MAX_RETRY_S = 60.0
_MIN_RETRY_S = 0.1
_SESSION_ERROR = -32000
_NO_REQUEST = object()


class StreamableHttpTransport(HttpTransport):
    """A `Transport` to a URL."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials | None = None,
        *,
        limits: UpstreamLimits = LIMITS,
        input_schema: Callable[[str], JsonObject] = lambda _: {},
    ) -> None:
        """`input_schema` returns that of a tool by its name; empty if it is not known."""
        super().__init__(url, headers, credentials, limits=limits)
        self._input_schema = input_schema
        self._version = ""
        self.session_id: str | None = None
        self._listener: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def cancels_by_closing(self) -> bool:
        return self._version == mcp.MODERN_VERSION

    async def start(self, peer: Peer) -> None:
        self._peer = peer

    def set_protocol_version(self, version: str) -> None:
        """Set the negotiated version."""
        self._version = version

    def listen(self) -> None:
        """Open the GET stream on which a legacy server sends its own messages."""
        if self.session_id is not None and self._version != mcp.MODERN_VERSION:
            self._listener = spawn(self._listen(), name="http listen")

    async def forget_session(self) -> None:
        await stop(self._listener)
        self.session_id = None
        self._version = ""

    async def send(self, message: JsonObject) -> None:
        headers = self._headers_of(message)
        in_session = mcp.SESSION_HEADER in headers
        try:
            async with await self._http.open("POST", headers, encode_ascii(message)) as response:
                await self._handle_response(response, message, in_session=in_session)
        except (HttpRefused, NoConnection) as error:
            if isinstance(error, NoConnection) or error.status == HTTPStatus.UNAUTHORIZED:
                self._peer.close(error.failure)
            raise

    async def close(self) -> None:
        """End the session, if there is one. Finishes even if the caller is cancelled."""
        if self._closing is None:
            self._closing = spawn(self._close(), name="http close")
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        await stop(self._listener)
        await self._stop_background_sends()
        if self.session_id is not None:
            await self._delete_session()
        await super().close()

    # Sending

    def _headers_of(self, message: JsonObject) -> dict[str, str]:
        headers = {**POST_HEADERS, **self._session_headers()}
        if self._version == mcp.MODERN_VERSION and "method" in message:
            headers.update(_routing_headers(message))
            if message["method"] == "tools/call":
                params = as_object(message.get("params"))
                schema = self._input_schema(str(params.get("name")))
                headers.update(param_headers(schema, as_object(params.get("arguments"))))
        return headers

    def _session_headers(self) -> dict[str, str]:
        headers = {mcp.VERSION_HEADER: self._version} if self._version else {}
        if self.session_id is not None:
            headers[mcp.SESSION_HEADER] = self.session_id
        return headers

    async def _delete_session(self) -> None:
        try:
            async with asyncio.timeout(_DELETE_TIMEOUT_S):
                async with await self._http.open("DELETE", self._session_headers()) as response:
                    log.debug("The session at %s was ended: %s", self._http.host, response)
        except (UpstreamFailed, TimeoutError) as error:
            log.debug("The session at %s was not ended: %s", self._http.host, error)

    # Responses

    async def _handle_response(
        self, response: HttpResponse, message: JsonObject, *, in_session: bool
    ) -> None:
        if response.status >= HTTPStatus.MULTIPLE_CHOICES:
            await self._handle_error(response, message, in_session)
        elif "method" in message and "id" in message:
            if message["method"] == "initialize":
                self.session_id = _valid_session_id(response.headers.get(mcp.SESSION_HEADER))
            await self._handle_success(response, message["id"])

    async def _handle_success(self, response: HttpResponse, request_id: object) -> None:
        if response.media_type == JSON:
            answered = await self._deliver(await response.body(), request_id)
        elif response.media_type == EVENT_STREAM:
            answered = await self._handle_events(response, request_id)
        else:
            raise failed(bad_protocol(f"a response of type “{response.media_type[:100]}”"))
        if not answered:
            raise failed(bad_protocol("no response to the request"))

    async def _handle_events(self, response: HttpResponse, request_id: object) -> bool:
        """Deliver the stream's messages; if it ends before the response, resume it."""
        parser = SseParser()
        answered = await self._read_events(response, parser, request_id)
        while not answered and parser.last_event_id:
            await asyncio.sleep(_retry_s(parser))
            parser = SseParser(parser.last_event_id)
            async with await self._open_stream(parser.last_event_id) as resumed:
                if not resumed.is_event_stream:
                    refusal = refused(resumed.status, self._http.host, str(resumed))
                    raise failed(refusal.failure)  # the request itself was accepted
                answered = await self._read_events(resumed, parser, request_id)
        return answered

    async def _read_events(
        self, response: HttpResponse, parser: SseParser, request_id: object
    ) -> bool:
        """Whether the response to `request_id` was among the stream's messages."""
        async with aclosing(response.events(parser)) as events:
            async for kind, data in events:
                if kind == MESSAGE_EVENT and await self._deliver(data, request_id):
                    return True
        return False

    async def _deliver(self, data: bytes, request_id: object) -> bool:
        try:
            messages = await decode_any(data, self._limits)
        except InvalidMessage as error:
            raise failed(error.failure) from None
        answered = False
        for message in messages:
            self._peer.receive(message, request_id)
            answered |= "method" not in message and message.get("id") == request_id
        return answered

    async def _handle_error(
        self, response: HttpResponse, message: JsonObject, in_session: bool
    ) -> None:
        """Raise for an HTTP error, unless it has a JSON-RPC error, which is a response."""
        refusal = refused(response.status, self._http.host, str(response))
        if refusal.failure.kind is FailureKind.SIGN_IN_NEEDED:
            raise refusal
        error = await self._jsonrpc_error(response) if response.media_type == JSON else {}
        if in_session and _is_session_gone(response.status, error):
            raise SessionTerminated(refusal.failure, response.status)
        if not error or "id" not in message:
            raise refusal
        self._peer.receive({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async def _jsonrpc_error(self, response: HttpResponse) -> JsonObject:
        try:
            messages = await decode_any(await response.body(), self._limits)
        except InvalidMessage:
            return {}
        return as_object(messages[0].get("error")) if messages else {}

    # The GET stream

    async def _listen(self) -> None:
        """Runs until the server has no such stream, or no longer knows our session."""
        retry_s = _FIRST_RETRY_S
        parser = SseParser()
        while True:
            parser = SseParser(parser.last_event_id)
            opened_at = time.monotonic()
            try:
                async with await self._open_stream(parser.last_event_id) as response:
                    if response.status in range(400, 500):
                        return
                    if response.is_event_stream:
                        await self._read_events(response, parser, _NO_REQUEST)
            except HttpRefused:
                return
            except UpstreamFailed as error:
                log.debug("The stream from %s ended: %s", self._http.host, error)
            lasted = time.monotonic() - opened_at > retry_s
            retry_s = _FIRST_RETRY_S if lasted else min(2 * retry_s, _MAX_RETRY_S)
            await asyncio.sleep(retry_s)

    async def _open_stream(self, last_id: str) -> HttpResponse:
        headers = {"accept": EVENT_STREAM, **self._session_headers()}
        if last_id:
            headers[LAST_EVENT_ID] = last_id
        return await self._http.open("GET", headers)


def _valid_session_id(session_id: str | None) -> str | None:
    if session_id is not None and not (session_id.isascii() and session_id.isprintable()):
        raise failed(bad_protocol("its session ID contains invalid characters"))
    return session_id


def _retry_s(parser: SseParser) -> float:
    asked_s = _FIRST_RETRY_S if parser.retry_ms is None else parser.retry_ms / 1000
    return max(asked_s, _MIN_RETRY_S)


def _routing_headers(message: JsonObject) -> dict[str, str]:
    """The headers that repeat parts of a message in the modern revision, for routing."""
    method = str(message["method"])
    headers = {mcp.METHOD_HEADER: method}
    name = as_object(message.get("params")).get(mcp.NAMED_BY.get(method, ""))
    if isinstance(name, str):
        headers[mcp.NAME_HEADER] = mcp.header_value(name)
    return headers


def _is_session_gone(status: int, error: JsonObject) -> bool:
    """404 by the specification. Servers based on the TypeScript SDK's example send 400 and a
    text."""
    text = str(error.get("message", "")).lower()
    says_so = error.get("code") == _SESSION_ERROR and ("session" in text or "initialized" in text)
    return status == HTTPStatus.NOT_FOUND or (status == HTTPStatus.BAD_REQUEST and says_so)
