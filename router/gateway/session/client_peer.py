"""The client of one request, as servers reach it: requests, notifications and progress.

A legacy client is sent requests while its own request waits. A modern client is only ever answered:
its request returns `input_required`, and continues when the client repeats it.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_array, as_object
from router.gateway.client_request import ClientRequest
from router.gateway.http.response_stream import ResponseStream
from router.gateway.session.client_folder import folder_path, is_folder
from router.gateway.session.sessions import LegacySession, Session
from router.wire import jsonrpc
from router.wire.mcp import (
    CLIENT_CAPABILITIES_KEY,
    INVALID_REQUEST,
    LOG_LEVEL_KEY,
    LOG_LEVELS,
    REQUEST_TIMEOUT,
)

SendRequest: TypeAlias = Callable[[str, JsonObject], Awaitable[JsonObject]]

_REQUEST_TIMEOUT_S = 300.0
_PROGRESS_KEYS = ("progress", "total", "message")


class _ClientPeer(ABC):
    """What legacy and modern clients have in common. Implements `upstream.ports.ClientPeer`."""

    capabilities: JsonObject
    takes_input_required: bool

    def __init__(self, session: Session, request: ClientRequest) -> None:
        self._request = request
        self._session = session
        self.session = session.id

    @property
    def folder(self) -> str | None:
        return self._session.folder

    @property
    @abstractmethod
    def log_level(self) -> str | None: ...

    async def notify(self, method: str, params: JsonObject) -> None:
        if method == "notifications/message" and not self._wants(params.get("level")):
            return
        if (stream := self._stream) is not None:
            await stream.send(jsonrpc.notification(method, params))

    async def notify_progress(self, params: JsonObject) -> None:
        token = self._request.meta.get("progressToken")
        if not jsonrpc.is_request_id(token) or not isinstance(params.get("progress"), int | float):
            return
        progress = {key: params[key] for key in _PROGRESS_KEYS if params.get(key) is not None}
        params = {"progressToken": token, **progress}
        await self._request.send(jsonrpc.notification("notifications/progress", params))

    @property
    def _stream(self) -> ResponseStream | None:
        """Reaches the client now."""
        return self._request.stream

    def _wants(self, level: object) -> bool:
        minimum = self.log_level
        if minimum is None:
            return not self.takes_input_required
        return level in LOG_LEVELS and LOG_LEVELS.index(str(level)) >= LOG_LEVELS.index(minimum)


class LegacyClientPeer(_ClientPeer):
    """Is sent requests on the stream of its own request."""

    takes_input_required = False

    def __init__(self, session: LegacySession, request: ClientRequest) -> None:
        super().__init__(session, request)
        self._legacy_session = session
        self.capabilities = session.capabilities

    @property
    def log_level(self) -> str | None:
        return self._legacy_session.log_level

    async def find_folder(self) -> None:
        """Ask for the client's roots; the first folder among them is where it works."""
        if "roots" not in self.capabilities:
            return
        try:
            roots = (await self.request("roots/list", {})).get("roots")
        except UpstreamAnsweredError:
            return
        uris = (str(as_object(root).get("uri", "")) for root in as_array(roots))
        paths = [path for uri in uris if uri.startswith("file:") and (path := folder_path(uri))]
        folders = [path for path in paths if await is_folder(path)]
        self._session.folder = str(folders[0]) if folders else None

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        if (stream := self._stream) is None:
            raise UpstreamAnsweredError(
                INVALID_REQUEST, "This client can't be asked anything between its requests."
            )
        send_request = self._legacy_session.send_request
        try:
            return await send_request(stream, method, _legacy_params(params), _REQUEST_TIMEOUT_S)
        except TimeoutError:
            raise UpstreamAnsweredError(
                REQUEST_TIMEOUT, "The client did not answer in time."
            ) from None

    @property
    def _stream(self) -> ResponseStream | None:
        """That of its request while it waits; afterwards the standalone stream, if one is open."""
        stream = self._request.stream
        if stream is None or stream.closed:
            return self._legacy_session.standalone_stream
        return stream


class ModernClientPeer(_ClientPeer):
    """Each of its requests says everything about it, and it can only be answered."""

    takes_input_required = True

    def __init__(self, session: Session, request: ClientRequest) -> None:
        super().__init__(session, request)
        self.capabilities = as_object(request.meta.get(CLIENT_CAPABILITIES_KEY))
        self.require_input: SendRequest | None = None
        """Sends it a request as part of an `input_required` result, while that is possible."""

    @property
    def log_level(self) -> str | None:
        level = self._request.meta.get(LOG_LEVEL_KEY)
        return level if level in LOG_LEVELS else None

    def continue_with(self, request: ClientRequest) -> None:
        """The client repeated its request; from now on this is the one to answer."""
        self._request = request

    async def find_folder(self) -> None:
        """It names its folder with each request, or never."""

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        if self.require_input is None:
            raise UpstreamAnsweredError(
                INVALID_REQUEST, "This client can't be asked anything just now."
            )
        return await self.require_input(method, params)


def client_peer(session: Session, request: ClientRequest) -> LegacyClientPeer | ModernClientPeer:
    if isinstance(session, LegacySession):
        return LegacyClientPeer(session, request)
    return ModernClientPeer(session, request)


def _legacy_params(params: JsonObject) -> JsonObject:
    """A server's params as a legacy client knows them: without a progress token, by which only the
    server could take progress; for a URL elicitation, with the id that later revisions dropped."""
    meta = {k: v for k, v in as_object(params.get("_meta")).items() if k != "progressToken"}
    rest = {key: value for key, value in params.items() if key != "_meta"}
    if params.get("mode") == "url":
        rest.setdefault("elicitationId", secrets.token_hex(8))
    return {**rest, "_meta": meta} if meta else rest
