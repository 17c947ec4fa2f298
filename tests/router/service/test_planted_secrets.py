"""A secret given to a server is nowhere but in that server."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from router.api.events import Event
from router.config.server import ServerConfig
from router.domain.activity import ActivityQuery
from router.domain.json_values import JsonObject
from router.runtime.tracing import redact_logs
from tests.servers.http_server import sdk_app, serving
from tests.support.running_router import RunningRouter, running_router, stdio_config

PLANTED = "planted-7Qz/secret value"
ERROR: JsonObject = {"code": -32000, "message": f"bad key {PLANTED}", "data": {"key": PLANTED}}
IS_ERROR: JsonObject = {"content": [{"type": "text", "text": f"no: {PLANTED}"}], "isError": True}


async def provoke(running: RunningRouter) -> list[str]:
    """Make the server output its secret in every possible way; returns what clients got."""
    await running.add("Test", stdio_config(env={"KEY": "${env:PLANTED_TOKEN}"}))
    answers: list[str] = []
    for tool, arguments in (
        ("fail", {"error": ERROR}),
        ("raw", {"result": IS_ERROR}),
        ("crash", {"code": 3, "words": f"dying with {PLANTED}"}),
    ):
        params = {
            "name": "tool_execute",
            "arguments": {"toolKey": f"test:{tool}", "arguments": arguments},
        }
        answers.append((await running.post_modern("tools/call", params)).text)
    return answers


@pytest.mark.proves("META-9")
async def test_a_planted_secret_is_in_no_response_event_log_or_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", PLANTED)
    caplog.set_level(logging.DEBUG, "router")
    async with running_router(tmp_path) as running:
        events: list[Event] = []
        running.router.subscribe(events.append)
        answers = await provoke(running)
    assert "bad key ***" in answers[0]
    assert "no: ***" in answers[1]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    outputs = [*answers, *map(repr, events), caplog.text]
    assert not [text for text in outputs if PLANTED in text or "7Qz" in text]
    assert not [data for data in files if PLANTED.encode() in data]


@pytest.mark.proves("META-9")
@pytest.mark.parametrize("reached", ["by a command", "by an address"])
async def test_a_planted_secret_sent_by_a_client_is_logged_nowhere_even_if_arguments_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    reached: str,
) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", PLANTED)
    caplog.set_level(logging.DEBUG)
    secret = {"KEY": "${env:PLANTED_TOKEN}"}
    with serving(sdk_app(json_response=True)) as url:
        remote = ServerConfig(url=f"{url}/mcp", headers=secret)
        config = stdio_config(env=secret) if reached == "by a command" else remote
        async with running_router(tmp_path) as running:
            events: list[Event] = []
            running.router.subscribe(events.append)
            await running.router.settings.update({"log_arguments": True})
            await running.add("Test", config)
            call = {"toolKey": "test:echo", "arguments": {"note": f"it is {PLANTED}"}}
            await running.call("tool_execute", call)
            await running.call("tool_discovery", {"query": [f"find {PLANTED}"]})
            page = await running.router.activity.page(ActivityQuery())
            shown = [repr(page), *map(repr, running.router.activity.recent())]
    assert "it is ***" in "".join(shown)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    outputs = [*shown, *map(repr, events), caplog.text]
    assert not [text for text in outputs if PLANTED in text or "7Qz" in text]
    assert not [data for data in files if PLANTED.encode() in data]


def test_log_records_go_through_the_redactor(capsys: pytest.CaptureFixture[str]) -> None:
    handler = logging.StreamHandler()
    root = logging.getLogger()
    root.addHandler(handler)
    before = {each: list(each.filters) for each in root.handlers}
    try:
        redact_logs(lambda text: text.replace(PLANTED, "MASKED"))
        try:
            raise ValueError(PLANTED)
        except ValueError:
            logging.getLogger("test").exception("with %s", PLANTED)
    finally:
        for each, filters in before.items():
            each.filters[:] = filters
        root.removeHandler(handler)
    written = capsys.readouterr().err
    assert "with MASKED" in written
    assert "ValueError: MASKED" in written
    assert PLANTED not in written
