"""Notifies clients of changes: `list_changed` for the lists they can see, and `resources/updated`
for the resources they have subscribed to.

A client is notified of a list only if it would now get another one than before. Legacy clients are
notified on their standalone GET stream, modern ones on the stream of their `subscriptions/listen`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from router.domain.clients import Principal
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.gateway.client_request import ClientRequest
from router.gateway.http.http_request import HTTPError
from router.gateway.session.sessions import LegacySession, Session
from router.runtime.tasks import spawn
from router.upstream.ports import SessionId
from router.wire import jsonrpc
from router.wire.mcp import SUBSCRIPTION_ID_KEY

if TYPE_CHECKING:
    from router.gateway.sdk import SubscriptionFilter

_COALESCE_S = 0.05
_SEND_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """Something changed that a client may have subscribed to."""

    method: str
    """Of the notification."""
    uri: str | None = None
    """Of the resource that was updated."""

    def is_in(self, wanted: SubscriptionFilter, uris: frozenset[str]) -> bool:
        match self.method:
            case "notifications/tools/list_changed":
                return wanted.tools_list_changed is True
            case "notifications/prompts/list_changed":
                return wanted.prompts_list_changed is True
            case "notifications/resources/list_changed":
                return wanted.resources_list_changed is True
            case _:
                return self.uri in uris


def _resource_updated(uri: str) -> ServerEvent:
    return ServerEvent("notifications/resources/updated", uri)


_LIST_CHANGED = tuple(
    ServerEvent(f"notifications/{kind}/list_changed") for kind in ("tools", "prompts", "resources")
)

Lists: TypeAlias = tuple[object, object, object]
"""What a client would get as its tools, prompts and resources."""

Resource: TypeAlias = tuple[ServerRef, str]
"""A resource by its server and the URI it has there."""

SendMessage: TypeAlias = Callable[[JsonObject], Awaitable[None]]


@dataclass(eq=False, slots=True)
class Subscriber:
    """A client that is notified: a legacy session, or a modern `subscriptions/listen` stream."""

    session: Session
    notify: Callable[[ServerEvent], asyncio.Task[Any] | None]
    """Starts to send a notification, if the client subscribed to that kind."""
    reachable: Callable[[], bool]
    """Whether it can be notified now; if not, it is as soon as it can."""
    lists: Lists | None = None
    """What it would have got when it was last notified, or subscribed."""
    resources: dict[Resource, str] = field(default_factory=dict[Resource, str])
    """The resources it subscribed to, with the URIs by which it knows them."""
    sending: set[ServerEvent] = field(default_factory=set[ServerEvent])
    """On their way; a client that doesn't read gets each of them once."""
    missed: set[ServerEvent] = field(default_factory=set[ServerEvent])
    """The updates of its resources while it was not reachable."""


