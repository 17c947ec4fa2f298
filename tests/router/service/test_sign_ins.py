"""Signing in with the whole router: what the user sees, what a client gets, what is written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import httpx2
import keyring
import pytest

from router.api.events import ActivityRecorded, ServerStatusChanged, ToolsChanged
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput, Sentence
from router.domain.failures import FailureKind
from router.domain.ids import ServerId, ServerRef
from router.domain.servers import ServerState, ServerStatus
from tests.router.store.test_secrets import MemoryKeyring
from tests.servers.oauth_server import OAuthServer
from tests.support.running_router import PERSONAL, RunningRouter, running_router, stdio_config

NOTES = ServerRef(PERSONAL, ServerId("notes"))


@pytest.fixture(autouse=True)
def backend() -> Generator[MemoryKeyring]:
    before = keyring.get_keyring()
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def server() -> OAuthServer:
    return OAuthServer()


@pytest.fixture
def url(server: OAuthServer) -> Generator[str]:
    with server.served() as served:
        yield served


@pytest.fixture
async def running(tmp_path: Path, url: str) -> AsyncGenerator[RunningRouter]:
    async with running_router(tmp_path) as started:
        await started.add("Notes", ServerConfig(url=url))
        yield started


async def visit(url: str) -> None:
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get(url)


async def sign_in(running: RunningRouter) -> None:
    begun = await running.router.sign_ins.begin(NOTES)
    await asyncio.gather(visit(begun.authorization_url), running.router.sign_ins.ended(NOTES))


def status(running: RunningRouter) -> ServerStatus:
    return next(s for s in running.router.servers.list(PERSONAL) if s.id == NOTES.server)


async def test_tools_are_discovered_after_the_user_signs_in(
    running: RunningRouter, server: OAuthServer
) -> None:
    assert status(running).state is ServerState.NEEDS_SIGN_IN
    assert set(server.requests) == {"/mcp"}
    running.trace.clear()
    await sign_in(running)
    await running.trace.until(ToolsChanged)
    states = [e.status.state for e in running.trace.events if isinstance(e, ServerStatusChanged)]
    assert states[0] is ServerState.IDLE
    assert (status(running).failure, status(running).tool_count) == (None, 4)
    result = await running.call("tool_execute", {"toolKey": "notes:echo", "arguments": {"a": 1}})
    assert result["structuredContent"] == {"a": 1}


async def test_concurrent_requests_share_one_sign_in(running: RunningRouter) -> None:
    begun = await asyncio.gather(*(running.router.sign_ins.begin(NOTES) for _ in range(3)))
    assert len({each.authorization_url for each in begun}) == 1


async def test_without_a_sign_in_tools_stay_visible_and_a_call_says_what_to_do(
    running: RunningRouter, server: OAuthServer
) -> None:
    await sign_in(running)
    await running.router.sign_ins.sign_out(NOTES)
    server.requests.clear()
    found = await running.call("tool_discovery", {"query": ["echo"]})
    assert found["structuredContent"]["results"][0]["toolKey"] == "notes:echo"
    result = await running.call("tool_execute", {"toolKey": "notes:echo", "arguments": {}})
    assert result["isError"]
    assert "Sign in" in result["content"][0]["text"]
    assert "toolbooth sign-in" not in result["content"][0]["text"]
    assert status(running).state is ServerState.NEEDS_SIGN_IN
    assert server.requests.total() == 0


async def test_a_sign_in_that_fails_is_explained(
    running: RunningRouter, server: OAuthServer
) -> None:
    server.provider.denies = True
    begun = await running.router.sign_ins.begin(NOTES)
    await visit(begun.authorization_url)
    seen = await running.trace.until(
        ServerStatusChanged,
        lambda e: e.status.failure is not None and "access_denied" in e.status.failure.detail,
    )
    assert seen.status.state is ServerState.NEEDS_SIGN_IN
    assert seen.status.failure is not None
    assert seen.status.failure.kind is FailureKind.SIGN_IN_NEEDED
    assert isinstance(seen.status.failure.detail, Sentence)
    assert seen.status.failure.detail.template == "The sign-in was denied ({reason})."


async def test_a_configured_token_takes_precedence_over_a_sign_in(
    running: RunningRouter, server: OAuthServer, url: str
) -> None:
    await sign_in(running)
    [token] = server.provider.access
    server.requests.clear()
    config = ServerConfig(url=url, headers={"authorization": f"Bearer {token}"})
    ref = await running.add("Static", config)
    assert len(running.router.tools.list(ref)) == 4
    assert set(server.requests) == {"/mcp"}
    with pytest.raises(InvalidInput, match="token in its settings"):
        await running.router.sign_ins.begin(ref)


async def test_a_stdio_server_needs_no_sign_in(running: RunningRouter) -> None:
    server = await running.router.servers.add(PERSONAL, "Local", stdio_config(), consent=True)
    with pytest.raises(InvalidInput):
        await running.router.sign_ins.begin(ServerRef(PERSONAL, server))


async def test_no_secret_leaves_the_keyring(
    running: RunningRouter,
    server: OAuthServer,
    backend: MemoryKeyring,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="router")
    await sign_in(running)
    await running.call("tool_execute", {"toolKey": "notes:echo", "arguments": {}})
    await running.router.sign_ins.sign_out(NOTES)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("router")]
    outputs = written.decode("utf-8", "replace") + "".join(ours) + repr(running.trace.events)
    assert len(server.provider.issued) >= 4
    assert not [secret for secret in server.provider.issued if secret in outputs]


@pytest.mark.proves("META-9")
async def test_an_oauth_token_quoted_in_a_message_is_in_no_log_or_event(
    running: RunningRouter, server: OAuthServer, tmp_path: Path
) -> None:
    await sign_in(running)
    [token] = server.provider.access
    running.trace.clear()
    await running.call("tool_execute", {"toolKey": f"notes:{token}", "arguments": {}})
    recorded = await running.trace.until(ActivityRecorded)
    assert "***" in (recorded.entry.message or "")
    assert token not in repr(running.trace.events)
    assert running.router.redact(f"it was {token}") == "it was ***"


async def test_a_configured_client_secret_goes_to_the_keyring(
    running: RunningRouter, backend: MemoryKeyring, tmp_path: Path
) -> None:
    oauth = {"clientId": "by-hand", "clientSecret": "very-secret", "scopes": ["tools"]}
    config = ServerConfig.model_validate({"url": "https://mcp.invalid/", "oauth": oauth})
    await running.router.servers.add(PERSONAL, "Hand", config, consent=True)
    text = (tmp_path / "workspaces" / "personal" / "workspace.json").read_text()
    assert "very-secret" not in text
    assert "${keyring:personal/hand/clientSecret}" in text
    assert '"scopes"' in text
