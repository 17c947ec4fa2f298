"""Who follows what: for nobody who has left, and not without end for who doesn't listen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from router.gateway.answering import Answer
from router.gateway.changes import Changes
from router.gateway.sessions import Sessions
from router.model import Caller, ServerId, ServerRef, WorkspaceId
from tests.router.gateway.test_idle_sessions import incoming

PLACE = (ServerRef(WorkspaceId("home"), ServerId("files")), "file:///a")


def lists(_: Caller) -> tuple[object, object, object]:
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


async def test_a_client_that_does_not_read_is_told_of_one_change_once() -> None:
    reads, told = asyncio.Event(), asyncio.Event()
    sent: list[bytes] = []

    async def send(message: Mapping[str, Any]) -> None:
        await reads.wait()
        sent.append(message.get("body", b""))
        if b"last" in sent[-1]:
            told.set()

    ref, address = PLACE
    changes = Changes(lists, lambda ref, address: None)
    sessions = Sessions(changes.forget)
    session = sessions.open(incoming("2025-06-18"), "2025-06-18")
    follower = changes.follow(session)
    changes.subscribed(follower, PLACE, "first")
    changes.subscribed(follower, (ref, "other"), "last")
    with Answer(send) as session.standing:
        for _ in range(100):
            changes.updated(ref, None, {"uri": address})
        changes.updated(ref, None, {"uri": "other"})
        reads.set()
        async with asyncio.timeout(5):
            await told.wait()
    assert len([body for body in sent if b"first" in body]) == 1
    await asyncio.sleep(0)
    assert not follower.unsaid
    sessions.close()


async def test_a_change_of_a_resource_is_kept_until_its_client_can_be_told() -> None:
    told = asyncio.Event()
    sent: list[bytes] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message.get("body", b""))
        if b"mine" in sent[-1]:
            told.set()

    ref, address = PLACE
    changes = Changes(lists, lambda ref, address: None)
    sessions = Sessions(changes.forget)
    session = sessions.open(incoming("2025-06-18"), "2025-06-18")
    follower = changes.follow(session)
    changes.subscribed(follower, PLACE, "mine")
    changes.subscribed(follower, (ref, "other"), "dropped")
    for changed in (address, "other"):
        changes.updated(ref, None, {"uri": changed})
    changes.drop(follower, ref, "other")
    with Answer(send) as session.standing:
        changes.look_soon()
        async with asyncio.timeout(5):
            await told.wait()
    assert not [body for body in sent if b"dropped" in body]
    sessions.close()
