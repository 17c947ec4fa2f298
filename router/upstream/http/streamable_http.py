"""A server behind streamable HTTP: each message is a POST, answered as JSON or as an event stream.

A request is sent, and its answer read, in the caller's own task: no task stands between. In the
legacy revisions a session id is kept and a standing GET stream brings the server's notifications;
in the modern one there is neither, and closing a request's stream cancels it.
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
from router.upstream.background_sends import BackgroundSends
from router.upstream.errors import (
    HttpRefused,
    NoConnection,
    SessionGone,
    bad_protocol,
    failed,
    refused,
)
from router.upstream.http.event_stream import EVENTS, JSON, decoded, events_of, is_stream
from router.upstream.http.http_client import Reply
from router.upstream.http.param_headers import mirrored_headers
from router.upstream.limits import LIMITS, Limits
from router.upstream.message_decoder import NotAMessage
from router.upstream.oauth.authorized_client import Credentials, channel_to
from router.upstream.peer import Receiver
from router.wire.framing import MESSAGE, EventParser
from router.wire.jsonrpc import encode_ascii
from router.wire.mcp import (
    METHOD_HEADER,
    MODERN_VERSION,
    NAME_HEADER,
    NAMED_BY,
    SESSION_HEADER,
    VERSION_HEADER,
    header_value,
)

log = logging.getLogger(__name__)

_GOODBYE_TIMEOUT_S = 1.0
_FIRST_RETRY_S = 1.0
_LONGEST_RETRY_S = 60.0
_SHORTEST_RETRY_S = 0.1
_SAID_IN_WORDS = -32000
_NOBODY = object()


class StreamableHttpTransport:
    """A `Transport` to an address."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials | None = None,
        *,
        limits: Limits = LIMITS,
        input_schema: Callable[[str], JsonObject] = lambda _: {},
    ) -> None:
        """`input_schema` gives that of a tool by its name, as far as it is known."""
        self._channel = channel_to(url, headers, credentials, limits)
        self._limits = limits
        self._input_schema = input_schema
        self._version = ""
        self._session_id: str | None = None
        self._listening: asyncio.Task[None] | None = None
        self._background = BackgroundSends(self.send, self._channel.host)
        self.send_soon = self._background.send_soon
        self._closing: asyncio.Task[None] | None = None
        self._receiver: Receiver

    @property
    def cancels_by_closing(self) -> bool:
        return self._version == MODERN_VERSION

    @property
    def session_id(self) -> str | None:
        return self._session_id

    async def start(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def set_protocol_version(self, version: str) -> None:
        """From now on `version` is what both sides have agreed on."""
        self._version = version

    def listen(self) -> None:
        """Open the standing stream on which a legacy server sends notifications of its own."""
        if self._session_id is not None and self._version != MODERN_VERSION:
            self._listening = spawn(self._keep_listening(), name="http listen")

    async def forget_session(self) -> None:
        await stop(self._listening)
        self._session_id = None
        self._version = ""

    async def send(self, message: JsonObject) -> None:
        headers = self._headers_of(message)
        try:
            async with await self._channel.open("POST", headers, encode_ascii(message)) as reply:
                await self._take_reply(reply, message, in_session=SESSION_HEADER in headers)
        except HttpRefused as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                self._receiver.close(error.failure)
            raise
        except NoConnection as error:
            self._receiver.close(error.failure)
            raise

    async def close(self) -> None:
        """End the session, if there is one; nobody's cancellation can leave a connection."""
        if self._closing is None:
            self._closing = spawn(self._shut_down(), name="http close")
        await asyncio.shield(self._closing)

    async def _shut_down(self) -> None:
        await stop(self._listening)
        await self._background.stop()
        if self._session_id is not None:
            await self._say_goodbye()
        await self._channel.close()

    # Sending

    def _headers_of(self, message: JsonObject) -> dict[str, str]:
        headers = {"accept": f"{JSON}, {EVENTS}", "content-type": JSON}
        headers.update(self._session_headers())
        if self._version == MODERN_VERSION and "method" in message:
            headers.update(_routing_headers(message))
            if message["method"] == "tools/call":
                headers.update(self._mirrored(as_object(message.get("params"))))
        return headers

    def _mirrored(self, params: JsonObject) -> dict[str, str]:
        schema = self._input_schema(str(params.get("name")))
        return mirrored_headers(schema, as_object(params.get("arguments"))) if schema else {}

    def _session_headers(self) -> dict[str, str]:
        headers = {VERSION_HEADER: self._version} if self._version else {}
        if self._session_id is not None:
            headers[SESSION_HEADER] = self._session_id
        return headers

    async def _say_goodbye(self) -> None:
        try:
            async with asyncio.timeout(_GOODBYE_TIMEOUT_S):
                async with await self._channel.open("DELETE", self._session_headers()) as reply:
                    log.debug("The session at %s was ended: %s", self._channel.host, reply)
        except (UpstreamFailed, TimeoutError) as error:
            log.debug("The session at %s was not ended: %s", self._channel.host, error)

    # Answers

    async def _take_reply(self, reply: Reply, message: JsonObject, *, in_session: bool) -> None:
        if reply.status >= HTTPStatus.MULTIPLE_CHOICES:
            await self._take_refusal(reply, message, in_session)
        elif "method" in message and "id" in message:
            if message["method"] == "initialize":
                self._session_id = reply.headers.get(SESSION_HEADER)
            await self._take_answer(reply, message["id"])

    async def _take_answer(self, reply: Reply, request_id: object) -> None:
        if reply.media_type == JSON:
            answered = await self._deliver(await reply.body(), request_id)
        elif reply.media_type == EVENTS:
            answered = await self._take_events(reply, request_id)
        else:
            raise failed(bad_protocol(f"an answer of type “{reply.media_type[:100]}”"))
        if not answered:
            raise failed(bad_protocol("a reply without the answer"))

    async def _take_events(self, reply: Reply, request_id: object) -> bool:
        """Deliver what the stream brings; if the server lets it go before the answer, resume it."""
        parser = EventParser()
        answered = await self._read_events(reply, parser, request_id)
        while not answered and parser.last_id:
            await asyncio.sleep(_retry_s(parser))
            parser = EventParser(parser.last_id)
            async with await self._open_stream(parser.last_id) as resumed:
                if not is_stream(resumed):
                    refusal = refused(resumed.status, self._channel.host, str(resumed))
                    raise failed(refusal.failure)  # the request itself was accepted
                answered = await self._read_events(resumed, parser, request_id)
        return answered

    async def _read_events(self, reply: Reply, parser: EventParser, request_id: object) -> bool:
        """Whether the answer to `request_id` was among the stream's messages."""
        async with aclosing(events_of(reply, parser, self._limits)) as events:
            async for kind, data in events:
                if kind == MESSAGE and await self._deliver(data, request_id):
                    return True
        return False

    async def _deliver(self, data: bytes, request_id: object) -> bool:
        try:
            messages = await decoded(data, self._limits)
        except NotAMessage as error:
            raise failed(bad_protocol(f"an answer that is no message ({error})")) from None
        answered = False
        for message in messages:
            self._receiver.receive(message, request_id)
            answered |= "method" not in message and message.get("id") == request_id
        return answered

    async def _take_refusal(self, reply: Reply, message: JsonObject, in_session: bool) -> None:
        """Raise for an HTTP error, unless it carries a JSON-RPC error, which is an answer."""
        refusal = refused(reply.status, self._channel.host, str(reply))
        if refusal.failure.kind is FailureKind.SIGN_IN_NEEDED:
            raise refusal
        error = await self._error_in(reply) if reply.media_type == JSON else {}
        if in_session and _means_session_gone(reply.status, error):
            raise SessionGone(refusal.failure, reply.status)
        if not error or "id" not in message:
            raise refusal
        self._receiver.receive({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async def _error_in(self, reply: Reply) -> JsonObject:
        try:
            messages = await decoded(await reply.body(), self._limits)
        except NotAMessage:
            return {}
        return as_object(messages[0].get("error")) if messages else {}

    # The standing stream

    async def _keep_listening(self) -> None:
        """Until the server says it has no such stream, or no longer knows our session."""
        retry_s = _FIRST_RETRY_S
        parser = EventParser()
        while True:
            parser = EventParser(parser.last_id)
            opened_at = time.monotonic()
            try:
                async with await self._open_stream(parser.last_id) as reply:
                    if reply.status in range(400, 500):
                        return
                    if is_stream(reply):
                        await self._read_events(reply, parser, _NOBODY)
            except HttpRefused:
                return
            except UpstreamFailed as error:
                log.debug("The stream from %s ended: %s", self._channel.host, error)
            lasted = time.monotonic() - opened_at > retry_s
            retry_s = _FIRST_RETRY_S if lasted else min(2 * retry_s, _LONGEST_RETRY_S)
            await asyncio.sleep(retry_s)

    async def _open_stream(self, last_id: str) -> Reply:
        headers = {"accept": EVENTS, **self._session_headers()}
        if last_id:
            headers["last-event-id"] = last_id
        return await self._channel.open("GET", headers)


def _retry_s(parser: EventParser) -> float:
    asked_s = _FIRST_RETRY_S if parser.retry_ms is None else parser.retry_ms / 1000
    return max(asked_s, _SHORTEST_RETRY_S)


def _routing_headers(message: JsonObject) -> dict[str, str]:
    """What the modern revision repeats of a message, for those who route without reading it."""
    method = str(message["method"])
    headers = {METHOD_HEADER: method}
    name = as_object(message.get("params")).get(NAMED_BY.get(method, ""))
    if isinstance(name, str):
        headers[NAME_HEADER] = header_value(name)
    return headers


def _means_session_gone(status: int, error: JsonObject) -> bool:
    """404 by the book. Servers made after the TypeScript SDK's example say it in words."""
    words = str(error.get("message", "")).lower()
    said = error.get("code") == _SAID_IN_WORDS and ("session" in words or "initialized" in words)
    return status == HTTPStatus.NOT_FOUND or (status == HTTPStatus.BAD_REQUEST and said)
