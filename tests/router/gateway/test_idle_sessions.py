"""Sessions end by themselves when their client has been quiet for long, and only then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from router.domain.clients import Principal
from router.domain.ids import WorkspaceId
from router.gateway.http.response_stream import Answer
from router.gateway.session.incoming import Incoming
from router.gateway.session.sessions import SESSION_IDLE_S, Session, Sessions

CALLER = Principal("Editor", None, WorkspaceId("home"), None)


async def nowhere(message: Mapping[str, Any]) -> None: ...


def incoming(version: str) -> Incoming:
    with Answer(nowhere) as answer:
        return Incoming(1, "ping", {}, version, {}, CALLER, lambda: CALLER, answer)


async def test_a_quiet_session_ends_and_one_with_something_under_way_does_not() -> None:
    now = 0.0
    ended: list[Session] = []
    sessions = Sessions(ended.append, lambda: now)
    quiet, busy = (sessions.open(incoming("2025-06-18"), "2025-06-18") for _ in range(2))
    stateless = sessions.stateless(incoming("2026-07-28"))
    await sessions.locate(stateless, incoming("2026-07-28"))
    busy.under_way = 1
    now = SESSION_IDLE_S + 1
    sessions.look()
    assert ended == [quiet, stateless]
    assert sessions.find(quiet.id, None) is None
    busy.under_way = 0
    now += SESSION_IDLE_S - 1
    sessions.look()
    assert sessions.find(busy.id, None) is busy, "quiet only since its request ended"
    now += 2
    sessions.look()
    assert ended[-1] is busy
    sessions.close()
