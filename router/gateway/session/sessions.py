"""The sessions of clients, with what is known about each client.

A legacy client opens and ends its session, or it ends when idle. The modern revision has none, so
there a session is what one client program does with one token in one folder, until it has been
idle for half an hour; a client that runs several at once can tell them apart with a header.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from router.config.settings import DEFAULT_SESSION_LIMIT
from router.domain.clients import Principal
from router.domain.errors import UpstreamAnsweredError
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject, as_object
from router.gateway.client_request import ClientRequest
from router.gateway.http.response_stream import ResponseStream
from router.gateway.session.client_folder import checked_folder
from router.runtime.tasks import Stoppable
from router.upstream.ports import SessionId
from router.wire import jsonrpc
from router.wire.jsonrpc import JSONRPCResponse
from router.wire.mcp import (
    CLIENT_INFO_KEY,
    CLIENT_SESSION_HEADER,
    FOLDER_HEADER,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MCPError,
)

SESSION_IDLE_S = 1800.0
_CHECK_INTERVAL_S = 60.0
_MAX_CAPABILITIES_BYTES = 16 * 1024
_MAX_NAME_LENGTH = 200
_FOLDER, _SESSION = FOLDER_HEADER.lower(), CLIENT_SESSION_HEADER.lower()


@dataclass(eq=False, slots=True)
class Session:
    """What legacy and modern sessions have in common. A modern one is just this."""

    id: SessionId
    token: TokenId | None
    """Requests with another token are not part of it."""
    current_principal: Callable[[], Principal]
    """The client's principal, by what the settings say now. Raises `HTTPError`."""
    folder_header: str | None = None
    folder: str | None = None
    active_requests: int = 0
    last_used: float = field(default_factory=time.monotonic)

    def end(self) -> None:
        """Cancel everything that is under way for the client."""


