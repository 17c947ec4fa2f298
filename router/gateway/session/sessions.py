"""The sessions of clients: one conversation each, with what we know of the client in it.

In the older revisions the client opens and ends a session, or it is ended when idle. The stateless
revision has none, so there a session is what one client program does with one token in one folder,
until it has been quiet for half an hour; a client that runs several at once can tell them apart
with a header.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.domain.clients import Principal
from router.domain.errors import UpstreamAnsweredError
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject, as_object
from router.gateway.http.jsonrpc import Reply, written
from router.gateway.http.response_stream import Answer
from router.gateway.session.client_folder import checked_folder
from router.gateway.session.incoming import Incoming
from router.runtime.tasks import Stoppable
from router.upstream.ports import SessionId
from router.wire.mcp import CLIENT_SESSION_HEADER, FOLDER_HEADER

MAX_SESSIONS = 1000
SESSION_IDLE_S = 1800.0
_LOOK_EVERY_S = 60.0
_CAPABILITIES_BYTES = 16 * 1024
_NAME_LENGTH = 200
_Some = TypeVar("_Some", bound="Session")
_FOLDER, _SESSION = FOLDER_HEADER.lower(), CLIENT_SESSION_HEADER.lower()


@dataclass(eq=False, slots=True)
class Session:
    """One client's conversation; of the stateless revision, which has no other."""

    id: SessionId
    owner: TokenId | None
    """Nobody else can go on with it."""
    recall: Callable[[], Principal]
    """Who is calling, by what the settings say now. Raises `Refusal`."""
    said_folder: str | None = None
    folder: str | None = None
    under_way: int = 0
    last_seen: float = field(default_factory=time.monotonic)

    def end(self) -> None:
        """Nothing that its client asked for is of use any more."""


@dataclass(eq=False, slots=True, kw_only=True)
class OpenedSession(Session):
    """One that the client of an older revision opened, and in which it can be asked."""

    version: str
    capabilities: JsonObject
    log_level: str | None = None
    standing: Answer | None = None
    """The stream that reaches the client between its requests, if open."""
    running: dict[Stoppable, object] = field(default_factory=dict[Stoppable, object])
    """What its client has under way, to be ended on the way, with what the client calls it: two
    may have the same name."""
    _asked: dict[object, asyncio.Future[JsonObject]] = field(
        default_factory=dict[object, "asyncio.Future[JsonObject]"]
    )
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def ask(
        self, answer: Answer, method: str, params: JsonObject, within_s: float
    ) -> JsonObject:
        """What the client says to a question, sent on the stream `answer`. Raises
        `UpstreamAnsweredError`, `TimeoutError`."""
        number = f"toolbooth-{next(self._numbers)}"
        reply = self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            question = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            async with asyncio.timeout(within_s):
                await answer.tell(question)
                return await reply
        finally:
            del self._asked[number]

    def take(self, reply: Reply) -> None:
        """The client answers a question of ours, or says why it doesn't."""
        asked = self._asked.get(reply.id) if isinstance(reply.id, str) else None
        if asked is None or asked.done():
            return
        if reply.result is not None:
            asked.set_result(reply.result)
            return
        code = reply.error.get("code")
        asked.set_exception(
            UpstreamAnsweredError(
                code if isinstance(code, int) else types.INTERNAL_ERROR,
                str(reply.error.get("message", "")),
                reply.error.get("data"),
            )
        )

    def stop(self, called: object) -> None:
        """End what the client has under way by this name."""
        for request, name in tuple(self.running.items()):
            if name == called:
                request.stop()

    def end(self) -> None:
        for request in tuple(self.running):
            request.stop()
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(
                    UpstreamAnsweredError(types.INTERNAL_ERROR, "The client has gone.")
                )


