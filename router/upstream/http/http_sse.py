"""The HTTP+SSE transport of 2024-11-05: one event stream has all messages of the server, and names
the endpoint for ours.

The stream is the connection: when it ends, so does the session. Its URL is configured; the endpoint
is named by the server, so it must have the same origin.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from http import HTTPStatus

from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop
from router.upstream.errors import NoConnection, bad_protocol, failed, refused
from router.upstream.http.http_client import EVENT_STREAM, HttpClient, HttpResponse
from router.upstream.http.http_transport import POST_HEADERS, HttpTransport
from router.upstream.message_decoder import InvalidMessage, decode_any
from router.upstream.peer import Peer, response_id
from router.wire.jsonrpc import encode_ascii
from router.wire.sse import MESSAGE_EVENT, SseParser

_ENDPOINT = b"endpoint"
_MAX_URL_BYTES = 8 * 1024


class HttpSseTransport(HttpTransport):
    """A `Transport` to a URL that answers GET with an event stream."""

    cancels_by_closing = False
    authenticated_method = "GET"
    _reader: asyncio.Task[None] | None = None
    _endpoint_client: asyncio.Future[HttpClient]
    """The client for the endpoint, once the server has named it."""

    async def start(self, peer: Peer) -> None:
        """Open the stream and wait for the endpoint. Raises `UpstreamFailed`."""
        self._peer = peer
        self._endpoint_client = asyncio.get_running_loop().create_future()
        response = await self._http.open("GET", {"accept": EVENT_STREAM})
        if not response.is_event_stream:
            async with response:
                raise refused(response.status, self._http.host, str(response))
        self._reader = spawn(self._read(response), name="sse")
        await asyncio.wait(
            [self._reader, self._endpoint_client], return_when=asyncio.FIRST_COMPLETED
        )
        if not self._endpoint_client.done():
            raise failed(bad_protocol("a stream that ends before it names the endpoint"))
        self._endpoint_client.result()

    def set_protocol_version(self, version: str) -> None:
        """A message is the same in every revision."""

    async def send(self, message: JsonObject) -> None:
        """Post `message`; the response arrives on the stream."""
        endpoint = self._endpoint_client.result()
        try:
            response = await endpoint.open("POST", POST_HEADERS, encode_ascii(message))
        except NoConnection as error:
            self._peer.close(error.failure)
            raise
        async with response:
            if response.status < HTTPStatus.MULTIPLE_CHOICES:
                return
            error = refused(response.status, endpoint.host, str(response))
        if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED):
            self._peer.close(error.failure)  # it no longer knows our stream, or our token
        raise error

    async def close(self) -> None:
        await stop(self._reader)
        await super().close()

    # The stream

    async def _read(self, response: HttpResponse) -> None:
        failure = Failure(FailureKind.UNREACHABLE, self._http.host, "its event stream ended")
        try:
            async with response, aclosing(response.events(SseParser())) as events:
                async for kind, data in events:
                    await self._handle_event(kind, data)
        except UpstreamFailed as error:
            failure = error.failure
            if not self._endpoint_client.done():
                self._endpoint_client.set_exception(error)
        self._peer.close(failure)

    async def _handle_event(self, kind: bytes, data: bytes) -> None:
        if kind == _ENDPOINT and not self._endpoint_client.done():
            reference = data[:_MAX_URL_BYTES].decode("utf-8", "replace").strip()
            self._endpoint_client.set_result(self._http.for_reference(reference))
        elif kind == MESSAGE_EVENT:
            await self._deliver(data)

    async def _deliver(self, data: bytes) -> None:
        try:
            for message in await decode_any(data, self._limits):
                self._peer.receive(message)
        except InvalidMessage as error:
            self._peer.reject(response_id(data), error.failure)