@dataclass(eq=False, slots=True, kw_only=True)
class LegacySession(Session):
    """Opened with `initialize`. Its client can be sent requests."""

    version: str
    capabilities: JsonObject
    log_level: str | None = None
    standalone_stream: ResponseStream | None = None
    """The stream of its GET request: reaches the client between its other requests."""
    running: dict[Stoppable, object] = field(default_factory=dict[Stoppable, object])
    """The client's requests under way, with the ids it gave them: two may have the same id."""
    _pending: dict[object, asyncio.Future[JsonObject]] = field(
        default_factory=dict[object, "asyncio.Future[JsonObject]"]
    )
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def send_request(
        self, stream: ResponseStream, method: str, params: JsonObject, timeout_s: float
    ) -> JsonObject:
        """The client's result for a request of ours, sent on `stream`. Raises
        `UpstreamAnsweredError`, `TimeoutError`."""
        request_id = f"toolbooth-{next(self._ids)}"
        response = self._pending[request_id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await stream.send(jsonrpc.request(request_id, method, params))
                return await response
        finally:
            del self._pending[request_id]

    def receive_response(self, response: JSONRPCResponse) -> None:
        """The client's response to a request of ours."""
        pending = self._pending.get(response.id) if isinstance(response.id, str) else None
        if pending is None or pending.done():
            return
        if response.result is not None:
            pending.set_result(response.result)
        else:
            pending.set_exception(jsonrpc.answered_error(response.error))

    def cancel(self, request_id: object) -> None:
        """End the client's requests under way that have this id."""
        for running, running_id in tuple(self.running.items()):
            if running_id == request_id:
                running.stop()

    def end(self) -> None:
        for running in tuple(self.running):
            running.stop()
        for pending in self._pending.values():
            if not pending.done():
                pending.set_exception(UpstreamAnsweredError(INTERNAL_ERROR, "The client has gone."))


class Sessions:
    """Legacy and modern sessions, each bounded in number; they end when idle."""

    def __init__(
        self,
        on_end: Callable[[Session], None],
        clock: Callable[[], float] = time.monotonic,
        limit: Callable[[], int] = lambda: DEFAULT_SESSION_LIMIT,
    ) -> None:
        """`limit` is the maximum number of each kind."""
        self._on_end = on_end
        self.limit = limit
        self._clock = clock
        self._sessions: dict[Hashable, Session] = {}
        """Legacy ones by their id, modern ones by what tells their clients apart."""
        self._next_check: asyncio.TimerHandle | None = None

    def make_room(self, kind: type[Session]) -> bool:
        """Whether there may be another session of this kind. If need be, one ends for it: the one
        idle for longest, of the token that has the most, so that a client that opens sessions and
        never ends them takes none from the others."""
        alike = {key: each for key, each in self._sessions.items() if type(each) is kind}
        if len(alike) < self.limit():
            return True
        idle = {key: each for key, each in alike.items() if not each.active_requests}
        if not idle:
            return False
        [(token, _)] = Counter(session.token for session in idle.values()).most_common(1)
        candidates = [key for key, session in idle.items() if session.token == token]
        self._end(min(candidates, key=lambda key: idle[key].last_used))
        return True

    def open(self, request: ClientRequest, version: str) -> LegacySession:
        """The session that a legacy client opens. Raises `MCPError`."""
        session = LegacySession(
            _new_id(),
            request.principal.token,
            request.current_principal,
            version=version,
            capabilities=client_capabilities(request),
        )
        self._sessions[session.id] = session
        self._used(session)
        return session

    def find(self, session_id: str, token: TokenId | None) -> LegacySession | None:
        """The legacy session with this id, if it was opened with this token."""
        session = self._sessions.get(session_id)
        return session if isinstance(session, LegacySession) and session.token == token else None

    def modern(self, request: ClientRequest) -> Session:
        """The session that a modern request belongs to."""
        key = _modern_key(request)
        session = self._sessions.get(key)
        if session is None:
            self.make_room(Session)
            session = Session(_new_id(), request.principal.token, request.current_principal)
            self._sessions[key] = session
        return session

    async def use(self, session: Session, request: ClientRequest) -> None:
        """Note that the session is in use, and the folder that the request's header names."""
        self._used(session)
        folder = request.headers.get(_FOLDER)
        if folder is not None and folder != session.folder_header:
            session.folder_header, session.folder = folder, await checked_folder(folder)

    def end(self, session: LegacySession) -> None:
        """The client ended its session."""
        self._end(session.id)

    def close_streams(self) -> None:
        """End the standalone streams, so that shutdown doesn't wait for them."""
        for session in self._sessions.values():
            if isinstance(session, LegacySession):
                session.cancel(STANDALONE_STREAM)

    def close(self) -> None:
        if self._next_check is not None:
            self._next_check.cancel()
        for key in tuple(self._sessions):
            self._end(key)

    def _used(self, session: Session) -> None:
        session.last_used = self._clock()
        if self._next_check is None:
            self._check_later()

    def _check_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._next_check = loop.call_later(_CHECK_INTERVAL_S, self.end_idle)

    def end_idle(self) -> None:
        """End the sessions that have been idle for too long."""
        self._next_check = None
        now = self._clock()
        for key, session in tuple(self._sessions.items()):
            if session.active_requests:
                session.last_used = now
            elif session.last_used < now - SESSION_IDLE_S:
                self._end(key)
        if self._sessions:
            self._check_later()

    def _end(self, key: Hashable) -> None:
        if (session := self._sessions.pop(key, None)) is not None:
            session.end()
            self._on_end(session)


STANDALONE_STREAM = object()
"""The id of the standalone stream in `LegacySession.running`."""


def _modern_key(request: ClientRequest) -> Hashable:
    client = as_object(request.meta.get(CLIENT_INFO_KEY))
    return (
        request.principal.token,
        request.principal.workspace,
        str(client.get("name"))[:_MAX_NAME_LENGTH],
        str(client.get("version"))[:_MAX_NAME_LENGTH],
        request.headers.get(_SESSION),
        request.headers.get(_FOLDER),
    )


def _new_id() -> SessionId:
    return SessionId(secrets.token_urlsafe(24))


def client_capabilities(request: ClientRequest) -> JsonObject:
    """The capabilities in an `initialize` request. Raises `MCPError` if they are too long."""
    capabilities = as_object(request.params.get("capabilities"))
    if len(jsonrpc.encode(capabilities)) > _MAX_CAPABILITIES_BYTES:
        raise MCPError(INVALID_PARAMS, "The client's capabilities are too long to be kept.")
    return capabilities
