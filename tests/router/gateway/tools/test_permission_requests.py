"""Calls that need permission: requested, answered, timed out, and never allowed by default."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from router.api.events import PermissionRequested, PermissionResolved
from router.catalog.permission_policy import Subject
from router.domain.activity import Outcome
from router.domain.errors import NotFound, Refused
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import (
    Answer,
    Permission,
    PermissionKind,
    PermissionRequest,
    PermissionRequestId,
)
from router.runtime.tasks import spawn
from tests.router.gateway.harness import GatewayHarness
from tests.support.timeouts import WAIT_S

ASK = {"files:write_file": "ask"}
CALL: JsonObject = {"toolKey": "files:write_file", "arguments": {"path": "a", "apiKey": "hunter22"}}


def attended(**options: object) -> GatewayHarness:
    gateway = GatewayHarness(permissions=ASK, **options)  # pyright: ignore[reportArgumentType]
    gateway.attended = True
    return gateway


@asynccontextmanager
async def waiting(
    gateway: GatewayHarness,
) -> AsyncGenerator[tuple[PermissionRequest, asyncio.Task[JsonObject]]]:
    """A call that waits for its permission."""
    gateway.published.clear()
    call = spawn(gateway.call("tool_execute", CALL), name="a call")
    async with asyncio.timeout(WAIT_S):
        await gateway.published.wait()
        yield gateway.permission_requests.pending()[-1], call


@pytest.mark.proves("META-5")
async def test_the_request_names_client_server_tool_and_arguments_without_secrets() -> None:
    gateway = attended()
    async with waiting(gateway) as (ask, call):
        assert (ask.client, ask.server_name, str(ask.key)) == (
            "Editor",
            "Files",
            "files:write_file",
        )
        assert json.loads(ask.arguments) == {"path": "a", "apiKey": "***"}
        gateway.permission_requests.answer(ask.id, Answer.ONCE)
        assert not (await call).get("isError")
    assert [type(event) for event in gateway.events] == [PermissionRequested, PermissionResolved]
    assert gateway.upstreams.asked[0][2]["arguments"] == CALL["arguments"]


@pytest.mark.proves("META-5")
async def test_a_denied_call_never_reaches_the_server() -> None:
    gateway = attended()
    async with waiting(gateway) as (ask, call):
        gateway.permission_requests.answer(ask.id, Answer.DENY)
        assert "The user denied" in (await call)["content"][0]["text"]
    assert gateway.upstreams.asked == []
    assert gateway.recorded[-1].outcome is Outcome.DENIED


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("answer", [Answer.SESSION, Answer.HOUR])
async def test_allowing_for_longer_covers_later_and_waiting_calls(answer: Answer) -> None:
    gateway = attended()
    async with waiting(gateway) as (ask, call), waiting(gateway) as (_, other):
        gateway.permission_requests.answer(ask.id, answer)
        assert not (await call).get("isError")
        assert not (await other).get("isError")
    assert not (await gateway.call("tool_execute", CALL)).get("isError")
    assert gateway.permission_requests.pending() == ()


@pytest.mark.proves("META-5")
async def test_allowing_once_covers_one_call() -> None:
    gateway = attended()
    for _ in range(2):
        async with waiting(gateway) as (ask, call):
            gateway.permission_requests.answer(ask.id, Answer.ONCE)
            await call


@pytest.mark.proves("META-5")
async def test_a_request_that_times_out_is_denied_and_says_so() -> None:
    gateway = attended(ask_timeout_s=0.01)
    answer = await gateway.call("tool_execute", CALL)
    assert "the request timed out" in answer["content"][0]["text"]


async def test_a_client_that_does_not_read_keeps_no_request_open() -> None:
    gateway = attended(ask_timeout_s=0.01)
    subject = Subject(PermissionKind.TOOL, ServerId("files"), "write_file")

    async def stuck(_: JsonObject) -> None:
        await asyncio.Event().wait()

    request = replace(gateway.request(), on_progress=stuck)
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(Refused, match="the request timed out"):
            await gateway.permission_requests.check(request, subject, Permission.ASK, {}, "Files")
    assert gateway.permission_requests.pending() == ()
    assert gateway.permission_requests.pending() == ()


@pytest.mark.proves("META-5")
async def test_where_nobody_can_be_asked_the_call_fails_at_once_with_a_hint() -> None:
    answer = await GatewayHarness(permissions=ASK).call("tool_execute", CALL)
    text = answer["content"][0]["text"]
    assert "nobody is there" in text
    assert "ask the user to allow it" in text
    assert "toolbooth permission" not in text


async def test_a_client_that_disconnects_withdraws_its_request() -> None:
    gateway = attended()
    async with waiting(gateway) as (ask, call):
        call.cancel()
        await asyncio.wait([call])
    assert gateway.permission_requests.pending() == ()
    assert gateway.events[-1] == PermissionResolved(ask.id)
    with pytest.raises(NotFound):
        gateway.permission_requests.answer(PermissionRequestId("gone"), Answer.ONCE)


async def test_the_permission_requests_of_a_client_are_limited() -> None:
    gateway = attended()
    calls = [spawn(gateway.call("tool_execute", CALL), name="a call") for _ in range(33)]
    done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED, timeout=WAIT_S)
    assert "too many calls already wait" in next(iter(done)).result()["content"][0]["text"]
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


@pytest.mark.proves("META-3", "META-5")
async def test_progress_of_a_waiting_call_says_what_it_waits_for() -> None:
    gateway = attended(ask_timeout_s=0.01)
    progress: list[JsonObject] = []

    async def on_progress(params: JsonObject) -> None:
        progress.append(params)

    request = gateway.request(name="tool_execute", arguments=CALL)
    await gateway.tool_methods.call_tool(replace(request, on_progress=on_progress))
    assert progress == [
        {"progress": 0, "message": "Waiting for the user to allow files:write_file…"}
    ]


@pytest.mark.proves("META-5")
async def test_rules_about_arguments_decide_each_call() -> None:
    rules = [{"permission": "deny", "arguments": {"path": "/etc/*"}}]
    gateway = GatewayHarness(rules=rules)
    denied = await gateway.call(
        "tool_execute", {"toolKey": "files:read_file", "arguments": {"path": "/etc/passwd"}}
    )
    assert "rules don't allow" in denied["content"][0]["text"]
    fine = await gateway.call(
        "tool_execute", {"toolKey": "files:read_file", "arguments": {"path": "/tmp/a"}}
    )
    assert not fine.get("isError")
    assert len(gateway.upstreams.asked) == 1
