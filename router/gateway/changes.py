"""Telling clients what changed: lists they can see, and resources they have subscribed to.

A client hears of a list only if it would now get another one than before. Those of older revisions
are told on their standing stream, those of the stateless one on the stream of the request by which
they listen.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mcp.server.subscriptions import ListenHandler
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
    event_to_notification,
)
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from router.exchange import SessionId
from router.gateway.callers import Refusal
from router.gateway.sessions import Context, Session
from router.model import Caller, JsonObject, ServerRef
from router.tasks import spawn

_TOGETHER_S = 0.05
_TELL_WITHIN_S = 5.0
_EVENTS: tuple[ServerEvent, ...] = (
    ToolsListChanged(),
    PromptsListChanged(),
    ResourcesListChanged(),
)

Lists = tuple[object, object, object]
"""What a client would get as its tools, prompts and resources."""


@dataclass(eq=False, slots=True)
class Follower:
    """Someone who is told: a session of an older revision, or a stream of the stateless one."""

    session: SessionId
    recall: Callable[[], Caller]
    tell: Callable[[ServerEvent], None]
    seen: Lists | None = None
    subscriptions: dict[tuple[ServerRef, str], str] = field(
        default_factory=dict[tuple[ServerRef, str], str]
    )
    """Resources by server and its own address, with the address the client knows."""


class Changes:
    def __init__(
        self,
        see: Callable[[Caller], Lists],
        unsubscribe: Callable[[ServerRef, str], None],
    ) -> None:
        self._see = see
        self._unsubscribe = unsubscribe
        self._followers: dict[object, Follower] = {}
        self._streams: set[ListenHandler] = set()
        self._look: asyncio.TimerHandle | None = None

    def follow(self, session: Session) -> Follower:
        """The follower a session of an older revision is."""
        follower = self._followers.get(session)
        if follower is None:
            follower = Follower(session.id, session.recall, lambda event: _tell(session, event))
            self._add(session, follower)
        return follower

    def forget(self, key: object) -> None:
        if (follower := self._followers.pop(key, None)) is not None:
            for ref, address in tuple(follower.subscriptions):
                self.drop(follower, ref, address)

    async def listen(
        self,
        ctx: Context,
        session: Session,
        params: SubscriptionsListenRequestParams,
        subscribe: Callable[[Follower, Sequence[str]], object],
    ) -> SubscriptionsListenResult:
        """Serve one stream until its client leaves or we stop."""
        stream = _Stream(self, session, subscribe, params.notifications.resource_subscriptions)
        handler = ListenHandler(stream)
        self._streams.add(handler)
        try:
            return await handler(ctx, params)
        finally:
            self._streams.discard(handler)

    def close(self) -> None:
        """End all streams, so that nobody waits for them when we stop."""
        for handler in tuple(self._streams):
            handler.close()
        if self._look is not None:
            self._look.cancel()

    # What may have changed

    def look_soon(self) -> None:
        """Something changed; whoever sees it is told in a moment, once for all that comes now."""
        if self._look is None and self._followers:
            self._look = asyncio.get_running_loop().call_later(_TOGETHER_S, self._look_now)

    def _look_now(self) -> None:
        self._look = None
        for follower in tuple(self._followers.values()):
            before, follower.seen = follower.seen, self._lists(follower)
            for old, new, event in zip(before or (), follower.seen or (), _EVENTS, strict=False):
                if old is not new and old != new:
                    follower.tell(event)

    def updated(self, ref: ServerRef, session: SessionId | None, params: JsonObject) -> None:
        """A server says that a resource changed; `session` is the only one it knows, if so."""
        address = str(params.get("uri"))
        for follower in tuple(self._followers.values()):
            shown = follower.subscriptions.get((ref, address))
            if shown is not None and session in (None, follower.session):
                follower.tell(ResourceUpdated(shown))

    def drop(self, follower: Follower, ref: ServerRef, address: str) -> None:
        """End a subscription; the server hears of it when it was the last."""
        if follower.subscriptions.pop((ref, address), None) is None:
            return
        if not any((ref, address) in each.subscriptions for each in self._followers.values()):
            self._unsubscribe(ref, address)

    def _add(self, key: object, follower: Follower) -> None:
        self._followers[key] = follower
        follower.seen = self._lists(follower)

    def add_stream(self, stream: object, follower: Follower) -> None:
        self._add(stream, follower)

    def _lists(self, follower: Follower) -> Lists | None:
        with contextlib.suppress(Refusal):
            return self._see(follower.recall())
        return None


class _Stream:
    """The SDK's bus for one stream: it subscribes once, and hears what its client may hear."""

    def __init__(
        self,
        changes: Changes,
        session: Session,
        subscribe: Callable[[Follower, Sequence[str]], object],
        addresses: Sequence[str] | None,
    ) -> None:
        self._changes = changes
        self._session = session
        self._subscribe = subscribe
        self._addresses = addresses or ()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        follower = Follower(self._session.id, self._session.recall, listener)
        self._changes.add_stream(self, follower)
        self._subscribe(follower, self._addresses)
        return lambda: self._changes.forget(self)

    async def publish(self, event: ServerEvent) -> None:
        raise AssertionError("events come from `Changes`")


def _tell(session: Session, event: ServerEvent) -> None:
    spawn(_tell_in_time(session, event), name="tell a client")


async def _tell_in_time(session: Session, event: ServerEvent) -> None:
    if session.standing is None:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_TELL_WITHIN_S):
            await session.standing.send_notification(event_to_notification(event, {}))
