"""One live upstream: a transport, the peer that uses it, and the session they opened."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from router.domain.errors import UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject, as_object
from router.upstream.errors import SessionTerminated, bad_protocol, failed, time_limit
from router.upstream.handshake import handshake, with_envelope
from router.upstream.http.streamable_http import StreamableHttpTransport
from router.upstream.peer import NotificationSink, Peer, Transport
from router.upstream.ports import NO_OPTIONS, CallOptions, ClientPeer
from router.upstream.server_requests import (
    SHARED_FEATURES,
    ClientFeatures,
    features_of,
    input_requests,
)
from router.upstream.subscription_stream import ACKNOWLEDGED, SubscriptionStream
from router.wire.mcp import LOG_LEVELS, MODERN_VERSION, SERVER_INFO_KEY

HTTP_STARTUP_S = 10.0
_SET_LEVEL_OPTIONS = CallOptions(timeout_s=5.0)
_MAX_INPUT_ROUNDS = 10
_SUBSCRIBE_METHODS = ("resources/subscribe", "resources/unsubscribe")
_CLOSED = Failure(FailureKind.OTHER, detail="its connection was closed")
_SESSION_LOST = Failure(FailureKind.OTHER, detail="it lost our session and did not open a new one")


class UpstreamConnection:
    """Implements `ports.Upstream`. Results look the same in all protocol revisions."""

    def __init__(
        self,
        transport: Transport,
        on_notification: NotificationSink,
        client_features: ClientFeatures = SHARED_FEATURES,
    ) -> None:
        self.transport = transport
        self._client_features = client_features
        self._on_notification = on_notification
        self._peer = Peer(transport, self._notified, client_features)
        self._subscribed: set[str] = set()
        self._subscription_stream: SubscriptionStream | None = None
        self._log_level: str | None = None
        """The lowest level that was set at the server."""
        self.server_info: JsonObject
        self.capabilities: JsonObject
        self.instructions: str
        self.protocol_version: str

    @property
    def closed(self) -> bool:
        """Whether it takes no more requests. Those in progress may still get their response."""
        return self._peer.closed or self.transport.is_closing

    @property
    def is_stuck(self) -> bool:
        """Whether requests time out one after the other, and nothing else comes from the server."""
        return self._peer.is_stuck

    @property
    def idle_s(self) -> float:
        """For how long it has had no request."""
        in_use = self._peer.busy or self._subscribed
        return 0.0 if in_use else time.monotonic() - self._peer.last_used

    @property
    def closed_while_idle(self) -> bool:
        """Whether no request was in progress when it closed."""
        return self._peer.requests_lost == 0

    async def open(self, expected_version: str = "") -> None:
        """Connect; `expected_version` is the revision the server had before, if that is known."""
        await self.transport.start(self._peer)
        await self._open_session(expected_version)

    async def _open_session(self, expected_version: str) -> None:
        declared = self._client_features.capabilities
        server = await handshake(self._peer, declared, expected_version)
        self.server_info, self.capabilities = server.server_info, server.capabilities
        self.instructions = server.instructions
        self.protocol_version = server.protocol_version
        self._log_level = None
        if self._is_modern:
            self._subscription_stream = SubscriptionStream(self._listen, self.capabilities)
            self._subscription_stream.start()

    @property
    def _is_modern(self) -> bool:
        return self.protocol_version == MODERN_VERSION

    async def _listen(self, params: JsonObject) -> JsonObject:
        params = with_envelope(params, self._client_features.capabilities)
        return await self._peer.request("subscriptions/listen", params, is_subscription=True)

    def _notified(self, method: str, params: JsonObject) -> None:
        if method == ACKNOWLEDGED and self._subscription_stream is not None:
            self._subscription_stream.acknowledged()
        else:
            self._on_notification(method, params)

    async def request(
        self, method: str, params: JsonObject | None = None, options: CallOptions = NO_OPTIONS
    ) -> JsonObject:
        if method in _SUBSCRIBE_METHODS:
            return await self._subscribe(method, params or {}, options)
        if self._is_modern:
            return await self._request_modern(method, params, options)
        if options.client is not None:
            await self._set_log_level(options.client.log_level)
        return await self._peer.request(method, params, options)

    async def _request_modern(
        self, method: str, params: JsonObject | None, options: CallOptions
    ) -> JsonObject:
        """If the result is `input_required`, a legacy client is asked for the input; a modern one
        gets the result as it is."""
        client = options.client
        capabilities = self._client_features.capabilities if client is None else client.capabilities
        log_level = client.log_level if client is not None else None
        params = with_envelope(params, features_of(capabilities), log_level)
        for _ in range(_MAX_INPUT_ROUNDS):
            result = await self._peer.request(method, params, options)
            requests = input_requests(result)
            if requests is None or client is None or client.takes_input_required:
                return _without_envelope(result)
            responses = {key: await _respond(client, each) for key, each in requests.items()}
            params = {**params, "inputResponses": responses}
            params.pop("requestState", None)
            if "requestState" in result:
                params["requestState"] = result["requestState"]
        raise failed(bad_protocol(f"it still requires input after {_MAX_INPUT_ROUNDS} responses"))

    async def _subscribe(self, method: str, params: JsonObject, options: CallOptions) -> JsonObject:
        uri, result = str(params.get("uri")), dict[str, Any]()
        wanted = method == "resources/subscribe"
        if self._subscription_stream is None:
            result = await self._peer.request(method, params, CallOptions(options.timeout_s))
        elif wanted:
            await self._subscription_stream.add(uri)
        else:
            await self._subscription_stream.remove(uri)
        (self._subscribed.add if wanted else self._subscribed.discard)(uri)
        return result

    async def _set_log_level(self, level: str | None) -> None:
        """Have a legacy server send at least the log messages that this client wants."""
        if level is None or "logging" not in self.capabilities:
            return
        lowest = self._log_level
        if lowest is not None and LOG_LEVELS.index(level) >= LOG_LEVELS.index(lowest):
            return
        self._log_level = level
        with contextlib.suppress(UpstreamAnsweredError):
            await self._peer.request("logging/setLevel", {"level": level}, _SET_LEVEL_OPTIONS)

    async def wait_closed(self) -> Failure:
        """Why it closed, when it does."""
        return await self._peer.wait_closed()

    async def close(self) -> None:
        self._peer.close(_CLOSED)
        if self._subscription_stream is not None:
            await self._subscription_stream.close()
        await self.transport.close()


class StreamableHttpConnection(UpstreamConnection):
    """Opens a new session when its server has lost the old one, as after a restart."""

    def __init__(
        self,
        transport: StreamableHttpTransport,
        on_notification: NotificationSink,
        client_features: ClientFeatures = SHARED_FEATURES,
    ) -> None:
        super().__init__(transport, on_notification, client_features)
        self._http = transport
        self._renewing = asyncio.Lock()

    async def open(self, expected_version: str = "") -> None:
        await super().open(expected_version)
        self._http.listen()

    async def request(
        self, method: str, params: JsonObject | None = None, options: CallOptions = NO_OPTIONS
    ) -> JsonObject:
        if self._renewing.locked():
            async with self._renewing:
                pass
        session_id = self._http.session_id
        try:
            return await super().request(method, params, options)
        except SessionTerminated:
            await self._renew_session(session_id)
        return await super().request(method, params, options)

    async def _renew_session(self, gone: str | None) -> None:
        """Open a new session in place of the lost one, unless another request just did."""
        async with self._renewing:
            if self._http.session_id != gone or self.closed:
                return
            await self._http.forget_session()
            try:
                async with time_limit(HTTP_STARTUP_S):
                    await self._open_session(self.protocol_version)
            except BaseException:
                self._peer.close(_SESSION_LOST)
                raise
            self._http.listen()


async def _respond(client: ClientPeer, request: JsonObject) -> JsonObject:
    return await client.request(str(request.get("method")), as_object(request.get("params")))


def _without_envelope(result: JsonObject) -> JsonObject:
    """A modern result without what every modern result has."""
    if result.get("resultType") == "complete":
        del result["resultType"]
    meta = as_object(result.get("_meta"))
    if meta.pop(SERVER_INFO_KEY, None) is not None and not meta:
        del result["_meta"]
    return result
