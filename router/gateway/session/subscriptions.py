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

from mcp.shared.subscriptions import (
    SUBSCRIPTION_ID_META_KEY,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
    event_matches,
    event_to_notification,
)
from mcp_types import SubscriptionFilter

from router.domain.clients import Principal
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.gateway.http.authentication import Refusal
from router.gateway.http.response_stream import Answer
from router.gateway.session.incoming import Incoming
from router.gateway.session.sessions import OpenedSession, Session
from router.runtime.tasks import spawn
from router.upstream.ports import SessionId

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
    recall: Callable[[], Principal]
    tell: Callable[[ServerEvent], asyncio.Task[None] | None]
    """Begins to tell it, if it wants to hear of that."""
    hears: Callable[[], bool]
    """Whether it can be told now; if not, it is once it can."""
    seen: Lists | None = None
    """What it would have got when it was last told, or began."""
    subscriptions: dict[tuple[ServerRef, str], str] = field(
        default_factory=dict[tuple[ServerRef, str], str]
    )
    """Resources by server and its own address, with the address the client knows."""
    unsaid: set[ServerEvent] = field(default_factory=set[ServerEvent])
    """What it is being told; to a client that doesn't read, the same once is enough."""
    missed: set[ResourceUpdated] = field(default_factory=set[ResourceUpdated])
    """What changed of its resources while it could not be told."""


class Changes:
    def __init__(
        self,
        see: Callable[[Principal], Lists],
        unsubscribe: Callable[[ServerRef, str], None],
    ) -> None:
        self._see = see
        self._unsubscribe = unsubscribe
        self._followers: dict[object, Follower] = {}
        self._streams: set[asyncio.Event] = set()
        self._look: asyncio.TimerHandle | None = None

    def follow(self, session: OpenedSession) -> Follower:
        """The follower a session of an older revision is."""
        follower = self._followers.get(session)
        if follower is None:
            follower = Follower(
                session.id,
                session.recall,
                lambda event: _tell(session, event),
                lambda: session.standing is not None,
            )
            self._add(session, follower)
        return follower

    def forget(self, key: object) -> None:
        if (follower := self._followers.pop(key, None)) is not None:
            for ref, address in tuple(follower.subscriptions):
                self.drop(follower, ref, address)

    async def listen(
        self,
        incoming: Incoming,
        session: Session,
        wanted: SubscriptionFilter,
        subscribe: Callable[[Follower, Sequence[str]], object],
    ) -> JsonObject:
        """Serve one stream until its client leaves or we stop. What comes first on it is what it
        will tell of; each message names the request it belongs to."""
        addresses = frozenset(wanted.resource_subscriptions or ())
        meta: JsonObject = {SUBSCRIPTION_ID_META_KEY: incoming.request_id}
        ended = asyncio.Event()

        def tell(event: ServerEvent) -> asyncio.Task[None] | None:
            if not event_matches(wanted, addresses, event):
                return None
            return spawn(_tell_or_end(incoming.answer, event, meta, ended), name="tell a client")

        follower = Follower(session.id, session.recall, tell, lambda: True)
        self._add(ended, follower)
        self._streams.add(ended)
        try:
            await incoming.answer.tell(_acknowledged(wanted, meta))
            subscribe(follower, sorted(addresses))
            await ended.wait()
        finally:
            self._streams.discard(ended)
            self.forget(ended)
        return {"_meta": meta}

    def close(self) -> None:
        """End all streams, so that nobody waits for them when we stop."""
        for ended in self._streams:
            ended.set()
        if self._look is not None:
            self._look.cancel()

    # What may have changed

    def look_soon(self) -> None:
        """Something changed; whoever sees it is told in a moment, once for all that comes now."""
        if self._look is None and self._followers:
            self._look = asyncio.get_running_loop().call_later(_TOGETHER_S, self._look_now)

    def _look_now(self) -> None:
        self._look = None
        for follower in [each for each in self._followers.values() if each.hears()]:
            before, follower.seen = follower.seen, self._lists(follower)
            for old, new, event in zip(before or (), follower.seen or (), _EVENTS, strict=False):
                if old is not new and old != new:
                    _say(follower, event)
            missed, follower.missed = follower.missed, set()
            for event in missed:
                _say(follower, event)

    def updated(self, ref: ServerRef, session: SessionId | None, params: JsonObject) -> None:
        """A server says that a resource changed; `session` is the only one it knows, if so."""
        address = str(params.get("uri"))
        for follower in tuple(self._followers.values()):
            shown = follower.subscriptions.get((ref, address))
            if shown is not None and session in (None, follower.session):
                _say_or_keep(follower, ResourceUpdated(shown))

    def subscribed(self, follower: Follower, place: tuple[ServerRef, str], shown: str) -> None:
        """A server knows now that `follower`, if it is still there, wants to hear of a resource."""
        follower.subscriptions[place] = shown
        if follower not in self._followers.values():
            self.drop(follower, *place)

    def drop(self, follower: Follower, ref: ServerRef, address: str) -> None:
        """End a subscription; the server hears of it when it was the last."""
        if (shown := follower.subscriptions.pop((ref, address), None)) is None:
            return
        follower.missed.discard(ResourceUpdated(shown))
        if not any((ref, address) in each.subscriptions for each in self._followers.values()):
            self._unsubscribe(ref, address)

    def _add(self, key: object, follower: Follower) -> None:
        self._followers[key] = follower
        follower.seen = self._lists(follower)

    def _lists(self, follower: Follower) -> Lists | None:
        with contextlib.suppress(Refusal):
            return self._see(follower.recall())
        return None


def _acknowledged(wanted: SubscriptionFilter, meta: JsonObject) -> JsonObject:
    said = wanted.model_dump(mode="json", by_alias=True, exclude_none=True)
    honoured = {key: value for key, value in said.items() if value}
    return {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": honoured, "_meta": meta},
    }


def _notification(event: ServerEvent, meta: JsonObject) -> JsonObject:
    model = event_to_notification(event, meta)
    return {"jsonrpc": "2.0", **model.model_dump(mode="json", by_alias=True, exclude_none=True)}


def _say_or_keep(follower: Follower, event: ResourceUpdated) -> None:
    if follower.hears():
        _say(follower, event)
    else:
        follower.missed.add(event)


def _say(follower: Follower, event: ServerEvent) -> None:
    if event not in follower.unsaid and (telling := follower.tell(event)) is not None:
        follower.unsaid.add(event)
        telling.add_done_callback(lambda _: follower.unsaid.discard(event))


def _tell(session: OpenedSession, event: ServerEvent) -> asyncio.Task[None] | None:
    if (stream := session.standing) is None:
        return None
    return spawn(_tell_or_leave(stream, event), name="tell a client")


async def _tell_or_leave(stream: Answer, event: ServerEvent) -> None:
    await _tell_in_time(stream, _notification(event, {}))


async def _tell_in_time(stream: Answer, message: JsonObject) -> bool:
    """Whether the client took it before it seemed to have stopped reading."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_TELL_WITHIN_S):
            await stream.tell(message)
            return True
    return False


async def _tell_or_end(
    stream: Answer, event: ServerEvent, meta: JsonObject, ended: asyncio.Event
) -> None:
    """A client that misses something must know: it listens again, and looks again."""
    if not await _tell_in_time(stream, _notification(event, meta)):
        ended.set()
