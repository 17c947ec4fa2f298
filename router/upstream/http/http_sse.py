"""A server behind HTTP+SSE, the transport of 2024-11-05: one event stream brings all it says, and
names the address to which our messages are posted.

The stream is the connection: when it ends, so does the session. Its address is given by the person
and the one for messages by the server, so that must be of the same origin.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from http import HTTPStatus

from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.background_sends import BackgroundSends
from router.upstream.errors import NoConnection, bad_protocol, failed, refused
from router.upstream.http.event_stream import EVENTS, JSON, decoded, events_of, is_stream
from router.upstream.http.http_client import Channel, Reply
from router.upstream.limits import LIMITS, Limits
from router.upstream.message_decoder import NotAMessage
from router.upstream.oauth.authorized_client import Credentials, channel_to
from router.upstream.peer import Receiver, response_id
from router.wire.framing import MESSAGE, EventParser
from router.wire.jsonrpc import encode_ascii

_ENDPOINT = b"endpoint"
_MAX_ADDRESS_BYTES = 8 * 1024


class HttpSseTransport:
    """A `Transport` to an address that answers GET with an event stream."""

    cancels_by_closing = False

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials | None = None,
        *,
        limits: Limits = LIMITS,
    ) -> None:
        self._channel = channel_to(url, headers, credentials, limits, deciding="GET")
        self._limits = limits
        self._reading: asyncio.Task[None] | None = None
        self._posting: asyncio.Future[Channel]
        """Where messages go, once the server has said so."""
        self._background = BackgroundSends(self.send, self._channel.host)
        self.send_soon = self._background.send_soon
        self._receiver: Receiver

    async def start(self, receiver: Receiver) -> None:
        """Open the stream and wait for the address. Raises `UpstreamFailed`."""
        self._receiver = receiver
        self._posting = asyncio.get_running_loop().create_future()
        reply = await self._channel.open("GET", {"accept": EVENTS})
        if not is_stream(reply):
            async with reply:
                raise refused(reply.status, self._channel.host, str(reply))
        self._reading = spawn(self._read(reply), name="sse")
        await asyncio.wait([self._reading, self._posting], return_when=asyncio.FIRST_COMPLETED)
        if not self._posting.done():
            raise failed(bad_protocol("a stream that ends before it names an address"))
        self._posting.result()

    def set_protocol_version(self, version: str) -> None:
        """A message is the same in every revision."""

    async def send(self, message: JsonObject) -> None:
        """Post `message`; what the server answers comes over the stream."""
        posting = self._posting.result()
        headers = {"accept": f"{JSON}, {EVENTS}", "content-type": JSON}
        try:
            reply = await posting.open("POST", headers, encode_ascii(message))
        except NoConnection as error:
            self._receiver.close(error.failure)
            raise
        async with reply:
            if reply.status < HTTPStatus.MULTIPLE_CHOICES:
                return
            error = refused(reply.status, posting.host, str(reply))
        if reply.status in (HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED):
            self._receiver.close(error.failure)  # it no longer knows our stream, or us
        raise error

    async def close(self) -> None:
        await stop(self._reading)
        await self._background.stop()
        await self._channel.close()

    # The stream

    async def _read(self, reply: Reply) -> None:
        failure = Failure(FailureKind.UNREACHABLE, self._channel.host, "its event stream ended")
        try:
            async with reply, aclosing(events_of(reply, EventParser(), self._limits)) as events:
                async for kind, data in events:
                    await self._take(kind, data)
        except UpstreamFailed as error:
            failure = error.failure
            if not self._posting.done():
                self._posting.set_exception(error)
        self._receiver.close(failure)

    async def _take(self, kind: bytes, data: bytes) -> None:
        if kind == _ENDPOINT and not self._posting.done():
            reference = data[:_MAX_ADDRESS_BYTES].decode("utf-8", "replace").strip()
            self._posting.set_result(self._channel.beside(reference))
        elif kind == MESSAGE:
            await self._deliver(data)

    async def _deliver(self, data: bytes) -> None:
        try:
            messages = await decoded(data, self._limits)
        except NotAMessage as error:
            failure = bad_protocol(f"an answer that is no message ({error})")
            self._receiver.reject(response_id(data), failure)
            return
        for message in messages:
            self._receiver.receive(message)
