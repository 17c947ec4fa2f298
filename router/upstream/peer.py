"""A JSON-RPC peer over any transport: which response belongs to which request, on plain dicts.

The peer knows ids, progress, cancellation, and which client a server's requests go to. It knows
neither bytes nor connections: a `Transport` sends its messages and calls `receive` for those that
come in. It validates nothing, so that results pass unchanged.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol, TypeAlias, cast

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn
from router.upstream.errors import HttpRefused, NoConnection, bad_protocol, failed
from router.upstream.pending_request import PendingRequest
from router.upstream.ports import NO_OPTIONS, CallOptions
from router.upstream.server_requests import CLIENT_NOTIFICATIONS, SHARED_FEATURES, ClientFeatures
from router.wire import jsonrpc
from router.wire.mcp import INTERNAL_ERROR, INVALID_REQUEST

log = logging.getLogger(__name__)

NotificationSink: TypeAlias = Callable[[str, JsonObject], None]
"""Receives the method and params of a server's notification; must not raise."""

_HANDSHAKE = ("initialize", "server/discover")
_NOT_DONE = (HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.SERVICE_UNAVAILABLE)
_MAX_SERVER_REQUESTS = 32
_SERVER_REQUEST_TIMEOUT_S = 300.0
_END_BYTES = 100
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]')
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class Transport(Protocol):
    """Carries the messages of a peer: a process's pipes, or HTTP."""

    async def start(self, peer: Peer) -> None:
        """Open it; `peer` gets what it receives. Raises `UpstreamFailed`."""
        ...

    def set_protocol_version(self, version: str) -> None:
        """`version` is what both sides have agreed on; empty: nothing yet."""
        ...

    async def close(self) -> None: ...

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is sent, though messages may still arrive."""
        ...

    @property
    def cancels_by_closing(self) -> bool:
        """Whether cancelling `send` cancels the request at the server, without a notification."""
        ...

    async def send(self, message: JsonObject) -> None:
        """Send `message`. If it is a request, its response has come or can still come on return.

        Raises `UpstreamFailed` if it can't be sent.
        """
        ...

    def send_soon(self, message: JsonObject) -> None:
        """Send `message` without waiting; a failure is ignored."""
        ...


def response_id(text: bytes) -> int | None:
    """The id of the request that an undecodable text responds to, if it is at one of its ends:
    further in, an id may be anything."""
    found = _ID_FIRST.match(text) or _ID_LAST.search(text, max(0, len(text) - _END_BYTES))
    return int(found[1]) if found else None


class Peer:
    """Our end of a connection. Ids are our own integers, which are also the progress tokens."""

    def __init__(
        self,
        transport: Transport,
        on_notification: NotificationSink,
        client_features: ClientFeatures = SHARED_FEATURES,
    ) -> None:
        self.transport = transport
        self._on_notification = on_notification
        self._client_features = client_features
        self._responding: dict[str | int, asyncio.Task[None]] = {}
        """The server's requests in progress, by its ids."""
        self._ids = itertools.count(1)
        self._pending: dict[int, PendingRequest] = {}
        self._closed: asyncio.Future[Failure] = asyncio.get_running_loop().create_future()
        self.last_used = time.monotonic()
        self.requests_lost = 0
        """How many requests were in progress when it was closed."""
        self._silent_since: float | None = None
        """Since when it has been silent after a request timed out."""
        self.is_stuck = False
        """Whether another request has timed out that was sent during this silence."""

    @property
    def closed(self) -> bool:
        return self._closed.done()

    @property
    def busy(self) -> bool:
        return any(not pending.is_subscription for pending in self._pending.values())

    async def wait_closed(self) -> Failure:
        return await asyncio.shield(self._closed)

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        options: CallOptions = NO_OPTIONS,
        *,
        is_subscription: bool = False,
    ) -> JsonObject:
        """The server's result. Cancelling this, or its timeout, tells the server to cancel. A
        subscription is a stream for notifications, and does not count as use."""
        self._raise_if_closed()
        try:
            return await self._exchange(method, params, options, is_subscription)
        except UpstreamFailed as error:
            error.sent = _may_have_arrived(error)
            raise

    async def _exchange(
        self, method: str, params: JsonObject | None, options: CallOptions, is_subscription: bool
    ) -> JsonObject:
        request_id, began = next(self._ids), time.monotonic()
        pending = PendingRequest(options, is_subscription)
        self._pending[request_id] = pending
        if options.on_progress is not None:
            params = _with_progress_token(params, request_id)
        try:
            async with asyncio.timeout(options.timeout_s) as pending.timeout:
                await self.transport.send(jsonrpc.request(request_id, method, params))
                response = await pending.response
                await pending.drain()
        except TimeoutError:
            self._raise_if_closed()
            self._cancel(request_id, method, "timed out")
            if method in _HANDSHAKE:
                raise failed(Failure(FailureKind.TIMEOUT, f"{options.timeout_s:g} s")) from None
            self._watch_silence(began)
            raise failed(Failure(FailureKind.CALL_TIMEOUT, f"{options.timeout_s:g} s")) from None
        except asyncio.CancelledError:
            self._cancel(request_id, method, "cancelled by the client")
            raise
        finally:
            del self._pending[request_id]
            if not is_subscription:
                self.last_used = time.monotonic()
            await pending.end()
        return _result_of(response, method)

    async def notify(self, method: str, params: JsonObject | None = None) -> None:
        self._raise_if_closed()
        await self.transport.send(jsonrpc.notification(method, params))

    def receive(self, message: JsonObject, related_id: object = None) -> None:
        """Take a message from the transport; `related_id` is the id of the request whose stream it
        came on, if any."""
        self._silent_since, self.is_stuck = None, False
        method = message.get("method")
        if not isinstance(method, str):
            self._take_response(message)
        elif "id" in message:
            self._take_request(message["id"], method, as_object(message.get("params")), related_id)
        else:
            self._take_notification(method, as_object(message.get("params")), related_id)

    def reject(self, request_id: int | None, failure: Failure) -> None:
        """Fail the request whose response can't be decoded, if it is known."""
        pending = self._pending_of(request_id)
        if pending is not None and not pending.response.done():
            pending.response.set_result(failure)

    def close(self, failure: Failure) -> None:
        """Fail all requests, pending and future, with `failure`. Only the first one counts."""
        if self._closed.done():
            return
        self._closed.set_result(failure)
        self.requests_lost = sum(not each.is_subscription for each in self._pending.values())
        for responding in tuple(self._responding.values()):
            responding.cancel()
        for pending in self._pending.values():
            pending.expire()

    def _raise_if_closed(self) -> None:
        if self._closed.done():
            raise failed(self._closed.result())

    def _cancel(self, request_id: int, method: str, reason: str) -> None:
        if self.transport.cancels_by_closing or method in _HANDSHAKE or self.closed:
            return
        params = {"requestId": request_id, "reason": reason}
        self.transport.send_soon(jsonrpc.notification("notifications/cancelled", params))

    def _watch_silence(self, began: float) -> None:
        """A request that was sent at `began` timed out. Any message, as the response to our ping,
        shows that its server is only slow."""
        if self._silent_since is None:
            self._silent_since = time.monotonic()
            self.transport.send_soon(jsonrpc.request(next(self._ids), "ping", None))
        elif began >= self._silent_since:
            self.is_stuck = True

    def _take_response(self, message: JsonObject) -> None:
        pending = self._pending_of(message.get("id"))
        if pending is None or pending.response.done():
            log.debug("Ignored a response to no request: id %.100r", message.get("id"))
            return
        pending.response.set_result(message)

    def _take_notification(self, method: str, params: JsonObject, related_id: object) -> None:
        if method == "notifications/progress":
            pending = self._pending_of(params.get("progressToken"))
            if pending is not None:
                pending.notify_progress({k: v for k, v in params.items() if k != "progressToken"})
        elif method == "notifications/cancelled":
            self._cancel_request(params.get("requestId"))
        elif method in CLIENT_NOTIFICATIONS:
            call = self._call_of(related_id)
            if call is not None:
                call.notify(method, params)
        else:
            self._on_notification(method, params)

    # Requests of the server

    def _take_request(
        self, request_id: Any, method: str, params: JsonObject, related_id: object
    ) -> None:
        if not isinstance(request_id, str | int) or request_id in self._responding:
            return  # a response could not be matched to it
        if method == "ping":
            self.transport.send_soon(jsonrpc.result(request_id, {}))
            return
        if len(self._responding) >= _MAX_SERVER_REQUESTS:
            refusal = UpstreamAnsweredError(INVALID_REQUEST, "Too many questions at once.")
            self.transport.send_soon(_error_response(request_id, refusal))
            return
        call = self._call_of(related_id)
        task = spawn(
            self._respond(request_id, method, params, call),
            name=f"respond {method[:40]}",
            group=call.server_requests if call is not None else None,
        )
        self._responding[request_id] = task
        task.add_done_callback(lambda _: self._responding.pop(request_id, None))

    async def _respond(
        self, request_id: str | int, method: str, params: JsonObject, call: PendingRequest | None
    ) -> None:
        try:
            async with asyncio.timeout(_SERVER_REQUEST_TIMEOUT_S):
                result = await self._client_features.respond(method, params, call)
            message = jsonrpc.result(request_id, result)
        except UpstreamAnsweredError as error:
            message = _error_response(request_id, error)
        except TimeoutError:
            late = UpstreamAnsweredError(INTERNAL_ERROR, "Nobody answered in time.")
            message = _error_response(request_id, late)
        with contextlib.suppress(UpstreamFailed):  # those who wait for the server get the failure
            await self.transport.send(message)

    def _cancel_request(self, request_id: object) -> None:
        """The server cancelled its request."""
        task = self._responding.get(request_id) if isinstance(request_id, str | int) else None
        if task is not None:
            task.cancel()

    def _call_of(self, related_id: object) -> PendingRequest | None:
        """The call that a server's message is about."""
        return self._client_features.call_of(self._pending.values(), self._pending_of(related_id))

    def _pending_of(self, request_id: object) -> PendingRequest | None:
        """The type is compared too: for Python `True` and `1.0` are the key `1`."""
        return self._pending.get(request_id) if type(request_id) is int else None


def _may_have_arrived(error: UpstreamFailed) -> bool:
    """Whether the server may have carried out the request that failed: not if there was no
    connection, nor if it refused to process it."""
    if isinstance(error, HttpRefused):
        return error.status >= HTTPStatus.INTERNAL_SERVER_ERROR and error.status not in _NOT_DONE
    return not isinstance(error, NoConnection)


def _with_progress_token(params: JsonObject | None, token: int) -> JsonObject:
    params = params or {}
    return {**params, "_meta": {**as_object(params.get("_meta")), "progressToken": token}}


def _error_response(request_id: str | int, error: UpstreamAnsweredError) -> JsonObject:
    return jsonrpc.error(request_id, error.code, error.message, error.data)


def _result_of(response: JsonObject | Failure, method: str) -> JsonObject:
    if isinstance(response, Failure):
        raise failed(response)
    result = response.get("result")
    if isinstance(result, dict):
        return cast(JsonObject, result)
    if "error" in response:
        raise jsonrpc.answered_error(as_object(response["error"]))
    raise failed(bad_protocol(f"the answer to {method} has no result"))
