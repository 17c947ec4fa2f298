"""The user is asked while a client waits, over real HTTP and with a real server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from router.api.events import ActivityRecorded, PermissionRequested
from router.config.workspace import PermissionRule
from router.domain.activity import Outcome
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.permissions import Answer, Permission
from router.runtime.tasks import spawn
from tests.support.running_router import PERSONAL, RunningRouter, read_answer, running_router

ECHO: JsonObject = {"toolKey": "test:echo", "arguments": {"a": 1}}


@pytest.fixture
async def attended(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    async with running_router(tmp_path, attended=True) as running:
        await running.add("Test")
        yield running


@pytest.mark.proves("META-5")
async def test_allowing_always_overrides_a_rule_that_asks(
    attended: RunningRouter, tmp_path: Path
) -> None:
    rules = (PermissionRule(permission=Permission.ASK, tool="e*"),)
    await attended.router.permissions.set_rules(PERSONAL, None, rules)
    call = spawn(attended.call("tool_execute", ECHO), name="a call")
    asked = await attended.trace.until(PermissionRequested)
    assert attended.router.permissions.requests() == (asked.request,)
    await attended.router.permissions.answer(asked.request.id, Answer.ALWAYS)
    assert (await call)["structuredContent"] == {"a": 1}
    assert (await attended.call("tool_execute", ECHO))["structuredContent"] == {"a": 1}
    written = json.loads((tmp_path / "workspaces/personal/workspace.json").read_text())
    assert written["permissions"] == {"test:echo": "allow"}
    assert written["rules"] == [{"permission": "ask", "tool": "e*"}]


@pytest.mark.proves("META-5", "META-9")
async def test_a_refused_call_is_in_the_activity_log_as_denied(attended: RunningRouter) -> None:
    await attended.router.permissions.set(
        PERSONAL, ToolKey(ServerId("test"), "echo"), Permission.ASK
    )
    call = spawn(attended.call("tool_execute", ECHO), name="a call")
    asked = await attended.trace.until(PermissionRequested)
    await attended.router.permissions.answer(asked.request.id, Answer.DENY)
    assert "denied" in (await call)["content"][0]["text"]
    entry = (await attended.trace.until(ActivityRecorded, lambda e: e.entry.tool == "echo")).entry
    assert entry.outcome is Outcome.DENIED


@pytest.mark.proves("META-5")
async def test_allowing_for_a_session_applies_to_that_session_only(
    attended: RunningRouter,
) -> None:
    echo = ToolKey(ServerId("test"), "echo")
    await attended.router.permissions.set(PERSONAL, echo, Permission.ASK)
    params: JsonObject = {"name": "tool_execute", "arguments": ECHO}
    message: JsonObject = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    async def asked_in(session: dict[str, str], answer: Answer) -> None:
        attended.trace.clear()
        call = spawn(attended.post(message, **session), name="a call")
        asked = await attended.trace.until(PermissionRequested)
        await attended.router.permissions.answer(asked.request.id, answer)
        await call

    _, one = await attended.open_session("2025-06-18")
    _, two = await attended.open_session("2025-06-18")
    await asked_in(one, Answer.SESSION)
    again = read_answer(await attended.post(message, **one))
    assert again["result"]["structuredContent"] == {"a": 1}
    await asked_in(two, Answer.DENY)
    await attended.http.delete(
        attended.url, headers=attended.headers(**{"Mcp-Session-Id": one["Mcp_Session_Id"]})
    )
    _, three = await attended.open_session("2025-06-18")
    await asked_in(three, Answer.DENY)
