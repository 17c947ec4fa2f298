"""MCP over HTTP ("streamable HTTP"), in all its revisions: which request a message belongs to, and
how its answer travels. What is answered is `protocol.py`'s matter.

Older revisions have sessions: the client opens one, gets its answers where it asked, and may keep a
standing stream open for what comes in between. The stateless revision has none of that: each
request says everything about itself.

Who ends what before it is done:

    a request of an older revision    its client, by saying so; the end of its session. Not that its
                                      connection broke
    a standing stream                 its client, by leaving; the end of its session; our stop
    a stateless request               its client, by closing its connection
    a call kept for its next round    its client, by leaving while it waits; time (`rounds.py`)
    all of them                       their token, when it stops to hold (`admissions.py`)
    requests and kept calls           our stop, which is then their answer
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from router.domain.json_values import JsonObject, as_array, as_object
from router.gateway.http.http_request import Arrival
from router.gateway.http.jsonrpc import (
    NOT_JSON,
    Call,
    Notice,
    Rejected,
    Reply,
    Result,
    error_message,
    message_in,
    result_message,
)
from router.gateway.http.response_stream import Answer, respond
from router.gateway.session.dispatcher import Protocol
from router.gateway.session.incoming import Incoming
from router.gateway.session.sessions import STANDING, OpenedSession
from router.runtime.tasks import Stoppable, spawn
from router.wire.mcp import SESSION_HEADER, VERSION_HEADER

log = logging.getLogger(__name__)
_CANCELLED = -32800
_WITH_BATCHES = "2025-03-26"
_MOST_IN_BATCH = 50
_JSON = frozenset({b"*/*", b"application/*", b"application/json"})
_STREAM = frozenset({b"*/*", b"text/*", b"text/event-stream"})


class Front:
    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._sessions = protocol.sessions

    async def __call__(self, arrival: Arrival) -> None:
        version = arrival.headers.get(VERSION_HEADER)
        try:
            if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
                await self._in_session(arrival)
            else:
                await self._stateless(arrival, version)
        except Rejected as rejected:
            await respond(arrival.send, rejected.status, rejected.body)

    # Older revisions

    async def _in_session(self, arrival: Arrival) -> None:
        session = self._session(arrival)
        if arrival.verb == "POST":
            await self._take(arrival, session)
        elif session is None:
            raise Rejected(400, types.INVALID_REQUEST, "Bad Request: Missing session ID")
        elif arrival.verb == "GET":
            await self._stand(arrival, session)
        else:
            self._sessions.end(session)
            await respond(arrival.send, 200)

    def _session(self, arrival: Arrival) -> OpenedSession | None:
        if (named := arrival.headers.get(SESSION_HEADER)) is None:
            return None
        session = self._sessions.find(named, arrival.caller.token)
        if session is None:
            raise Rejected(404, types.INVALID_REQUEST, "Session not found")
        return session

    async def _take(self, arrival: Arrival, session: OpenedSession | None) -> None:
        _check_accepted(arrival)
        if session is not None and session.version == _WITH_BATCHES:
            messages = _messages(arrival)
        else:
            messages = [_message(arrival)]
        calls = [message for message in messages if isinstance(message, Call)]
        if session is None:
            if not calls or calls[0].method != "initialize":
                raise Rejected(400, types.INVALID_REQUEST, "Bad Request: Missing session ID")
            await self._open(arrival, calls[0])
            return
        for message in messages:
            if isinstance(message, Reply):
                session.take(message)
            elif isinstance(message, Notice):
                self._protocol.notice(message, session)
        if not calls:
            await respond(arrival.send, 202)
        elif isinstance(arrival.body, list):
            await self._answer_batch(arrival, calls, session)
        else:
            await self._answer(arrival, calls[0], session)

    async def _open(self, arrival: Arrival, call: Call) -> None:
        if not self._sessions.has_room():
            raise Rejected(503, types.INTERNAL_ERROR, "Too many sessions are open.")
        opened: list[OpenedSession] = []

        with Answer(arrival.send) as answer:
            incoming = Incoming.of(arrival, call, "", answer)

        async def begin() -> Result:
            result, session = self._protocol.initialize(incoming)
            opened.append(session)
            return result

        body, _ = await _outcome(incoming, begin())
        headers = {SESSION_HEADER: opened[0].id} if opened else None
        await respond(arrival.send, 200, body, headers)

    async def _answer(self, arrival: Arrival, call: Call, session: OpenedSession) -> None:
        with Answer(arrival.send, {SESSION_HEADER: session.id}) as answer:
            incoming = Incoming.of(arrival, call, session.version, answer)
            if not await self._finish(incoming, session, answer.finish):
                # The SDK's client, if it is just leaving, fails over a JSON body but not a stream.
                await answer.open()
                await answer.finish(_cancelled(call))

    async def _answer_batch(
        self, arrival: Arrival, calls: Sequence[Call], session: OpenedSession
    ) -> None:
        """Each as soon as it is there, on one stream."""
        with Answer(arrival.send, {SESSION_HEADER: session.id}) as answer:

            async def answer_one(call: Call) -> None:
                incoming = Incoming.of(arrival, call, session.version, answer)
                if not await self._finish(incoming, session, answer.say):
                    await answer.say(_cancelled(call))

            await answer.open()
            await asyncio.gather(*map(answer_one, calls))
            await answer.close()

    async def _finish(
        self, incoming: Incoming, session: OpenedSession, say: Callable[[bytes], Awaitable[None]]
    ) -> bool:
        """Say what is answered to a request, unless its client ends it before: whether it was."""
        with Stoppable() as request:
            session.running[request] = incoming.request_id
            try:
                body, _ = await _outcome(incoming, self._protocol.answer(incoming, session))
                await say(body)
            finally:
                del session.running[request]
        return not request.stopped

    async def _stand(self, arrival: Arrival, session: OpenedSession) -> None:
        """Keep a stream open for what the client is told between its requests."""
        if not _accepts(arrival, _STREAM):
            raise Rejected(
                406, types.INVALID_REQUEST, "Not Acceptable: Client must accept text/event-stream"
            )
        if session.standing is not None:
            raise Rejected(
                409, types.INVALID_REQUEST, "Conflict: Only one SSE stream is allowed per session"
            )
        session.under_way += 1
        session.running[stream := Stoppable()] = STANDING
        with Answer(arrival.send, {SESSION_HEADER: session.id}) as answer:
            session.standing = answer
            try:
                with stream:
                    await answer.open()
                    self._protocol.changes.look_soon()  # it may have missed some
                    await arrival.until_gone()
                await answer.close()
            finally:
                session.under_way -= 1
                session.standing = None
                del session.running[stream]

    # The stateless revision

    async def _stateless(self, arrival: Arrival, version: str) -> None:
        if arrival.verb != "POST":
            await respond(arrival.send, 405, headers={"Allow": "POST"})
            return
        _check_accepted(arrival)
        message = _message(arrival)
        if isinstance(message, Notice):
            _check(unsupported_protocol_version_rejection(version), None)
            await respond(arrival.send, 202)
            return
        if isinstance(message, Reply):
            raise Rejected(400, types.INVALID_REQUEST, "A client of this revision has no replies.")
        self._check_envelope(arrival, message)
        with Answer(arrival.send) as answer, Stoppable() as request:
            gone = spawn(_until_gone(arrival, request), name="watch a client")
            try:
                incoming = Incoming.of(arrival, message, version, answer)
                answering = self._protocol.answer(incoming, None)
                body, status = await _outcome(incoming, answering)
                await answer.finish(body, status)
            finally:
                gone.cancel()

    def _check_envelope(self, arrival: Arrival, call: Call) -> None:
        lines = ((name.decode("latin-1"), "") for name, _ in arrival.header_lines)
        if (twice := find_duplicated_routing_header(lines)) is not None:
            message = f"{twice} header appears more than once"
            raise Rejected(400, types.HEADER_MISMATCH, message, request=call.id)
        verdict = classify_inbound_request(
            {"method": call.method, "params": call.params}, headers=arrival.headers
        )
        _check(verdict if isinstance(verdict, InboundLadderRejection) else None, call)
        if call.method == "tools/call":
            self._check_mirrored(arrival, call)

    def _check_mirrored(self, arrival: Arrival, call: Call) -> None:
        """Who routes by the headers and who runs the call must see the same arguments."""
        schema = self._protocol.mirrored(arrival.caller, call.params.get("name"))
        if schema is None:
            return
        names = [name for name, _ in arrival.header_lines if name.startswith(b"mcp-param-")]
        if len(set(names)) < len(names):
            message = "an mcp-param header appears more than once"
            raise Rejected(400, types.HEADER_MISMATCH, message, request=call.id)
        arguments = as_object(call.params.get("arguments"))
        _check(validate_mcp_param_headers(schema, arguments, arrival.headers), call)


async def _outcome(incoming: Incoming, answering: Awaitable[Result]) -> tuple[bytes, int]:
    """What is answered, and the HTTP status that goes with it in the stateless revision."""
    number = incoming.request_id
    try:
        return result_message(number, await answering), 200
    except MCPError as error:
        body = error_message(number, error.code, error.message, error.data)
        return body, ERROR_CODE_HTTP_STATUS.get(error.code, 200)
    except ValidationError:
        return error_message(number, types.INVALID_PARAMS, "Invalid request parameters"), 400
    except Exception:  # whatever it was, the client must not wait for ever
        log.exception("%s could not be answered", incoming.method[:100])
        return error_message(number, types.INTERNAL_ERROR, "Internal server error"), 200


def _cancelled(call: Call) -> bytes:
    return error_message(call.id, _CANCELLED, "Request cancelled")


async def _until_gone(arrival: Arrival, request: Stoppable) -> None:
    await arrival.until_gone()
    request.stop()


def _message(arrival: Arrival) -> Call | Notice | Reply:
    if arrival.body is NOT_JSON:
        raise Rejected(400, types.PARSE_ERROR, "Parse error: the body is not JSON")
    if (message := message_in(arrival.body)) is None:
        raise Rejected(
            400, types.INVALID_REQUEST, "Body must be a single JSON-RPC message, not a batch"
        )
    return message


def _messages(arrival: Arrival) -> list[Call | Notice | Reply]:
    """Those of a batch, which only one revision has, or the one there is."""
    if not (values := as_array(arrival.body)):
        return [_message(arrival)]
    messages = [message for value in values if (message := message_in(value)) is not None]
    if len(messages) < len(values) or len(values) > _MOST_IN_BATCH:
        wanted = f"A batch must be JSON-RPC messages, {_MOST_IN_BATCH} at most"
        raise Rejected(400, types.INVALID_REQUEST, wanted)
    if any(isinstance(each, Call) and each.method == "initialize" for each in messages):
        raise Rejected(400, types.INVALID_REQUEST, "initialize must not be part of a batch")
    return messages


def _check(rejection: InboundLadderRejection | None, call: Call | None) -> None:
    if rejection is not None:
        status = ERROR_CODE_HTTP_STATUS.get(rejection.code, 400)
        number = call.id if call is not None else None
        data: JsonObject | None = rejection.data
        raise Rejected(status, rejection.code, rejection.message, data, request=number)


def _check_accepted(arrival: Arrival) -> None:
    if not (_accepts(arrival, _JSON) and _accepts(arrival, _STREAM)):
        raise Rejected(
            406,
            types.INVALID_REQUEST,
            "Not Acceptable: Client must accept both application/json and text/event-stream",
        )


def _accepts(arrival: Arrival, kinds: frozenset[bytes]) -> bool:
    """Whether the client takes one of `kinds`, which it may say on several lines."""
    lines = (value for name, value in arrival.header_lines if name == b"accept")
    stated = b",".join(lines).lower().split(b",")
    return any(kind.partition(b";")[0].strip() in kinds for kind in stated)
