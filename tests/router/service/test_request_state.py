"""The request state a client returns is attacker input: a call continues only with a state we
issued, to the same client, for the same call, before it expires."""

from __future__ import annotations

import time
from collections.abc import Generator

import pytest

from router.api.events import ActivityRecorded
from router.config.server import ServerConfig
from router.domain.activity import Outcome
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission
from router.gateway.session.input_required import KEPT_S
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving
from tests.support.ports import reserved_port
from tests.support.running_router import PERSONAL, RunningRouter

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