@dataclass(slots=True)
class Subscriptions:
    _lists: Callable[[Principal], Lists]
    _unsubscribe: Callable[[ServerRef, str], None]
    """Tells a server that nobody is subscribed to a resource any more."""
    _subscribers: dict[object, Subscriber] = field(default_factory=dict[object, Subscriber])
    """By their `LegacySession`, or by the event that ends their `subscriptions/listen`."""
    _check_timer: asyncio.TimerHandle | None = None

    def subscriber_of(self, session: LegacySession) -> Subscriber:
        """The subscriber that a legacy session is, from now on."""
        subscriber = self._subscribers.get(session)
        if subscriber is None:
            subscriber = Subscriber(
                session,
                lambda event: _notify_session(session, event),
                lambda: session.standalone_stream is not None,
            )
            self._add(session, subscriber)
        return subscriber

    def remove(self, key: object) -> None:
        """End all subscriptions of a session or stream."""
        if (subscriber := self._subscribers.pop(key, None)) is not None:
            for ref, uri in tuple(subscriber.resources):
                self.remove_resource(subscriber, ref, uri)

    async def listen(
        self,
        request: ClientRequest,
        session: Session,
        wanted: SubscriptionFilter,
        subscribe: Callable[[Subscriber, str], Coroutine[Any, Any, None]],
    ) -> JsonObject:
        """Serve a `subscriptions/listen` stream until its client disconnects or shutdown. The first
        message acknowledges what the client is subscribed to; each names the request."""
        uris = frozenset(wanted.resource_subscriptions or ())
        meta: JsonObject = {SUBSCRIPTION_ID_KEY: request.id}
        ended = asyncio.Event()

        def notify(event: ServerEvent) -> asyncio.Task[Any] | None:
            if not event.is_in(wanted, uris):
                return None
            return spawn(_notify_or_end(request.send, event, meta, ended), name="notify a client")

        subscriber = Subscriber(session, notify, lambda: True)
        self._add(ended, subscriber)
        try:
            await request.send(_acknowledged(wanted, meta))
            for uri in sorted(uris):
                spawn(subscribe(subscriber, uri), name="subscribe")
            await ended.wait()
        finally:
            self.remove(ended)
        return {"_meta": meta}

    def close(self) -> None:
        """End all `subscriptions/listen` streams, so that shutdown doesn't wait for them."""
        for key in self._subscribers:
            if isinstance(key, asyncio.Event):
                key.set()
        if self._check_timer is not None:
            self._check_timer.cancel()

    # What may have changed

    def check_soon(self) -> None:
        """Something changed: notify the clients that see it, once for several changes."""
        if self._check_timer is None and self._subscribers:
            loop = asyncio.get_running_loop()
            self._check_timer = loop.call_later(_COALESCE_S, self._check)

    def _check(self) -> None:
        self._check_timer = None
        for subscriber in [each for each in self._subscribers.values() if each.reachable()]:
            before, subscriber.lists = subscriber.lists, self._lists_of(subscriber)
            pairs = zip(before or (), subscriber.lists or (), _LIST_CHANGED, strict=False)
            for old, new, event in pairs:
                if old is not new and old != new:
                    _notify(subscriber, event)
            missed, subscriber.missed = subscriber.missed, set()
            for event in missed:
                _notify(subscriber, event)

    def resource_updated(
        self, ref: ServerRef, session: SessionId | None, params: JsonObject
    ) -> None:
        """A server sent `resources/updated`; `session` is the only one it serves, if so."""
        uri = str(params.get("uri"))
        for subscriber in tuple(self._subscribers.values()):
            client_uri = subscriber.resources.get((ref, uri))
            if client_uri is None or session not in (None, subscriber.session.id):
                continue
            if subscriber.reachable():
                _notify(subscriber, _resource_updated(client_uri))
            else:
                subscriber.missed.add(_resource_updated(client_uri))

    def add_resource(self, subscriber: Subscriber, resource: Resource, client_uri: str) -> None:
        """A server has confirmed a subscription for `subscriber`, which may be gone by now."""
        subscriber.resources[resource] = client_uri
        if subscriber not in self._subscribers.values():
            self.remove_resource(subscriber, *resource)

    def remove_resource(self, subscriber: Subscriber, ref: ServerRef, uri: str) -> None:
        """End a subscription; the server is told when it was the last one."""
        if (client_uri := subscriber.resources.pop((ref, uri), None)) is None:
            return
        subscriber.missed.discard(_resource_updated(client_uri))
        if not any((ref, uri) in each.resources for each in self._subscribers.values()):
            self._unsubscribe(ref, uri)

    def _add(self, key: object, subscriber: Subscriber) -> None:
        self._subscribers[key] = subscriber
        subscriber.lists = self._lists_of(subscriber)

    def _lists_of(self, subscriber: Subscriber) -> Lists | None:
        with contextlib.suppress(HTTPError):
            return self._lists(subscriber.session.current_principal())
        return None


def _acknowledged(wanted: SubscriptionFilter, meta: JsonObject) -> JsonObject:
    filters = wanted.model_dump(mode="json", by_alias=True, exclude_none=True)
    honoured = {key: value for key, value in filters.items() if value}
    params = {"notifications": honoured, "_meta": meta}
    return jsonrpc.notification("notifications/subscriptions/acknowledged", params)


def _notification(event: ServerEvent, meta: JsonObject) -> JsonObject:
    uri: JsonObject = {} if event.uri is None else {"uri": event.uri}
    return jsonrpc.notification(event.method, {**uri, "_meta": meta})


def _notify(subscriber: Subscriber, event: ServerEvent) -> None:
    if event not in subscriber.sending and (task := subscriber.notify(event)) is not None:
        subscriber.sending.add(event)
        task.add_done_callback(lambda _: subscriber.sending.discard(event))


def _notify_session(session: LegacySession, event: ServerEvent) -> asyncio.Task[Any] | None:
    if (stream := session.standalone_stream) is None:
        return None
    return spawn(_send_in_time(stream.send, _notification(event, {})), name="notify a client")


async def _notify_or_end(
    send: SendMessage, event: ServerEvent, meta: JsonObject, ended: asyncio.Event
) -> None:
    """A client must know that it missed something: its stream ends, so it listens again."""
    if not await _send_in_time(send, _notification(event, meta)):
        ended.set()


async def _send_in_time(send: SendMessage, message: JsonObject) -> bool:
    """False if the client seems to have stopped reading."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SEND_TIMEOUT_S):
            await send(message)
            return True
    return False
