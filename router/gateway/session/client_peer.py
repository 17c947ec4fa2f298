"""The client of one request, as the servers reach it: asked, told, and shown progress.

A client of an older revision is asked while its request waits. One of the stateless revision can
only be answered, so the request is answered with the question, and goes on when it is repeated.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import mcp_types as types

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_array, as_object
from router.gateway.http.jsonrpc import is_id
from router.gateway.http.response_stream import Answer
from router.gateway.session.client_folder import folder_path, is_folder
from router.gateway.session.incoming import Incoming
from router.gateway.session.sessions import OpenedSession, Session
from router.upstream.ports import SessionId
from router.wire.mcp import LOG_LEVELS

Ask: TypeAlias = Callable[[str, JsonObject], Awaitable[JsonObject]]

_ANSWER_WITHIN_S = 300.0
_PROGRESS = ("progress", "total", "message")


class ClientAtHand(ABC):
    """Implements `exchange.Requester`."""

    capabilities: JsonObject
    repeats: bool
    """Whether it can only be answered, and repeats its request with what it was asked."""

    def __init__(self, session: Session, incoming: Incoming) -> None:
        self._incoming = incoming
        self._place = session

    @property
    def session(self) -> SessionId:
        return self._place.id

    @property
    def folder(self) -> str | None:
        return self._place.folder

    @property
    @abstractmethod
    def log_level(self) -> str | None: ...

    @abstractmethod
    async def locate(self) -> None: ...

    @abstractmethod
    async def ask(self, method: str, params: JsonObject) -> JsonObject: ...

    async def tell(self, method: str, params: JsonObject) -> None:
        if method == "notifications/message" and not self._wants(params.get("level")):
            return
        if (stream := self._stream) is not None:
            await stream.tell({"jsonrpc": "2.0", "method": method, "params": params})

    async def progress(self, params: JsonObject) -> None:
        token = self._incoming.meta.get("progressToken")
        if not is_id(token) or not isinstance(params.get("progress"), int | float):
            return
        said = {key: params[key] for key in _PROGRESS if params.get(key) is not None}
        message = {"method": "notifications/progress", "params": {"progressToken": token, **said}}
        await self._incoming.answer.tell({"jsonrpc": "2.0", **message})

    @property
    def _stream(self) -> Answer | None:
        """Where the client hears us."""
        return self._incoming.answer

    def _wants(self, level: object) -> bool:
        least = self.log_level
        if least is None:
            return not self.repeats
        return level in LOG_LEVELS and LOG_LEVELS.index(str(level)) >= LOG_LEVELS.index(least)


class ClientInSession(ClientAtHand):
    """Of an older revision: it is asked while its request waits."""

    repeats = False

    def __init__(self, session: OpenedSession, incoming: Incoming) -> None:
        super().__init__(session, incoming)
        self._session = session
        self.capabilities = session.capabilities

    @property
    def log_level(self) -> str | None:
        return self._session.log_level

    async def locate(self) -> None:
        """Ask for the client's roots; the first folder among them is where it works."""
        if "roots" not in self.capabilities:
            return
        try:
            roots = (await self.ask("roots/list", {})).get("roots")
        except UpstreamAnsweredError:
            return
        said = (str(as_object(root).get("uri", "")) for root in as_array(roots))
        paths = [path for uri in said if uri.startswith("file:") and (path := folder_path(uri))]
        folders = [path for path in paths if await is_folder(path)]
        self._session.folder = str(folders[0]) if folders else None

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        if (stream := self._stream) is None:
            raise UpstreamAnsweredError(
                types.INVALID_REQUEST, "This client can't be asked anything between its requests."
            )
        try:
            return await self._session.ask(stream, method, _own(params), _ANSWER_WITHIN_S)
        except TimeoutError:
            raise UpstreamAnsweredError(
                types.REQUEST_TIMEOUT, "The client did not answer in time."
            ) from None

    @property
    def _stream(self) -> Answer | None:
        """While its request waits, there; afterwards, if it has one open, on its standing one."""
        answer = self._incoming.answer
        return self._session.standing if answer.over else answer


class StatelessClient(ClientAtHand):
    """Of the stateless revision: each request says all about it, and it can only be answered."""

    repeats = True

    def __init__(self, session: Session, incoming: Incoming) -> None:
        super().__init__(session, incoming)
        self.capabilities = as_object(incoming.meta.get(types.CLIENT_CAPABILITIES_META_KEY))
        self.asks: Ask | None = None
        """How it is asked nevertheless, while its request can be answered with a question."""

    @property
    def log_level(self) -> str | None:
        level = self._incoming.meta.get(types.LOG_LEVEL_META_KEY)
        return level if level in LOG_LEVELS else None

    def continued(self, incoming: Incoming) -> None:
        """The client repeats its request; from now on this is the one to answer."""
        self._incoming = incoming

    async def locate(self) -> None:
        """It says with each request where it works, or never."""

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        if self.asks is None:
            raise UpstreamAnsweredError(
                types.INVALID_REQUEST, "This client can't be asked anything just now."
            )
        return await self.asks(method, params)


def _own(params: JsonObject) -> JsonObject:
    """A question as a client of an older revision knows it: without the mark under which only its
    server could take progress, and, if it is about a page, with the id that was done away with."""
    meta = {k: v for k, v in as_object(params.get("_meta")).items() if k != "progressToken"}
    rest = {key: value for key, value in params.items() if key != "_meta"}
    if params.get("mode") == "url":
        rest.setdefault("elicitationId", secrets.token_hex(8))
    return {**rest, "_meta": meta} if meta else rest
