"""Sessions end by themselves only after their client was idle for long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from router.domain.clients import Principal
from router.domain.ids import WorkspaceId
from router.gateway.client_request import ClientRequest
from router.gateway.http.response_stream import ResponseStream
from router.gateway.session.sessions import SESSION_IDLE_S, Session, Sessions

PRINCIPAL = Principal("Editor", None, WorkspaceId("home"), None)


async def nowhere(message: Mapping[str, Any]) -> None: ...


def request(version: str) -> ClientRequest:
    with ResponseStream(nowhere) as stream:
        return ClientRequest(PRINCIPAL, lambda: PRINCIPAL, {}, "ping", 1, version, stream=stream)


async def test_an_idle_session_ends_and_one_with_active_requests_does_not() -> None:
    now = 0.0
    ended: list[Session] = []
    sessions = Sessions(ended.append, lambda: now)
    quiet, busy = (sessions.open(request("2025-06-18"), "2025-06-18") for _ in range(2))
    modern = sessions.modern(request("2026-07-28"))
    await sessions.use(modern, request("2026-07-28"))
    busy.active_requests = 1
    now = SESSION_IDLE_S + 1
    sessions.end_idle()
    assert ended == [quiet, modern]
    assert sessions.find(quiet.id, None) is None
    busy.active_requests = 0
    now += SESSION_IDLE_S - 1
    sessions.end_idle()
    assert sessions.find(busy.id, None) is busy, "quiet only since its request ended"
    now += 2
    sessions.end_idle()
    assert ended[-1] is busy
    sessions.close()
