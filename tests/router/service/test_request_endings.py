"""Requests in flight end with their token, and with the router."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn
from router.store.tokens import TokenStore
from tests.support.running_router import Record, RunningRouter, running_router, stdio_config

SLOW_CALL: JsonObject = {"name": "tool_execute", "arguments": {"toolKey": "test:slow"}}


@pytest.mark.proves("META-6")
async def test_a_running_call_ends_with_its_token(running: RunningRouter, tmp_path: Path) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    issued = await running.router.tokens.issue("Gone", None, None)
    call = spawn(running.post_modern("tools/call", SLOW_CALL, token=issued.secret), name="a call")
    await record.until("slow")
    await running.router.tokens.revoke(issued.summary.id)
    assert (await call).status_code == 401
    await record.until("notifications/cancelled")
    record.close()


@pytest.mark.proves("META-6")
async def test_a_running_call_ends_when_its_token_expires(tmp_path: Path) -> None:
    record = Record(tmp_path)
    now = utc_now()
    tokens = TokenStore(tmp_path / "tokens.json", utc_now)
    issued = tokens.issue("Brief", None, None, now + timedelta(hours=1))
    async with running_router(tmp_path, clock=lambda: now) as running:
        await running.add("Test", stdio_config("--record", str(record.path)))
        sent = running.post_modern("tools/call", SLOW_CALL, token=issued.secret)
        call = spawn(sent, name="a call")
        await record.until("slow")
        now += timedelta(hours=1)
        assert (await call).status_code == 401
    record.close()


@pytest.mark.proves("META-6")
async def test_streams_of_a_legacy_revision_end_with_their_token(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    issued = await running.router.tokens.issue("Gone", None, None)
    running.token = issued.secret
    _, session = await running.open_session("2025-06-18")
    headers = running.headers(**{key.replace("_", "-"): value for key, value in session.items()})
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": SLOW_CALL}
    call = spawn(running.post(message, **session), name="a call")
    await record.until("slow")
    async with running.http.stream("GET", running.url, headers=headers) as stream:
        assert stream.status_code == 200
        await running.router.tokens.revoke(issued.summary.id)
        with suppress(httpx2.RemoteProtocolError):
            await stream.aread()
    assert (await call).status_code == 401
    await record.until("notifications/cancelled")
    record.close()


@pytest.mark.parametrize("version", [None, "2025-06-18"])
async def test_a_call_running_at_shutdown_gets_an_error(
    running: RunningRouter, tmp_path: Path, version: str | None
) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": SLOW_CALL}
    if version is None:
        call = spawn(running.post_modern("tools/call", SLOW_CALL), name="a call")
    else:
        _, session = await running.open_session(version)
        call = spawn(running.post(message, **session), name="a call")
    await record.until("slow")
    await running.router.stop()
    assert "Toolbooth is stopping." in (await call).text
    record.close()


async def test_a_call_whose_server_is_removed_says_so(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    ref = await running.add("My server", stdio_config("--record", str(record.path)))
    call = spawn(running.call("tool_execute", {"toolKey": "my_server:slow"}), name="a call")
    await record.until("slow")
    await running.router.servers.remove(ref)
    answer = await call
    assert answer["content"][0]["text"].startswith(
        "My server was removed while it was working on this."
    )
    assert answer["structuredContent"]["retryable"] is False
    record.close()


async def test_a_call_whose_server_is_switched_off_says_so(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    ref = await running.add("My server", stdio_config("--record", str(record.path)))
    call = spawn(running.call("tool_execute", {"toolKey": "my_server:slow"}), name="a call")
    await record.until("slow")
    await running.router.servers.set_enabled(ref, False)
    text = (await call)["content"][0]["text"]
    assert text.startswith("My server was turned off while it was working on this. Turn it on")
    record.close()


async def test_a_server_that_could_not_list_its_tools_says_why(running: RunningRouter) -> None:
    await running.add("Missing", ServerConfig(command="no-such-program"))
    answer = await running.call("tool_execute", {"toolKey": "missing:x"})
    assert "Command “no-such-program” not found." in answer["content"][0]["text"]
    assert answer["structuredContent"]["retryable"] is False
