"""Ports between gateway and upstream: the client of a call, the options of a call, upstreams.

What travels is a method name and plain JSON values, never a model rebuilt at each hop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NewType, Protocol, TypeAlias

from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

SessionId = NewType("SessionId", str)
"""One session of one client, for as long as it lasts."""

ProgressSink: TypeAlias = Callable[[JsonObject], Awaitable[None]]
"""Receives the params of each progress notification, without the token."""


class ClientPeer(Protocol):
    """The client for which a server is called, while that call is in progress."""

    @property
    def session(self) -> SessionId: ...
    @property
    def folder(self) -> str | None:
        """Where the client works, if that is known: a folder that exists."""
        ...

    async def find_folder(self) -> None:
        """Set `folder` by asking the client, if that is possible."""
        ...

    @property
    def capabilities(self) -> JsonObject:
        """The client's capabilities: elicitation, sampling, roots."""
        ...

    @property
    def log_level(self) -> str | None:
        """The lowest level of log messages it wants, if it named one."""
        ...

    @property
    def takes_input_required(self) -> bool:
        """Whether it takes an `input_required` result, and repeats its request with the input."""
        ...

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """The client's result for a server's request. Raises `UpstreamAnsweredError`."""
        ...

    async def notify(self, method: str, params: JsonObject) -> None:
        """Pass a server's notification on, if the client wants it; never raises."""
        ...


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options of one call of a server."""

    timeout_s: float | None = None
    on_progress: ProgressSink | None = None
    client: ClientPeer | None = None
    idempotent: bool = False
    """Whether repeating it is safe: such a call waits for a server that restarts."""


NO_OPTIONS = CallOptions()


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
        self, method: str, params: JsonObject | None = None, options: CallOptions = NO_OPTIONS
    ) -> JsonObject:
        """Cancelling this tells the server to cancel."""
        ...


class Upstreams(Protocol):
    """All upstreams: connects on first use, one managed connection for each instance key."""

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        options: CallOptions = NO_OPTIONS,
    ) -> JsonObject: ...

    def borrow(self, ref: ServerRef) -> AbstractAsyncContextManager[Upstream]:
        """The upstream for a while. If this started it and nobody else used it meanwhile, it is
        stopped at the end."""
        ...

    async def disconnect(self, ref: ServerRef) -> None: ...
    async def unsubscribe(self, ref: ServerRef, uri: str) -> None:
        """Nobody is subscribed to the resource any more; starts nothing."""
        ...

    async def end_session(self, session: SessionId) -> None:
        """Stop the upstreams that only this session used."""
        ...

    async def close(self) -> None: ...
