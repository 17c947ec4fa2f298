"""Streamable HTTP responses: one body or a stream, with or without a session, until cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from router.domain.json_values import JsonObject
from router.gateway.http import response_stream
from router.runtime.tasks import spawn
from tests.support.running_router import PERSONAL, Record, RunningRouter, stdio_config
from tests.support.timeouts import WAIT_S

OLD = "2025-06-18"
LIST: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SLOW: JsonObject = {
    "jsonrpc": "2.0",
    "id": "slow",
    "method": "tools/call",
    "params": {"name": "tool_execute", "arguments": {"toolKey": "test:slow"}},
}
CANCEL: JsonObject = {
    "jsonrpc": "2.0",
    "method": "notifications/cancelled",
    "params": {"requestId": "slow"},
}


def of_session(running: RunningRouter, session: dict[str, str]) -> dict[str, str]:
    return running.headers(**{key.replace("_", "-"): value for key, value in session.items()})


async def slow_server(running: RunningRouter, tmp_path: Path) -> Record:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    return record


def assert_unanswered(response: httpx2.Response) -> None:
    """As MCP has it for a request that its client has cancelled."""
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    assert response.text == ""


async def test_a_response_is_one_body_if_nothing_precedes_it(running: RunningRouter) -> None:
    _, session = await running.open_session(OLD)
    for response in (await running.post(LIST, **session), await running.post_modern("tools/list")):
        assert response.headers["content-type"] == "application/json"
        assert "transfer-encoding" not in response.headers


async def test_a_slow_response_becomes_a_stream_with_keep_alives(
    running: RunningRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_stream, "PING_INTERVAL_S", 0.05)
    record = await slow_server(running, tmp_path)
    _, session = await running.open_session(OLD)
    headers = of_session(running, session)
    async with running.http.stream("POST", running.url, json=SLOW, headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.aiter_lines()
        assert await anext(lines) == ": ping"
        await running.post(CANCEL, **session)
        assert "jsonrpc" not in "".join([line async for line in lines])
    record.close()


async def test_in_legacy_revisions_a_call_survives_its_connection_until_cancelled(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = await slow_server(running, tmp_path)
    _, session = await running.open_session(OLD)
    call = spawn(running.post(SLOW, **session), name="a call")
    await record.until("slow")
    call.cancel()
    await asyncio.wait([call])
    other = {**SLOW, "id": "other"}
    second = spawn(running.post(other, **session), name="a call")
    await record.until("slow")
    await running.post(CANCEL, **session)
    await record.until("notifications/cancelled")
    assert not second.done()
    await running.post({**CANCEL, "params": {"requestId": "other"}}, **session)
    assert_unanswered(await second)
    record.close()


async def test_one_session_cannot_affect_another(running: RunningRouter, tmp_path: Path) -> None:
    record = await slow_server(running, tmp_path)
    _, session = await running.open_session(OLD)
    _, other_session = await running.open_session(OLD)
    call = spawn(running.post(SLOW, **session), name="a call")
    await record.until("slow")
    assert (await running.post(CANCEL, **other_session)).status_code == 202
    assert (await running.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **session)).json()
    assert not call.done()
    await running.http.delete(running.url, headers=of_session(running, session))
    assert_unanswered(await call)
    await record.until("notifications/cancelled")
    record.close()


async def test_a_session_has_one_standalone_stream_which_ends_with_it(
    running: RunningRouter,
) -> None:
    _, session = await running.open_session(OLD)
    headers = of_session(running, session)
    async with running.http.stream("GET", running.url, headers=headers) as stream:
        assert stream.status_code == 200
        assert (await running.http.get(running.url, headers=headers)).status_code == 409
        assert (await running.http.delete(running.url, headers=headers)).status_code == 200
        assert await stream.aread() == b""
    assert (await running.post(LIST, **session)).status_code == 404


async def test_a_standalone_stream_can_be_opened_again(running: RunningRouter) -> None:
    _, session = await running.open_session(OLD)
    headers = of_session(running, session)
    for _ in range(2):
        async with httpx2.AsyncClient() as http, asyncio.timeout(WAIT_S):
            while True:  # until the previous one is known to be closed
                async with http.stream("GET", running.url, headers=headers) as stream:
                    if stream.status_code == 200:
                        break


async def test_beyond_the_session_limit_an_idle_one_ends_or_none_is_opened(
    running: RunningRouter,
) -> None:
    await running.router.settings.update({"session_limit": 1})
    _, unused = await running.open_session(OLD)
    _, used = await running.open_session(OLD)
    assert (await running.post(LIST, **unused)).status_code == 404
    params = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "", "version": ""}}
    another = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    headers = of_session(running, used)
    async with running.http.stream("GET", running.url, headers=headers):
        refused = await running.post(another)
    assert refused.status_code == 503
    assert "raise sessionLimit" in refused.json()["error"]["message"]
    refusals = [each.message or "" for each in running.router.activity.recent()]
    assert any("raise sessionLimit" in message for message in refusals)
    assert (await running.post(LIST, **used)).status_code == 200


async def test_two_requests_with_one_id_both_end_with_their_session(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = await slow_server(running, tmp_path)
    _, session = await running.open_session(OLD)
    calls: list[asyncio.Task[httpx2.Response]] = []
    for _ in range(2):
        calls.append(spawn(running.post(SLOW, **session), name="a call"))
        await record.until("slow")
    await running.http.delete(running.url, headers=of_session(running, session))
    async with asyncio.timeout(WAIT_S):
        for call in calls:
            assert_unanswered(await call)
    record.close()


async def test_changes_without_an_open_stream_are_sent_on_the_next(
    running: RunningRouter,
) -> None:
    project = running.router.projects.list(PERSONAL)[0]
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=project.exposure
    )
    (_, session), (_, witness) = [await running.open_session(OLD) for _ in range(2)]
    for each in (witness, session):
        headers = of_session(running, each)
        async with running.http.stream("GET", running.url, headers=headers) as stream:
            if each is witness:
                await running.add("new")
            async with asyncio.timeout(WAIT_S):
                lines = stream.aiter_lines()
                while "notifications/tools/list_changed" not in await anext(lines):
                    pass


async def test_accept_may_be_split_into_several_headers(running: RunningRouter) -> None:
    _, session = await running.open_session(OLD)
    others = [pair for pair in of_session(running, session).items() if pair[0] != "Accept"]
    for kinds, status in (
        (["application/json", "text/event-stream"], 200),
        (["*/*"], 200),
        (["application/json;q=0.9, TEXT/*"], 200),
        (["application/json"], 406),
        (["text/event-stream", "text/html"], 406),
    ):
        headers = [*others, *(("Accept", kind) for kind in kinds)]
        response = await running.http.post(running.url, json=LIST, headers=headers)
        assert response.status_code == status


async def test_the_state_a_session_keeps_of_its_client_is_bounded(running: RunningRouter) -> None:
    about = {"clientInfo": {"name": "", "version": ""}, "protocolVersion": OLD}
    params = {**about, "capabilities": {"experimental": {"x": {"y": "z" * 100_000}}}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    response = await running.post(opening)
    assert response.json()["error"]["code"] == -32602
    assert "mcp-session-id" not in response.headers
