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
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.errors import UpstreamAnsweredError
from router.exchange import SessionId
from router.gateway.answering import Answer
from router.gateway.incoming import Incoming
from router.gateway.jsonrpc import Reply, written
from router.model import Caller, JsonObject, TokenId, as_object
from router.settings import FOLDER_HEADER, SESSION_HEADER
from router.tasks import Stoppable

MAX_SESSIONS = 1000
SESSION_IDLE_S = 1800.0
_LOOK_EVERY_S = 60.0
_CAPABILITIES_BYTES = 16 * 1024
_NAME_LENGTH = 200
_FOLDER, _SESSION = FOLDER_HEADER.lower(), SESSION_HEADER.lower()


@dataclass(eq=False, slots=True)
class Session:
    """One client's conversation."""

    id: SessionId
    version: str
    modern: bool
    owner: TokenId | None
    """Nobody else can go on with it."""
    capabilities: JsonObject
    recall: Callable[[], Caller]
    """Who is calling, by what the settings say now. Raises `Refusal`."""
    said_folder: str | None = None
    folder: str | None = None
    log_level: str | None = None
    standing: Answer | None = None
    """The stream that reaches the client of an older revision between its requests, if open."""
    running: dict[Stoppable, object] = field(default_factory=dict[Stoppable, object])
    """What its client has under way, to be ended on the way, with what the client calls it: two
    may have the same name."""
    under_way: int = 0
    last_seen: float = field(default_factory=time.monotonic)
    _asked: dict[object, asyncio.Future[JsonObject]] = field(
        default_factory=dict[object, "asyncio.Future[JsonObject]"]
    )
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def ask(
        self, answer: Answer, method: str, params: JsonObject, within_s: float
    ) -> JsonObject:
        """What the client of an older revision says to a question, sent on the stream `answer`.
        Raises `UpstreamAnsweredError`, `TimeoutError`."""
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
        """Nothing that its client asked for is of use any more."""
        for request in tuple(self.running):
            request.stop()
        for asked in self._asked.values():
            if not asked.done():
                asked.set_exception(
                    UpstreamAnsweredError(types.INTERNAL_ERROR, "The client has gone.")
                )


class Sessions:
    def __init__(
        self, on_end: Callable[[Session], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._on_end = on_end
        self._clock = clock
        self._opened: dict[Hashable, Session] = {}
        self._stateless: dict[Hashable, Session] = {}
        self._next_look: asyncio.TimerHandle | None = None

    @property
    def all(self) -> tuple[Session, ...]:
        return (*self._opened.values(), *self._stateless.values())

    def has_room(self) -> bool:
        """Whether a client of an older revision can open another session; if need be, one that
        nobody uses ends for it."""
        return self._make_room(self._opened)

    def open(self, incoming: Incoming, version: str) -> Session:
        """The session that the client of an older revision begins. Raises `MCPError`."""
        session = _session(incoming, version, opening_capabilities(incoming))
        self._opened[session.id] = session
        self._seen(session)
        return session

    def find(self, session_id: str, owner: TokenId | None) -> Session | None:
        """The session of an older revision, if it is there and the owner's."""
        session = self._opened.get(session_id)
        return session if session is not None and session.owner == owner else None

    def stateless(self, incoming: Incoming) -> Session:
        """What this client did before with this token, and goes on with."""
        key = _key(incoming)
        session = self._stateless.get(key)
        if session is None:
            self._make_room(self._stateless)
            version = incoming.protocol_version
            session = _session(incoming, version, {})
            self._stateless[key] = session
        return session

    async def locate(self, session: Session, incoming: Incoming) -> None:
        """Note that the session is in use, and where its client says it works."""
        self._seen(session)
        said = incoming.headers.get(_FOLDER)
        if said is not None and said != session.said_folder:
            session.said_folder, session.folder = said, await checked_folder(said)

    def end(self, session: Session) -> None:
        """The client of an older revision ended its session."""
        self._end(self._opened, session.id)

    def close_streams(self) -> None:
        """So that nobody waits for them when we stop."""
        for session in self._opened.values():
            session.stop(STANDING)

    def close(self) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        for known in (self._opened, self._stateless):
            for key in tuple(known):
                self._end(known, key)

    def _end(self, known: dict[Hashable, Session], key: Hashable) -> None:
        if (session := known.pop(key, None)) is not None:
            session.end()
            self._on_end(session)

    def _make_room(self, known: dict[Hashable, Session]) -> bool:
        """End the session that has been quiet for longest, of the client that has the most of them:
        one that opens them and never ends them costs the others none."""
        if len(known) < MAX_SESSIONS:
            return True
        idle = {key: session for key, session in known.items() if not session.under_way}
        if not idle:
            return False
        [(owner, _)] = Counter(session.owner for session in idle.values()).most_common(1)
        theirs = [key for key, session in idle.items() if session.owner == owner]
        self._end(known, min(theirs, key=lambda key: idle[key].last_seen))
        return True

    def _seen(self, session: Session) -> None:
        session.last_seen = self._clock()
        if self._next_look is None:
            self._next_look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self.look)

    def look(self) -> None:
        """End those that have been quiet for long."""
        self._next_look = None
        before = self._clock() - SESSION_IDLE_S
        for known in (self._opened, self._stateless):
            for key, session in tuple(known.items()):
                if session.under_way:
                    session.last_seen = self._clock()
                elif session.last_seen < before:
                    self._end(known, key)
        if self._opened or self._stateless:
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


def _session(incoming: Incoming, version: str, capabilities: JsonObject) -> Session:
    return Session(
        id=SessionId(secrets.token_urlsafe(24)),
        version=version,
        modern=incoming.modern,
        owner=incoming.caller.token,
        capabilities=capabilities,
        recall=incoming.recall,
    )


def opening_capabilities(incoming: Incoming) -> JsonObject:
    """What a client of an older revision says it can do, which is kept. Raises `MCPError`."""
    capabilities = as_object(incoming.params.get("capabilities"))
    if len(written(capabilities)) > _CAPABILITIES_BYTES:
        raise MCPError(types.INVALID_PARAMS, "The client's capabilities are too long to be kept.")
    return capabilities


def stated_capabilities(incoming: Incoming) -> JsonObject:
    """What a client of the stateless revision says it can do, each time anew."""
    return as_object(incoming.meta.get(types.CLIENT_CAPABILITIES_META_KEY))


async def checked_folder(said: str) -> str:
    """The folder a client says it works in. Raises `MCPError` if there is none."""
    path = folder_path(said)
    if path is None or not await is_folder(path):
        raise MCPError(
            types.INVALID_PARAMS, f"{FOLDER_HEADER} must name a folder that exists, not: {said}"
        )
    return str(path)


async def is_folder(path: Path) -> bool:
    """One whose name is too long, or that we may not look at, is none to us."""
    try:
        return await asyncio.to_thread(path.is_dir)
    except OSError:
        return False


def folder_path(said: str) -> Path | None:
    """An absolute path, or a file address, as a path; nothing else."""
    try:
        if said.startswith("file:"):
            parts = urlsplit(said)
            said = url2pathname(parts.path) if parts.netloc in ("", "localhost") else ""
        else:
            said = unquote(said)
        path = Path(said)
        return path if path.is_absolute() and "\0" not in said else None
    except ValueError:
        return None
