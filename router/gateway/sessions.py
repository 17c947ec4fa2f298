"""The sessions of clients: one conversation each, with what we know of the client in it.

In the older revisions the client opens and ends a session, or it is ended when idle. The stateless
revision has none, so there a session is what one client program does with one token in one folder,
until it has been quiet for half an hour; a client that runs several at once can tell them apart
with a header.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import HTTPConnection

from router.exchange import SessionId
from router.gateway.guard import caller_of, recall_of
from router.model import Caller, JsonObject, as_object
from router.settings import FOLDER_HEADER, SESSION_HEADER

MAX_SESSIONS = 1000
SESSION_IDLE_S = 1800.0
_LOOK_EVERY_S = 60.0

Context = ServerRequestContext[Any, Any]


@dataclass(eq=False, slots=True)
class Session:
    """One client's conversation."""

    id: SessionId
    modern: bool
    capabilities: JsonObject
    recall: Callable[[], Caller]
    """Who is calling, by what the settings say now. Raises `Refusal`."""
    said_folder: str | None = None
    folder: str | None = None
    log_level: str | None = None
    standing: ServerSession | None = None
    """Reaches the client of an older revision between its requests."""
    under_way: int = 0
    last_seen: float = field(default_factory=time.monotonic)


class Sessions:
    def __init__(
        self, on_end: Callable[[Session], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._on_end = on_end
        self._clock = clock
        self._known: dict[Hashable, Session] = {}
        self._next_look: asyncio.TimerHandle | None = None

    @property
    def all(self) -> tuple[Session, ...]:
        return tuple(self._known.values())

    async def of(self, ctx: Context) -> Session | None:
        """The session a message belongs to; none for the one that opens a session."""
        connection = cast(HTTPConnection, ctx.request)
        key = _key(ctx, connection)
        if key is None:
            return None
        session = self._known.get(key)
        if session is None:
            self._make_room()
            session = self._known[key] = _session(ctx, connection)
        session.last_seen = self._clock()
        if not session.modern:
            session.standing = ctx.session
        said = connection.headers.get(FOLDER_HEADER)
        if said is not None and said != session.said_folder:
            session.said_folder, session.folder = said, await checked_folder(said)
        self._look_later()
        return session

    def end(self, session_id: str) -> None:
        """The client of an older revision ended its session, or was silent for too long."""
        if (session := self._known.pop(session_id, None)) is not None:
            self._on_end(session)

    def close(self) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
        for key in tuple(self._known):
            self._on_end(self._known.pop(key))

    def _make_room(self) -> None:
        """Sessions of older revisions are counted where they are opened."""
        idle = [key for key, s in self._known.items() if s.modern and not s.under_way]
        if len(self._known) >= 2 * MAX_SESSIONS and idle:
            oldest = min(idle, key=lambda key: self._known[key].last_seen)
            self._on_end(self._known.pop(oldest))

    def _look_later(self) -> None:
        if self._next_look is None:
            self._next_look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self.look)

    def look(self) -> None:
        """End those of the stateless revision that have been quiet for long."""
        self._next_look = None
        before = self._clock() - SESSION_IDLE_S
        for key, session in tuple(self._known.items()):
            if session.modern and not session.under_way and session.last_seen < before:
                self._on_end(self._known.pop(key))
        if self._known:
            self._look_later()


def _key(ctx: Context, connection: HTTPConnection) -> Hashable:
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return connection.headers.get("mcp-session-id")
    caller = caller_of(connection.scope)
    meta = as_object(as_object(ctx.params).get("_meta"))
    client = as_object(meta.get(types.CLIENT_INFO_META_KEY))
    said = connection.headers
    return (
        caller.token,
        caller.workspace,
        str(client.get("name")),
        str(client.get("version")),
        said.get(SESSION_HEADER),
        said.get(FOLDER_HEADER),
    )


def _session(ctx: Context, connection: HTTPConnection) -> Session:
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    known = connection.headers.get("mcp-session-id")
    return Session(
        id=SessionId(secrets.token_urlsafe(12) if modern or known is None else known),
        modern=modern,
        capabilities=capabilities_of(ctx),
        recall=recall_of(connection.scope),
    )


def capabilities_of(ctx: Context) -> JsonObject:
    """What the client says it can do: once per session, or in the stateless revision each time."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        meta = as_object(as_object(ctx.params).get("_meta"))
        return as_object(meta.get(types.CLIENT_CAPABILITIES_META_KEY))
    declared = ctx.session.client_capabilities
    return declared.model_dump(mode="json", by_alias=True, exclude_none=True) if declared else {}


async def checked_folder(said: str) -> str:
    """The folder a client says it works in. Raises `MCPError` if there is none."""
    path = folder_path(said)
    if path is None or not await asyncio.to_thread(path.is_dir):
        raise MCPError(
            types.INVALID_PARAMS, f"{FOLDER_HEADER} must name a folder that exists, not: {said}"
        )
    return str(path)


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
