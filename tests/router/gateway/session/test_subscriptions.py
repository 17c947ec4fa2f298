"""Subscriptions: they end with their client, and are bounded for clients that don't read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from router.domain.clients import Principal
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.gateway.http.response_stream import ResponseStream
from router.gateway.session.sessions import Sessions
from router.gateway.session.subscriptions import Subscriptions
from tests.router.gateway.session.test_idle_sessions import request
from tests.support.timeouts import WAIT_S

RESOURCE = (ServerRef(WorkspaceId("home"), ServerId("files")), "file:///a")


def lists(_: Principal) -> tuple[object, object, object]:
    return (None, None, None)


async def test_a_subscription_made_after_its_client_left_is_ended() -> None:
    ended: list[tuple[ServerRef, str]] = []
    subscriptions = Subscriptions(lists, lambda ref, uri: ended.append((ref, uri)))
    sessions = Sessions(subscriptions.remove)
    stays, leaves = (sessions.open(request("2025-06-18"), "2025-06-18") for _ in range(2))
    subscriber = subscriptions.subscriber_of(leaves)
    sessions.end(leaves)
    subscriptions.add_resource(subscriber, RESOURCE, "a")
    assert ended == [RESOURCE]
    subscriptions.add_resource(subscriptions.subscriber_of(stays), RESOURCE, "a")
    subscriptions.add_resource(subscriber, RESOURCE, "a")
    assert ended == [RESOURCE], "somebody else still follows it"
    sessions.close()
    assert ended == [RESOURCE, RESOURCE]


class Client:
    """Subscribes to two resources; records the notifications, once it reads."""

    def __init__(self, first: str, other: str, last: bytes) -> None:
        self.reads, self.published = asyncio.Event(), asyncio.Event()
        self.sent: list[bytes] = []
        self._last = last
        self.subscriptions = Subscriptions(lists, lambda ref, uri: None)
        self.sessions = Sessions(self.subscriptions.remove)
        self.session = self.sessions.open(request("2025-06-18"), "2025-06-18")
        self.subscriber = self.subscriptions.subscriber_of(self.session)
        self.subscriptions.add_resource(self.subscriber, RESOURCE, first)
        self.subscriptions.add_resource(self.subscriber, (RESOURCE[0], "other"), other)

    async def send(self, message: Mapping[str, Any]) -> None:
        await self.reads.wait()
        self.sent.append(message.get("body", b""))
        if self._last in self.sent[-1]:
            self.published.set()

    async def receive(self) -> None:
        self.reads.set()
        async with asyncio.timeout(WAIT_S):
            await self.published.wait()

    def times(self, word: bytes) -> int:
        return len([body for body in self.sent if word in body])


async def test_a_client_that_does_not_read_gets_each_notification_once() -> None:
    ref, uri = RESOURCE
    client = Client("first", "last", last=b"last")
    with ResponseStream(client.send) as client.session.standalone_stream:
        for _ in range(100):
            client.subscriptions.resource_updated(ref, None, {"uri": uri})
        client.subscriptions.resource_updated(ref, None, {"uri": "other"})
        await client.receive()
    assert client.times(b"first") == 1
    await asyncio.sleep(0)
    assert not client.subscriber.sending
    client.sessions.close()


async def test_a_resource_update_is_kept_until_its_client_can_receive_it() -> None:
    ref, uri = RESOURCE
    client = Client("mine", "dropped", last=b"mine")
    for changed in (uri, "other"):
        client.subscriptions.resource_updated(ref, None, {"uri": changed})
    client.subscriptions.remove_resource(client.subscriber, ref, "other")
    with ResponseStream(client.send) as client.session.standalone_stream:
        client.subscriptions.check_soon()
        await client.receive()
    assert client.times(b"dropped") == 0
    client.sessions.close()
