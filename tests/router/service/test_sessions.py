"""Upstreams per session or folder, and server requests that reach the right client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from router.bridge.command import encode_folder
from router.config.server import CLIENT_FOLDER, ServerConfig, Sharing
from router.domain.json_values import JsonObject
from router.gateway.session import sessions
from router.runtime.tasks import spawn
from router.wire.mcp import CLIENT_SESSION_HEADER, FOLDER_HEADER
from tests.servers.commands import ends_within
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving
from tests.support.running_router import PERSONAL, Record, RunningRouter, stdio_config
from tests.support.timeouts import WAIT_S

LEGACY, MODERN = "legacy", "2026-07-28"
BOTH = pytest.mark.parametrize("mode", [LEGACY, MODERN])


@asynccontextmanager
async def client_of(
    running: RunningRouter, mode: Any, headers: dict[str, str] | None = None, **options: Any
) -> AsyncGenerator[Client]:
    sent = {"Authorization": f"Bearer {running.token}", **(headers or {})}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=WAIT_S) as http,
        Client(
            streamable_http_client(running.url, http_client=http), mode=mode, **options
        ) as client,
    ):
        yield client


async def execute(client: Client, key: str, **arguments: Any) -> types.CallToolResult:
    return await client.call_tool("tool_execute", {"toolKey": key, "arguments": arguments})


async def process_of(client: Client, server: str) -> tuple[int, str]:
    """The process that serves this client, and its working directory."""
    content: Any = (await execute(client, f"{server}:env")).structured_content
    return content["pid"], content["cwd"]


def text_of(result: types.CallToolResult) -> str:
    return " ".join(block.text for block in result.content if isinstance(block, TextContent))


@pytest.mark.proves("PROG-9")
@BOTH
async def test_each_session_has_its_own_upstream_of_a_per_session_server(
    running: RunningRouter, mode: str
) -> None:
    await running.add("own", stdio_config(sharing=Sharing.PER_SESSION))
    await running.add("shared")
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(client_of(running, mode, {CLIENT_SESSION_HEADER: name}))
            for name in ("one", "two")
        ]
        own = [await process_of(client, "own") for client in (*clients, *clients)]
        shared = [await process_of(client, "shared") for client in clients]
    assert own[0] == own[2] != own[1] == own[3]
    assert shared[0] == shared[1]


@pytest.mark.proves("PROG-9")
async def test_an_upstream_of_a_session_ends_with_the_session(running: RunningRouter) -> None:
    await running.add("own", stdio_config(sharing=Sharing.PER_SESSION))
    async with client_of(running, LEGACY) as client:
        pid, _ = await process_of(client, "own")
    assert await asyncio.to_thread(ends_within, WAIT_S, pid)


@pytest.mark.proves("PROG-9")
async def test_beyond_the_instance_limit_sessions_get_an_error(running: RunningRouter) -> None:
    await running.add("own", stdio_config(sharing=Sharing.PER_SESSION, max_sessions=1))
    async with client_of(running, LEGACY) as one, client_of(running, LEGACY) as two:
        await process_of(one, "own")
        refused = await execute(two, "own:env")
    assert refused.is_error
    assert "Session limit reached" in text_of(refused)


@pytest.mark.proves("PROG-9")
@BOTH
async def test_a_server_works_in_the_folder_its_client_names(
    running: RunningRouter, mode: str, tmp_path: Path
) -> None:
    ref = await running.add("here", stdio_config(cwd=CLIENT_FOLDER))
    await running.router.servers.allow_folder(ref, str(tmp_path))
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    one, two = ({FOLDER_HEADER: str(folder)} for folder in folders)
    async with (
        client_of(running, mode, one) as first,
        client_of(running, mode, two) as second,
        client_of(running, mode, one) as third,
        client_of(running, mode) as lost,
    ):
        seen = [await process_of(client, "here") for client in (first, second, third)]
        refused = await execute(lost, "here:env")
    assert [folder for _, folder in seen] == [str(folders[0]), str(folders[1]), str(folders[0])]
    assert seen[0] == seen[2], "clients in the same folder share"
    assert FOLDER_HEADER in text_of(refused)


async def test_a_folder_is_read_as_the_bridge_sends_it(
    running: RunningRouter, tmp_path: Path
) -> None:
    folder = tmp_path / "100% Übung #1"
    folder.mkdir()
    ref = await running.add("here", stdio_config(cwd=CLIENT_FOLDER))
    await running.router.servers.allow_folder(ref, str(tmp_path))
    async with client_of(running, LEGACY, {FOLDER_HEADER: encode_folder(str(folder))}) as client:
        assert (await process_of(client, "here"))[1] == str(folder)


async def test_the_roots_of_a_client_decide_the_folder(
    running: RunningRouter, tmp_path: Path
) -> None:
    ref = await running.add("here", stdio_config(cwd=CLIENT_FOLDER))
    await running.router.servers.allow_folder(ref, str(tmp_path))

    async def roots(_: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate({"roots": [{"uri": tmp_path.as_uri()}]})

    async with client_of(running, LEGACY, list_roots_callback=roots) as client:
        assert (await process_of(client, "here"))[1] == str(tmp_path)


async def test_an_invalid_folder_is_refused_with_a_message(
    running: RunningRouter, tmp_path: Path
) -> None:
    for folder in (tmp_path / "missing", tmp_path / ("x" * 300)):
        answer = await running.post_modern("tools/list", Toolbooth_Folder=str(folder))
        assert "folder that exists" in answer.text


@pytest.mark.proves("META-8")
@pytest.mark.parametrize("server_is_modern", [False, True])
@BOTH
async def test_an_elicitation_reaches_the_client_in_every_pairing_of_eras(
    running: RunningRouter, mode: str, server_is_modern: bool
) -> None:
    with serving(conformance_app(modern_only=server_is_modern)) as url:
        await running.add("asks", ServerConfig(url=f"{url}/mcp"))
        async with client_of(running, mode, elicitation_callback=answer_name) as client:
            if server_is_modern:
                answer = await execute(client, "asks:test_input_required_result_elicitation")
                assert text_of(answer) == "Hello, ada!"
            else:
                answer = await execute(client, "asks:test_elicitation", message="Who?")
                assert "action=accept" in text_of(answer)


async def answer_name(
    _: ClientRequestContext, params: types.ElicitRequestParams
) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": "ada", "username": "ada"})


@pytest.mark.proves("META-8")
@pytest.mark.parametrize("server_is_modern", [False, True])
@BOTH
async def test_a_url_elicitation_reaches_the_client(
    running: RunningRouter, mode: str, server_is_modern: bool
) -> None:
    shown: list[str] = []

    async def show(_: ClientRequestContext, params: Any) -> types.ElicitResult:
        shown.append(params.url)
        return types.ElicitResult(action="accept")

    asking = "test_input_required_result_elicitation" if server_is_modern else "test_elicitation"
    page = "https://example.com/pay?id=1"
    with serving(conformance_app(modern_only=server_is_modern)) as url:
        await running.add("asks", ServerConfig(url=f"{url}/mcp"))
        async with client_of(running, mode, elicitation_callback=show) as client:
            answer = await execute(client, f"asks:{asking}", message="Pay", url=page)
    assert shown == [page]
    assert "action=accept" in text_of(answer)


async def test_a_client_with_form_elicitation_only_gets_no_url(running: RunningRouter) -> None:
    with serving(conformance_app()) as url:
        await running.add("asks", ServerConfig(url=f"{url}/mcp"))
        forms: JsonObject = {"elicitation": {}}
        capabilities = {"io.modelcontextprotocol/clientCapabilities": forms}
        arguments = {"message": "Pay", "url": "https://example.com/pay"}
        call: JsonObject = {"toolKey": "asks:test_elicitation", "arguments": arguments}
        params = {"name": "tool_execute", "arguments": call, "_meta": capabilities}
        answer = await running.post_modern("tools/call", params)
    assert "can't open pages" in answer.text


async def test_the_upstream_of_an_idle_modern_client_ends(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modern clients end no session: it expires when it was idle for a while."""
    monkeypatch.setattr(sessions, "_CHECK_INTERVAL_S", 0.05)
    await running.add("own", stdio_config(sharing=Sharing.PER_SESSION))
    async with client_of(running, MODERN) as client:
        pid, _ = await process_of(client, "own")
        again, _ = await process_of(client, "own")
        monkeypatch.setattr(sessions, "SESSION_IDLE_S", 0.0)
        assert await asyncio.to_thread(ends_within, WAIT_S, pid)
        new_pid, _ = await process_of(client, "own")
    assert pid == again != new_pid


