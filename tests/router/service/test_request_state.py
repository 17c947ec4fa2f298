"""The request state a client returns is attacker input: a call continues only with a state we
issued, to the same client, for the same call, before it expires."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from router.api.events import ActivityRecorded, Event, PermissionRequested
from router.config.server import ServerConfig
from router.domain.activity import Outcome
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.permissions import Answer, Permission
from router.gateway.session.input_required import KEPT_S
from router.runtime.tasks import spawn
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving
from tests.support.ports import reserved_port
from tests.support.running_router import PERSONAL, RunningRouter, running_router

ELICITS: JsonObject = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
ANSWER: JsonObject = {"action": "accept", "content": {"username": "ada", "email": "a@b.c"}}
TOOL = "asks:test_elicitation"


@pytest.fixture(scope="module")
def asking_server() -> Generator[str]:
    with serving(conformance_app()) as url:
        yield f"{url}/mcp"


def call(message: str = "Who?", **more: object) -> JsonObject:
    arguments = {"toolKey": TOOL, "arguments": {"message": message}}
    return {"name": "tool_execute", "arguments": arguments, "_meta": ELICITS, **more}


async def asked(running: RunningRouter, url: str) -> JsonObject:
    """The result of a call whose server needs input first."""
    await running.add("asks", ServerConfig(url=url))
    answer = (await running.modern("tools/call", call()))["result"]
    assert answer["resultType"] == "input_required"
    return answer


def continuation(result: JsonObject, state: object = None, message: str = "Who?") -> JsonObject:
    answers = dict.fromkeys(result["inputRequests"], ANSWER)
    return call(message, inputResponses=answers, requestState=state or result["requestState"])


async def is_refused(running: RunningRouter, params: JsonObject, token: str | None = None) -> bool:
    answer = (await running.post_modern("tools/call", params, token=token)).json()
    return answer.get("error", {}).get("message") == "Invalid or expired requestState"


@pytest.mark.proves("META-8")
async def test_a_state_is_valid_once_for_its_own_call(
    running: RunningRouter, asking_server: str
) -> None:
    result = await asked(running, asking_server)
    done = (await running.modern("tools/call", continuation(result)))["result"]
    assert "action=accept" in done["content"][0]["text"]
    assert await is_refused(running, continuation(result))


async def test_a_call_that_can_no_longer_be_continued_ends(
    running: RunningRouter, asking_server: str
) -> None:
    await asked(running, asking_server)
    port = reserved_port()
    await running.router.settings.update({"port": port})
    ended = await running.trace.until(
        ActivityRecorded, lambda e: e.entry.tool == "test_elicitation"
    )
    assert ended.entry.outcome is Outcome.CANCELLED


async def test_a_modified_or_forged_state_is_refused(
    running: RunningRouter, asking_server: str
) -> None:
    result = await asked(running, asking_server)
    state: str = result["requestState"]
    other_end = "A" if state[-2] != "A" else "B"
    changed = state[:-2] + other_end + state[-1]
    for wrong in (changed, state[:-4], "ours:1", "theirs:1", "x", 7, {"a": 1}):
        assert await is_refused(running, continuation(result, wrong)), wrong
    assert not await is_refused(running, continuation(result))


async def test_a_state_is_invalid_for_another_client_or_call(
    running: RunningRouter, asking_server: str
) -> None:
    result = await asked(running, asking_server)
    other = await running.router.tokens.issue("Other", None, None)
    assert await is_refused(running, continuation(result), other.secret)
    assert await is_refused(running, continuation(result, message="Your password?"))
    assert not await is_refused(running, continuation(result))


async def test_a_state_expires(
    running: RunningRouter, asking_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = await asked(running, asking_server)
    later = time.time() + KEPT_S + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert await is_refused(running, continuation(result))


STATEFUL = ToolKey(ServerId("asks"), "test_input_required_result_request_state")
CONFIRMED: JsonObject = {"confirm": {"action": "accept", "content": {"ok": True}}}


def stateful(**more: object) -> JsonObject:
    """A call of a server that keeps its own state with the client."""
    arguments: JsonObject = {"toolKey": str(STATEFUL), "arguments": {}}
    return {"name": "tool_execute", "arguments": arguments, "_meta": ELICITS, **more}


@pytest.fixture
async def answering(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    """A router whose user allows each permission request once, with a server that keeps its own
    state."""
    with serving(conformance_app(modern_only=True)) as url:
        async with running_router(tmp_path, attended=True) as running:
            permissions = running.router.permissions

            def allow(event: Event) -> None:
                if isinstance(event, PermissionRequested):
                    spawn(permissions.answer(event.request.id, Answer.ONCE), name="allow a call")

            running.router.subscribe(allow)
            await running.add("asks", ServerConfig(url=f"{url}/mcp"))
            yield running


@pytest.mark.proves("META-5")
async def test_one_answer_of_the_user_lets_one_call_through(answering: RunningRouter) -> None:
    """A genuine state of the server, sent again with the same or another response."""
    await answering.router.permissions.set(PERSONAL, STATEFUL, Permission.ASK)
    first = (await answering.modern("tools/call", stateful()))["result"]
    assert first["resultType"] == "input_required"
    state = first["requestState"]
    again = stateful(requestState=state, inputResponses=CONFIRMED)
    done = (await answering.modern("tools/call", again))["result"]
    assert done["content"][0]["text"] == "state-ok"
    denied: JsonObject = {"confirm": {"action": "decline"}}
    for responses in (CONFIRMED, denied, {}):
        assert await is_refused(
            answering, stateful(requestState=state, inputResponses=responses)
        ), responses
    assert len([e for e in answering.trace.events if isinstance(e, PermissionRequested)]) == 1


@pytest.mark.proves("META-5")
async def test_a_state_from_before_the_user_was_asked_answers_no_permission_request(
    answering: RunningRouter,
) -> None:
    first = (await answering.modern("tools/call", stateful()))["result"]
    await answering.router.permissions.set(PERSONAL, STATEFUL, Permission.ASK)
    again = stateful(requestState=first["requestState"], inputResponses=CONFIRMED)
    assert (await answering.modern("tools/call", again))["result"]["resultType"] == "complete"
    await answering.trace.until(PermissionRequested)


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("state", [None, "", "theirs:1"])
async def test_a_forged_state_does_not_skip_the_permission_request(
    running: RunningRouter, state: str | None
) -> None:
    await running.add("Test")
    echo = ToolKey(ServerId("test"), "echo")
    await running.router.permissions.set(PERSONAL, echo, Permission.ASK)
    arguments: JsonObject = {"toolKey": str(echo), "arguments": {}}
    params: JsonObject = {"name": "tool_execute", "arguments": arguments, "requestState": state}
    answer = (await running.post_modern("tools/call", params)).json()
    refused = "error" in answer or "nobody is there" in answer["result"]["content"][0]["text"]
    assert refused, answer
