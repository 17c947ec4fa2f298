"""Who follows what: nothing is followed for somebody who has left."""

from __future__ import annotations

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