@BOTH
async def test_a_client_without_elicitation_is_not_asked(running: RunningRouter, mode: str) -> None:
    with serving(conformance_app()) as url:
        await running.add("asks", ServerConfig(url=f"{url}/mcp"))
        async with client_of(running, mode) as client:
            with pytest.raises(MCPError, match="can't be asked for elicitation"):
                await execute(client, "asks:test_elicitation", message="Who?")


async def test_no_client_is_asked_when_a_shared_server_may_mean_two(
    running: RunningRouter, tmp_path: Path
) -> None:
    asked: list[str] = []
    record = Record(tmp_path)

    async def note(_: ClientRequestContext, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={})

    await running.add("shared", stdio_config("--record", str(record.path)))
    async with (
        client_of(running, LEGACY, elicitation_callback=note) as one,
        client_of(running, LEGACY, elicitation_callback=note) as two,
    ):
        slow = spawn(execute(one, "shared:slow"), name="slow")
        await record.until("slow")
        await execute(two, "shared:ask", method="elicitation/create")
        await record.until("answer")
        slow.cancel()
    assert asked == []
    record.close()


@pytest.mark.proves("META-8")
async def test_log_messages_reach_the_client_of_the_call(running: RunningRouter) -> None:
    received: list[Any] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        received.append(params.data)

    with serving(conformance_app()) as url:
        await running.add("logs", ServerConfig(url=f"{url}/mcp"))
        async with (
            client_of(running, LEGACY, logging_callback=note) as client,
            client_of(running, LEGACY, logging_callback=note),
        ):
            await execute(client, "logs:test_tool_with_logging")
    assert received == [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ]


