"""Who follows what: for nobody who has left, and not without end for who doesn't listen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from router.domain.clients import Principal
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.gateway.http.response_stream import Answer
from router.gateway.session.sessions import Sessions
from router.gateway.session.subscriptions import Changes
from tests.router.gateway.test_idle_sessions import incoming
from tests.support.timeouts import WAIT_S

PLACE = (ServerRef(WorkspaceId("home"), ServerId("files")), "file:///a")


def lists(_: Principal) -> tuple[object, object, object]:
    return (None, None, None)


async def test_a_subscription_that_comes_about_after_its_client_left_is_ended() -> None:
    ended: list[tuple[ServerRef, str]] = []
    changes = Changes(lists, lambda ref, address: ended.append((ref, address)))
    sessions = Sessions(changes.forget)
    stays, leaves = (sessions.open(incoming("2025-06-18"), "2025-06-18") for _ in range(2))
    follower = changes.follow(leaves)
    sessions.end(leaves)
    changes.subscribed(follower, PLACE, "a")
    assert ended == [PLACE]
    changes.subscribed(changes.follow(stays), PLACE, "a")
    changes.subscribed(follower, PLACE, "a")
    assert ended == [PLACE], "somebody else still follows it"
    sessions.close()
    assert ended == [PLACE, PLACE]


class Client:
    """Follows two resources; notes what it is sent, once it reads."""

    def __init__(self, first: str, other: str, last: bytes) -> None:
        self.reads, self.told = asyncio.Event(), asyncio.Event()
        self.sent: list[bytes] = []
        self._last = last
        self.changes = Changes(lists, lambda ref, address: None)
        self.sessions = Sessions(self.changes.forget)
        self.session = self.sessions.open(incoming("2025-06-18"), "2025-06-18")
        self.follower = self.changes.follow(self.session)
        self.changes.subscribed(self.follower, PLACE, first)
        self.changes.subscribed(self.follower, (PLACE[0], "other"), other)

    async def send(self, message: Mapping[str, Any]) -> None:
        await self.reads.wait()
        self.sent.append(message.get("body", b""))
        if self._last in self.sent[-1]:
            self.told.set()

    async def hear(self) -> None:
        self.reads.set()
        async with asyncio.timeout(WAIT_S):
            await self.told.wait()

    def times(self, word: bytes) -> int:
        return len([body for body in self.sent if word in body])


async def test_a_client_that_does_not_read_is_told_of_one_change_once() -> None:
    ref, address = PLACE
    client = Client("first", "last", last=b"last")
    with Answer(client.send) as client.session.standing:
        for _ in range(100):
            client.changes.updated(ref, None, {"uri": address})
        client.changes.updated(ref, None, {"uri": "other"})
        await client.hear()
    assert client.times(b"first") == 1
    await asyncio.sleep(0)
    assert not client.follower.unsaid
    client.sessions.close()


async def test_a_change_of_a_resource_is_kept_until_its_client_can_be_told() -> None:
    ref, address = PLACE
    client = Client("mine", "dropped", last=b"mine")
    for changed in (address, "other"):
        client.changes.updated(ref, None, {"uri": changed})
    client.changes.drop(client.follower, ref, "other")
    with Answer(client.send) as client.session.standing:
        client.changes.look_soon()
        await client.hear()
    assert client.times(b"dropped") == 0
    client.sessions.close()
