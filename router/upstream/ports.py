"""Ports between gateway and servers: who asks, and what is asked.

What travels is a method name and plain JSON values, never a model rebuilt at each hop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NewType, Protocol, TypeAlias

from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

SessionId = NewType("SessionId", str)
"""One conversation of one client, for as long as it lasts."""

ProgressSink: TypeAlias = Callable[[JsonObject], Awaitable[None]]
"""Receives the params of each progress notification, without the token."""


class Requester(Protocol):
    """The client on whose behalf a server is asked, while that request is under way."""

    @property
    def session(self) -> SessionId: ...
    @property
    def folder(self) -> str | None:
        """Where the client works, if that is known: a folder that exists."""
        ...

    async def locate(self) -> None:
        """Find out `folder` by asking the client, if that can be done."""
        ...

    @property
    def capabilities(self) -> JsonObject:
        """What the client said it can be asked: elicitation, sampling, roots."""
        ...

    @property
    def log_level(self) -> str | None:
        """From which level on it wants to hear a server's log messages, if it said so."""
        ...

    @property
    def repeats(self) -> bool:
        """Whether it takes a result that asks for more, and repeats its request with that."""
        ...

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        """The client's answer to a server's question. Raises `UpstreamAnsweredError`."""
        ...

    async def tell(self, method: str, params: JsonObject) -> None:
        """Pass a server's message on, if the client wants it; never raises."""
        ...


class Upstream(Protocol):
    """A live connection to a server: a method and its params in, the result out, all plain JSON.

    Raises `UpstreamAnsweredError` for the server's own errors, `UpstreamFailed` for all others.
    """

    @property
    def server_info(self) -> JsonObject: ...
    @property
    def capabilities(self) -> JsonObject: ...
    @property
    def instructions(self) -> str: ...
    @property
    def protocol_version(self) -> str: ...

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        """Cancelling this tells the server to cancel."""
        ...


class Upstreams(Protocol):
    """All upstreams: connects on first use, one owner task for each server."""

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
        requester: Requester | None = None,
    ) -> JsonObject: ...

    def borrow(self, ref: ServerRef) -> AbstractAsyncContextManager[Upstream]:
        """The upstream for a while. If this started it and nobody else used it meanwhile, it is
        stopped at the end."""
        ...

    async def disconnect(self, ref: ServerRef) -> None: ...
    async def unsubscribe(self, ref: ServerRef, address: str) -> None:
        """Nobody wants to hear of the resource any more; starts nothing."""
        ...

    async def end_session(self, session: SessionId) -> None:
        """Stop the upstreams that only this session used."""
        ...

    async def close(self) -> None: ...
