"""Batches, which only revision 2025-03-26 has: each request gets a response, on one stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from router.domain.json_values import JsonObject
from tests.router.service.test_streamable_http import CANCEL, LIST, SLOW, of_session, slow_server
from tests.support.running_router import RunningRouter

WITH_BATCHES = "2025-03-26"
NOTICE: JsonObject = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING: JsonObject = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}


async def send(running: RunningRouter, session: dict[str, str], body: list[Any]) -> httpx2.Response:
    return await running.http.post(running.url, json=body, headers=of_session(running, session))


def answers_in(response: httpx2.Response) -> dict[object, JsonObject]:
    assert response.status_code == 200, response.text
    lines = [line for line in response.text.splitlines() if line.startswith("data:")]
    answers = [json.loads(line.removeprefix("data:")) for line in lines]
    return {answer["id"]: answer for answer in answers}


async def test_each_request_of_a_batch_gets_a_response(running: RunningRouter) -> None:
    _, session = await running.open_session(WITH_BATCHES)
    wrong = {**PING, "id": 2, "method": "nothing/known"}
    answers = answers_in(await send(running, session, [NOTICE, PING, LIST, wrong]))
    assert answers["ping"]["result"] == {}
    assert [tool["name"] for tool in answers[1]["result"]["tools"]] == [
        "tool_discovery",
        "tool_execute",
    ]
    assert answers[2]["error"]["code"] == -32601


async def test_a_batch_of_notifications_is_accepted(running: RunningRouter) -> None:
    _, session = await running.open_session(WITH_BATCHES)
    assert (await send(running, session, [NOTICE, CANCEL])).status_code == 202


async def test_one_request_of_a_batch_can_be_cancelled(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = await slow_server(running, tmp_path)
    _, session = await running.open_session(WITH_BATCHES)
    headers = of_session(running, session)
    body = [SLOW, PING]
    async with running.http.stream("POST", running.url, json=body, headers=headers) as stream:
        lines = stream.aiter_lines()
        await record.until("slow")
        await running.post(CANCEL, **session)
        streamed = "".join([line async for line in lines])
    record.close()
    assert '"id":"slow"' not in streamed
    assert '"id":"ping","result"' in streamed


@pytest.mark.parametrize(
    "body",
    [
        [],
        [1],
        [PING, {"no": "message"}],
        [PING] * 51,
        [{**PING, "params": {"_meta": {"projectId": "other"}}}],
        [PING, {**PING, "id": 2, "method": "initialize"}],
    ],
)
async def test_an_invalid_batch_is_refused(running: RunningRouter, body: list[Any]) -> None:
    _, session = await running.open_session(WITH_BATCHES)
    assert (await send(running, session, body)).status_code == 400


async def test_nested_batches_are_refused_at_any_depth(running: RunningRouter) -> None:
    _, session = await running.open_session(WITH_BATCHES)
    headers = {**of_session(running, session), "Content-Type": "application/json"}
    for depth in (2, 400, 800, 5000):
        body = b"[" * depth + b"]" * depth
        response = await running.http.post(running.url, content=body, headers=headers)
        assert response.status_code == 400, depth


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_later_revisions_have_no_batches(running: RunningRouter, version: str) -> None:
    _, session = await running.open_session(version)
    response = await send(running, session, [PING])
    assert response.status_code == 400
    assert "not a batch" in response.text
