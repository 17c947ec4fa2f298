"""MCP's streamable HTTP transport, in all revisions: which session and request a message belongs
to, and how the response is sent. `session/dispatcher.py` decides what a method returns.

Legacy revisions have sessions: the client opens one, gets responses where it sent its requests, and
may keep a standalone stream (GET) open for messages in between. The modern revision has none of
that: each request says everything about itself.

Who ends what before it is done:

    a legacy request           its client, by `notifications/cancelled`; the end of its session. Not
                               the loss of its connection
    a standalone GET stream    its client, by disconnecting; the end of its session; shutdown
    a modern request           its client, by disconnecting
    an input-required call     its client, by disconnecting while it waits; time
                               (`session/input_required.py`)
    all of them                their token, when it is no longer valid (`active_requests.py`)
    requests and               shutdown, which is then their response
    input-required calls
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from router.domain.json_values import as_array, as_object
from router.gateway.client_request import ClientRequest
from router.gateway.http.http_request import HTTPError, HTTPRequest, SessionLimitReached
from router.gateway.http.message_parts import MessageParts, result_message
from router.gateway.http.response_stream import ResponseStream, respond
from router.gateway.session.dispatcher import Dispatcher
from router.gateway.session.sessions import STANDALONE_STREAM, LegacySession
from router.runtime.tasks import Stoppable, spawn
from router.wire.jsonrpc import (
    INVALID_JSON,
    InvalidMessage,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    Result,
    encode_error,
    parse_message,
)
from router.wire.mcp import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    PARSE_ERROR,
    SESSION_HEADER,
    VERSION_HEADER,
    MCPError,
)

if TYPE_CHECKING:
    from router.gateway import sdk

log = logging.getLogger(__name__)
_BATCH_VERSION = "2025-03-26"
_MAX_BATCH = 50
_JSON = frozenset({b"*/*", b"application/*", b"application/json"})
_STREAM = frozenset({b"*/*", b"text/*", b"text/event-stream"})


class StreamableHTTPServer:
    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._sessions = dispatcher.sessions

    async def __call__(self, http: HTTPRequest) -> None:
        """Serve a request. Raises `HTTPError` if its form is wrong."""
        version = http.headers.get(VERSION_HEADER)
        if version is not None and version not in LEGACY_VERSIONS:
            await self._modern(http, version)
            return
        session = self._find_session(http)
        if http.method == "POST":
            await self._legacy_post(http, session)
        elif session is None:
            raise HTTPError(400, "Bad Request: Missing session ID")
        elif http.method == "GET":
            await self._standalone_stream(http, session)
        else:
            self._sessions.end(session)
            await respond(http.send, 200)

    # Legacy revisions

    def _find_session(self, http: HTTPRequest) -> LegacySession | None:
        if (session_id := http.headers.get(SESSION_HEADER)) is None:
            return None
        session = self._sessions.find(session_id, http.principal.token)
        if session is None:
            raise HTTPError(404, "Session not found")
        return session

    async def _legacy_post(self, http: HTTPRequest, session: LegacySession | None) -> None:
        _check_accept(http)
        if session is not None and session.version == _BATCH_VERSION:
            messages = _parse_batch(http)
        else:
            messages = [_parse(http)]
        requests = [message for message in messages if isinstance(message, JSONRPCRequest)]
        if session is None:
            if not requests or requests[0].method != "initialize":
                raise HTTPError(400, "Bad Request: Missing session ID")
            await self._initialize(http, requests[0])
            return
        for message in messages:
            if isinstance(message, JSONRPCResponse):
                session.receive_response(message)
            elif isinstance(message, JSONRPCNotification):
                self._dispatcher.handle_notification(message, session)
        if not requests:
            await respond(http.send, 202)
        elif isinstance(http.body, list):
            await self._respond_to_batch(http, requests, session)
        else:
            await self._respond(http, requests[0], session)

    async def _initialize(self, http: HTTPRequest, message: JSONRPCRequest) -> None:
        if not self._sessions.make_room(LegacySession):
            raise SessionLimitReached(self._sessions.limit(), http.principal.client)
        headers: dict[str, str] = {}
        request = ClientRequest.from_http(http, message)

        async def initialize() -> Result:
            result, session = self._dispatcher.initialize(request)
            headers[SESSION_HEADER] = session.id
            return result

        parts, _ = await _response(request, initialize())
        await respond(http.send, 200, parts, headers)

    async def _respond(
        self, http: HTTPRequest, message: JSONRPCRequest, session: LegacySession
    ) -> None:
        with ResponseStream(http.send, {SESSION_HEADER: session.id}) as stream:
            request = ClientRequest.from_http(http, message, session.version, stream)
            if not await self._complete(request, session, stream.finish):
                await stream.open()
                await stream.close()

    async def _respond_to_batch(
        self, http: HTTPRequest, messages: Sequence[JSONRPCRequest], session: LegacySession
    ) -> None:
        """All responses on one stream, each as soon as it is there."""
        with ResponseStream(http.send, {SESSION_HEADER: session.id}) as stream:

            async def respond_to(message: JSONRPCRequest) -> None:
                request = ClientRequest.from_http(http, message, session.version, stream)
                await self._complete(request, session, stream.send_parts)

            await stream.open()
            await asyncio.gather(*map(respond_to, messages))
            await stream.close()

    async def _complete(
        self,
        request: ClientRequest,
        session: LegacySession,
        send: Callable[[MessageParts], Awaitable[None]],
    ) -> bool:
        """Send the response to a request; False if the client ended the request before, which is
        not answered then."""
        with Stoppable() as running:
            session.running[running] = request.id
            try:
                parts, _ = await _response(request, self._dispatcher.handle(request, session))
                await send(parts)
            finally:
                del session.running[running]
        return not running.stopped

    async def _standalone_stream(self, http: HTTPRequest, session: LegacySession) -> None:
        """Keep a stream open for messages to the client between its requests."""
        if not _accepts(http, _STREAM):
            raise HTTPError(406, "Not Acceptable: Client must accept text/event-stream")
        if session.standalone_stream is not None:
            raise HTTPError(409, "Conflict: Only one SSE stream is allowed per session")
        session.active_requests += 1
        session.running[running := Stoppable()] = STANDALONE_STREAM
        with ResponseStream(http.send, {SESSION_HEADER: session.id}) as stream:
            session.standalone_stream = stream
            try:
                with running:
                    await stream.open()
                    self._dispatcher.subscriptions.check_soon()  # it may have missed changes
                    await http.wait_disconnected()
                await stream.close()
            finally:
                session.active_requests -= 1
                session.standalone_stream = None
                del session.running[running]

    # The modern revision

    async def _modern(self, http: HTTPRequest, version: str) -> None:
        if http.method != "POST":
            await respond(http.send, 405, headers={"Allow": "POST"})
            return
        _check_accept(http)
        message = _parse(http)
        if isinstance(message, JSONRPCNotification):
            from router.gateway import sdk

            _raise_rejection(sdk.unsupported_protocol_version_rejection(version))
            await respond(http.send, 202)
            return
        if isinstance(message, JSONRPCResponse):
            raise HTTPError(400, "A client of this revision has no replies.")
        self._check_envelope(http, message)
        with ResponseStream(http.send) as stream, Stoppable() as running:
            watch = spawn(_stop_when_disconnected(http, running), name="watch a client")
            try:
                request = ClientRequest.from_http(http, message, version, stream)
                parts, status = await _response(request, self._dispatcher.handle(request, None))
                await stream.finish(parts, status)
            finally:
                watch.cancel()

    def _check_envelope(self, http: HTTPRequest, message: JSONRPCRequest) -> None:
        from router.gateway import sdk

        lines = ((name.decode("latin-1"), "") for name, _ in http.header_lines)
        if (repeated := sdk.find_duplicated_routing_header(lines)) is not None:
            text = f"{repeated} header appears more than once"
            raise HTTPError(400, text, code=HEADER_MISMATCH, request_id=message.id)
        verdict = sdk.classify_inbound_request(
            {"method": message.method, "params": message.params}, headers=http.headers
        )
        rejected = isinstance(verdict, sdk.InboundLadderRejection)
        _raise_rejection(verdict if rejected else None, message)
        if message.method == "tools/call":
            self._check_param_headers(http, message)

    def _check_param_headers(self, http: HTTPRequest, message: JSONRPCRequest) -> None:
        """A proxy that routes by the headers must see the arguments that the call runs with."""
        listing = self._dispatcher.tool_methods.tool_listing(http.principal)
        schema = listing.param_header_schemas.get(str(message.params.get("name")))
        if schema is None:
            return
        names = [name for name, _ in http.header_lines if name.startswith(b"mcp-param-")]
        if len(set(names)) < len(names):
            text = "an mcp-param header appears more than once"
            raise HTTPError(400, text, code=HEADER_MISMATCH, request_id=message.id)
        from router.gateway import sdk

        arguments = as_object(message.params.get("arguments"))
        _raise_rejection(sdk.validate_mcp_param_headers(schema, arguments, http.headers), message)


async def _response(request: ClientRequest, result: Awaitable[Result]) -> tuple[MessageParts, int]:
    """The response to a request, and the HTTP status it has in the modern revision. Every exception
    becomes an error response: the client must always get one."""
    try:
        return await result_message(request.id, await result), 200
    except MCPError as error:
        from router.gateway import sdk

        body = encode_error(request.id, error.code, error.message, error.data)
        status = sdk.ERROR_CODE_HTTP_STATUS.get(error.code, 200)
    except ValidationError:
        body = encode_error(request.id, INVALID_PARAMS, "Invalid request parameters")
        status = 400
    except Exception:
        log.exception("%s failed", request.method[:100])
        body = encode_error(request.id, INTERNAL_ERROR, "Internal server error")
        status = 200
    return deque([body]), status


async def _stop_when_disconnected(http: HTTPRequest, running: Stoppable) -> None:
    await http.wait_disconnected()
    running.stop()


def _parse(http: HTTPRequest) -> JSONRPCMessage:
    if http.body is INVALID_JSON:
        raise HTTPError(400, "Parse error: the body is not JSON", code=PARSE_ERROR)
    try:
        return parse_message(http.body)
    except InvalidMessage as error:
        raise HTTPError(400, str(error)) from None


def _parse_batch(http: HTTPRequest) -> list[JSONRPCMessage]:
    """The messages of a batch, which only one revision has, or the single one."""
    if not (values := as_array(http.body)):
        return [_parse(http)]
    if len(values) > _MAX_BATCH:
        raise HTTPError(400, f"A batch may have at most {_MAX_BATCH} messages")
    try:
        messages = [parse_message(value) for value in values]
    except InvalidMessage as error:
        raise HTTPError(400, f"In the batch: {error}") from None
    if any(isinstance(each, JSONRPCRequest) and each.method == "initialize" for each in messages):
        raise HTTPError(400, "initialize must not be part of a batch")
    return messages


def _raise_rejection(
    rejection: sdk.InboundLadderRejection | None, message: JSONRPCRequest | None = None
) -> None:
    if rejection is not None:
        from router.gateway import sdk

        raise HTTPError(
            sdk.ERROR_CODE_HTTP_STATUS.get(rejection.code, 400),
            rejection.message,
            code=rejection.code,
            data=rejection.data,
            request_id=message.id if message is not None else None,
        )


def _check_accept(http: HTTPRequest) -> None:
    if not (_accepts(http, _JSON) and _accepts(http, _STREAM)):
        raise HTTPError(
            406, "Not Acceptable: Client must accept both application/json and text/event-stream"
        )


def _accepts(http: HTTPRequest, media_types: frozenset[bytes]) -> bool:
    """Whether the Accept header, which may have several lines, has one of `media_types`."""
    lines = (value for name, value in http.header_lines if name == b"accept")
    accepted = b",".join(lines).lower().split(b",")
    return any(each.partition(b";")[0].strip() in media_types for each in accepted)