class _Kept(Generic[_Some]):
    """The sessions of one era, by what they are found by; not without bound, nor for ever."""

    def __init__(self, on_end: Callable[[Session], None]) -> None:
        self._on_end = on_end
        self.by_key: dict[Hashable, _Some] = {}

    def end(self, key: Hashable) -> None:
        if (session := self.by_key.pop(key, None)) is not None:
            session.end()
            self._on_end(session)

    def end_all(self) -> None:
        for key in tuple(self.by_key):
            self.end(key)

    def end_quiet(self, now: float) -> None:
        for key, session in tuple(self.by_key.items()):
            if session.under_way:
                session.last_seen = now
            elif session.last_seen < now - SESSION_IDLE_S:
                self.end(key)

    def make_room(self) -> bool:
        """End the session that has been quiet for longest, of the client that has the most of them:
        one that opens them and never ends them costs the others none."""
        if len(self.by_key) < MAX_SESSIONS:
            return True
        idle = {key: session for key, session in self.by_key.items() if not session.under_way}
        if not idle:
            return False
        [(owner, _)] = Counter(session.owner for session in idle.values()).most_common(1)
        theirs = [key for key, session in idle.items() if session.owner == owner]
        self.end(min(theirs, key=lambda key: idle[key].last_seen))
        return True


class Sessions:
    def __init__(
        self, on_end: Callable[[Session], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._opened = _Kept[OpenedSession](on_end)
        self._stateless = _Kept[Session](on_end)
        self._next_look: asyncio.TimerHandle | None = None

    def has_room(self) -> bool:
        """Whether a client of an older revision can open another session; if need be, one that
        nobody uses ends for it."""
        return self._opened.make_room()

    def open(self, incoming: Incoming, version: str) -> OpenedSession:
        """The session that the client of an older revision begins. Raises `MCPError`."""
        session = OpenedSession(
            _new_id(),
            incoming.caller.token,
            incoming.recall,
            version=version,
            capabilities=opening_capabilities(incoming),
        )
        self._opened.by_key[session.id] = session
        self._seen(session)
        return session

    def find(self, session_id: str, owner: TokenId | None) -> OpenedSession | None:
        """The session of an older revision, if it is there and the owner's."""
        session = self._opened.by_key.get(session_id)
        return session if session is not None and session.owner == owner else None

    def stateless(self, incoming: Incoming) -> Session:
        """What this client did before with this token, and goes on with."""
        key, known = _key(incoming), self._stateless
        session = known.by_key.get(key)
        if session is None:
            known.make_room()
            session = Session(_new_id(), incoming.caller.token, incoming.recall)
            known.by_key[key] = session
        return session

    async def locate(self, session: Session, incoming: Incoming) -> None:
        """Note that the session is in use, and where its client says it works."""
        self._seen(session)
        said = incoming.headers.get(_FOLDER)
        if said is not None and said != session.said_folder:
            session.said_folder, session.folder = said, await checked_folder(said)

    def end(self, session: OpenedSession) -> None:
        """The client of an older revision ended its session."""
        self._opened.end(session.id)

    def close_streams(self) -> None:
        """So that nobody waits for them when we stop."""
        for session in self._opened.by_key.values():
            session.stop(STANDING)

    def close(self) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        self._opened.end_all()
        self._stateless.end_all()

    def _seen(self, session: Session) -> None:
        session.last_seen = self._clock()
        if self._next_look is None:
            self._next_look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self.look)

    def look(self) -> None:
        """End those that have been quiet for long."""
        self._next_look = None
        now = self._clock()
        self._opened.end_quiet(now)
        self._stateless.end_quiet(now)
        if self._opened.by_key or self._stateless.by_key:
            self._next_look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self.look)


STANDING = object()
"""What the standing stream is called among what a client has under way."""


def _key(incoming: Incoming) -> Hashable:
    client = as_object(incoming.meta.get(types.CLIENT_INFO_META_KEY))
    return (
        incoming.caller.token,
        incoming.caller.workspace,
        str(client.get("name"))[:_NAME_LENGTH],
        str(client.get("version"))[:_NAME_LENGTH],
        incoming.headers.get(_SESSION),
        incoming.headers.get(_FOLDER),
    )


def _new_id() -> SessionId:
    return SessionId(secrets.token_urlsafe(24))


def opening_capabilities(incoming: Incoming) -> JsonObject:
    """What a client of an older revision says it can do, which is kept. Raises `MCPError`."""
    capabilities = as_object(incoming.params.get("capabilities"))
    if len(written(capabilities)) > _CAPABILITIES_BYTES:
        raise MCPError(types.INVALID_PARAMS, "The client's capabilities are too long to be kept.")
    return capabilities
