"""The user is asked while a client waits, over real HTTP and with a real server."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.api.events import ActivityRecorded, PermissionRequested
from router.config.server import CLIENT_FOLDER
from router.config.workspace import PermissionRule
from router.domain.activity import Outcome
from router.domain.ids import ServerId, ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.permissions import (
    Answer,
    Permission,
    PermissionKind,
    PermissionRequest,
    PermissionRequestId,
)
from router.runtime.tasks import spawn
from tests.support.running_router import (
    PERSONAL,
    RunningRouter,
    read_answer,
    running_router,
    stdio_config,
)

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


@pytest.mark.proves("META-5", "PROG-9")
async def test_a_folder_is_allowed_for_good_by_the_answer_always(
    attended: RunningRouter, tmp_path: Path
) -> None:
    await attended.add("here", stdio_config(cwd=CLIENT_FOLDER))
    folder = tmp_path / "project"
    folder.mkdir()
    here = {"Toolbooth_Folder": str(folder)}
    env: JsonObject = {"toolKey": "here:env", "arguments": {}}
    call = spawn(attended.call("tool_execute", env, **here), name="a call")
    asked = (await attended.trace.until(PermissionRequested)).request
    assert (asked.kind, asked.name) == (PermissionKind.FOLDER, str(folder))
    await attended.router.permissions.answer(asked.id, Answer.ALWAYS)
    assert (await call)["structuredContent"]["cwd"] == str(folder)
    again = await attended.call("tool_execute", env, **here)
    assert again["structuredContent"]["cwd"] == str(folder)
    assert attended.router.projects.config(PERSONAL, None).rules == ()


@pytest.mark.proves("META-5")
async def test_always_allowing_an_address_with_a_star_allows_no_other(
    attended: RunningRouter,
) -> None:
    """A client chooses the address; as a pattern it would allow more than was asked."""
    asked = PermissionRequest(
        PermissionRequestId("1"),
        "Test",
        ServerRef(PERSONAL, ServerId("test")),
        "Test",
        None,
        PermissionKind.RESOURCE,
        "file:///*",
        "{}",
        datetime.now(UTC),
    )
    await attended.router.permissions._always_allow(asked)  # pyright: ignore[reportPrivateUsage]
    assert attended.router.projects.config(PERSONAL, None).rules == ()