@pytest.mark.proves("META-4")
async def test_clients_receive_list_changed_only_when_their_tools_change(
    running: RunningRouter,
) -> None:
    project = running.router.projects.list(PERSONAL)[0]
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=project.exposure
    )
    received = asyncio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            received.set()

    async with (
        client_of(running, LEGACY, message_handler=note) as client,
        client_of(running, MODERN) as modern,
        modern.listen(tools_list_changed=True) as changes,
    ):
        await client.list_tools()
        await running.add("new")
        async with asyncio.timeout(WAIT_S):
            await received.wait()
            assert "ToolsListChanged" in repr(await anext(aiter(changes)))


@pytest.mark.proves("META-4")
async def test_clients_receive_list_changed_when_a_setting_changes_their_tools(
    running: RunningRouter,
) -> None:
    async with (
        client_of(running, MODERN) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        before = await client.list_tools()
        offered = running.router.settings.current().offer_execute
        await running.router.settings.update({"offer_execute": not offered})
        async with asyncio.timeout(WAIT_S):
            assert "ToolsListChanged" in repr(await anext(aiter(changes)))
        assert await client.list_tools() != before


@pytest.mark.proves("PROG-9", "META-5")
async def test_a_server_runs_in_no_folder_that_the_user_has_not_allowed(
    running: RunningRouter, tmp_path: Path
) -> None:
    """What is in a client's folder can decide which code runs there, as for `python -m base`."""
    ref = await running.add("here", stdio_config(cwd=CLIENT_FOLDER))
    allowed, other, link = tmp_path / "allowed", tmp_path / "other", tmp_path / "allowed" / "link"
    for folder in (allowed / "below", other):
        folder.mkdir(parents=True)
    link.symlink_to(other)

    async def answer_in(folder: Path) -> str:
        async with client_of(running, LEGACY, {FOLDER_HEADER: str(folder)}) as client:
            return text_of(await execute(client, "here:env"))

    for folder in (allowed, allowed / "below", other, link):
        assert "nobody is there" in await answer_in(folder)
    await running.router.servers.allow_folder(ref, str(allowed))
    assert str(allowed / "below") in await answer_in(allowed / "below")
    for folder in (other, link, allowed / ".." / "other"):
        assert "nobody is there" in await answer_in(folder)
    changed = stdio_config("--noise", "1", cwd=CLIENT_FOLDER)
    await running.router.servers.update(ref, "here", changed, consent=True)
    await running.router.discovery.refresh(PERSONAL, ref.server)
    assert "nobody is there" in await answer_in(allowed / "below"), "allowed for another command"
