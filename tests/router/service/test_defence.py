"""What a hostile or broken client can't do to the endpoint, nor to the others on it."""

from __future__ import annotations

import asyncio
import os

import httpx2
import pytest

from router.activity import ActivityKind
from router.gateway import connections, listener
from router.model import JsonObject
from tests.booth import children_of
from tests.fuzzing import fuzz
from tests.running import MODERN, Running

LIST: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def test_malformed_requests_are_refused_and_never_an_error_of_ours(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    statuses = await fuzz(running, 300, seed=1)
    assert not [status for status in statuses if status == 0 or status >= 500]
    assert not [record for record in caplog.records if record.exc_info]
    assert (await running.post_modern("tools/list")).status_code == 200


@pytest.mark.parametrize("key", ["Method", "METHOD", "method "])
async def test_a_method_by_another_spelling_is_no_method(running: Running, key: str) -> None:
    call = {"name": "tool_execute", "arguments": {"toolKey": "test:echo"}}
    message = {"jsonrpc": "2.0", "id": 1, key: "tools/call", "params": call}
    response = await running.post(message, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call")
    assert response.status_code == 400
    spelled_twice = {**message, "method": "ping"}
    response = await running.post(spelled_twice)
    assert "content" not in response.text
    assert not [e for e in running.router.recent_activity() if e.kind is ActivityKind.CALL]


async def test_many_wrong_tokens_are_slowed_down_and_nobody_else_is(running: Running) -> None:
    good = running.token
    before = len(running.router.recent_activity())
    wrong = [f"tbt_{number:08x}_{'x' * 43}" for number in range(100)]
    statuses = [(await running.post(LIST, token=token)).status_code for token in wrong]
    assert set(statuses) == {401, 429}
    assert statuses.count(401) == 20
    assert (await running.post_modern("tools/list", token=good)).status_code == 200
    assert len(running.router.recent_activity()) - before <= 22


async def test_a_request_whose_head_never_ends_is_closed(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_DEADLINE_S", 0.05)
    url = httpx2.URL(running.url)
    for said in (b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: "):
        reader, writer = await asyncio.open_connection(url.host, url.port)
        writer.write(said)
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()
    assert (await running.post_modern("tools/list")).status_code == 200


async def test_a_kept_connection_that_begins_a_request_must_end_it_too(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    host = url.netloc.decode()
    writer.write(f"GET /nowhere HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    async with asyncio.timeout(5):
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 404 " in head
        monkeypatch.setattr(connections, "HEAD_DEADLINE_S", 0.05)
        writer.write(b"GET /nowhere HTT")
        await reader.read()
    writer.close()


async def test_beyond_so_many_connections_new_ones_are_turned_away(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = httpx2.URL(running.url)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 2)
    opened = [await asyncio.open_connection(url.host, url.port) for _ in range(3)]
    async with asyncio.timeout(5):
        assert b" 503 " in await opened[-1][0].readline()
    for _, writer in opened:
        writer.close()
    monkeypatch.undo()
    assert (await running.post_modern("tools/list")).status_code == 200


async def test_no_route_but_the_endpoint_exists_and_none_starts_a_process(
    running: Running,
) -> None:
    before = children_of(os.getpid())
    command: JsonObject = {
        "command": "touch",
        "args": ["/tmp/x"],
        "env": {},
        "transportType": "stdio",
    }
    for path in ("/", "/sse", "/stdio", "/api/servers", "/mcp/servers", "/message", "/config"):
        address = str(httpx2.URL(running.url).copy_with(path=path))
        for method in ("GET", "POST", "PUT"):
            response = await running.http.request(
                method, address, json=command, headers=running.headers()
            )
            assert response.status_code in (404, 405), path
    assert children_of(os.getpid()) <= before


async def test_no_answer_invites_other_origins(running: Running) -> None:
    for method in ("OPTIONS", "GET", "POST"):
        response = await running.http.request(method, running.url, headers=running.headers())
        assert not [name for name in response.headers if name.startswith("access-control")]


async def test_an_unknown_session_is_not_found(running: Running) -> None:
    session = {"Mcp_Session_Id": "0" * 32, "MCP_Protocol_Version": "2025-06-18"}
    assert (await running.post(LIST, **session)).status_code == 404


def test_only_this_computer_is_listened_to() -> None:
    assert listener.HOST == "127.0.0.1"
