"""What a hostile or broken client can't do to the endpoint and its other clients."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

import httpx2
import keyring
import pytest
from pydantic import ValidationError

from router.config.settings import Settings
from router.domain.activity import ActivityKind
from router.domain.json_values import JsonObject
from router.domain.workspaces import Exposure
from router.gateway.http import connection_limits, failed_token_limiter
from tests.router.store.test_secrets import MemoryKeyring
from tests.support.fuzzer import fuzz
from tests.support.ports import HAS_IPV6
from tests.support.router_process import children_of
from tests.support.running_router import MODERN, PERSONAL, RunningRouter, stdio_config
from tests.support.timeouts import WAIT_S

ANOTHER_ADDRESS = "127.0.0.2"
"""Of this computer too, on any Linux: who listens at all addresses answers there."""
LIST: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


async def test_malformed_requests_are_refused_without_an_internal_error(
    running: RunningRouter, caplog: pytest.LogCaptureFixture
) -> None:
    statuses = await fuzz(running, 300, seed=1)
    assert not [status for status in statuses if status == 0 or status >= 500]
    assert not [record for record in caplog.records if record.exc_info]
    assert (await running.post_modern("tools/list")).status_code == 200


@pytest.mark.parametrize("key", ["Method", "METHOD", "method "])
async def test_the_method_key_is_matched_exactly(running: RunningRouter, key: str) -> None:
    call = {"name": "tool_execute", "arguments": {"toolKey": "test:echo"}}
    message = {"jsonrpc": "2.0", "id": 1, key: "tools/call", "params": call}
    response = await running.post(message, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call")
    assert response.status_code == 400
    spelled_twice = {**message, "method": "ping"}
    response = await running.post(spelled_twice)
    assert "content" not in response.text
    assert not [e for e in running.router.activity.recent() if e.kind is ActivityKind.CALL]


async def test_many_wrong_tokens_are_throttled_and_valid_ones_are_not(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failed_token_limiter, "_WINDOW_S", 3600)  # however long this takes
    good = running.token
    before = len(running.router.activity.recent())
    wrong = [f"tbt_{number:08x}_{'x' * 43}" for number in range(100)]
    statuses = [(await running.post(LIST, token=token)).status_code for token in wrong]
    assert set(statuses) == {401, 429}
    assert statuses.count(401) == 20
    assert (await running.post_modern("tools/list", token=good)).status_code == 200
    assert len(running.router.activity.recent()) - before <= 22


async def test_a_request_with_an_endless_head_is_closed(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "HEAD_DEADLINE_S", 0.05)
    url = httpx2.URL(running.url)
    for head_start in (b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: "):
        reader, writer = await asyncio.open_connection(url.host, url.port)
        writer.write(head_start)
        async with asyncio.timeout(WAIT_S):
            assert await reader.read() == b""
        writer.close()
    monkeypatch.undo()  # a busy machine may need longer than that
    assert (await running.post_modern("tools/list")).status_code == 200


async def test_the_size_of_a_request_head_is_bounded(running: RunningRouter) -> None:
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 1_000_000)
    async with asyncio.timeout(WAIT_S):
        with suppress(ConnectionError):  # unread data makes it a reset
            assert await reader.read() == b""
    writer.close()


async def test_a_request_on_a_kept_alive_connection_times_out_too(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    host = url.netloc.decode()
    writer.write(f"GET /nowhere HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    async with asyncio.timeout(WAIT_S):
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 404 " in head
        monkeypatch.setattr(connection_limits, "HEAD_DEADLINE_S", 0.05)
        writer.write(b"GET /nowhere HTT")
        await reader.read()
    writer.close()


async def test_beyond_the_connection_limit_new_ones_are_refused(
    running: RunningRouter,
) -> None:
    url = httpx2.URL(running.url)
    await running.router.settings.update({"session_limit": 1})
    opened = [await asyncio.open_connection(url.host, url.port) for _ in range(3)]
    async with asyncio.timeout(WAIT_S):
        refusal = await opened[-1][0].read()
    assert b" 503 " in refusal
    assert b"raise sessionLimit" in refusal
    for _, writer in opened:
        writer.close()
    await running.router.settings.update({"session_limit": 2})
    assert (await running.post_modern("tools/list")).status_code == 200


ROUTES = (
    *("/", "/sse", "/stdio", "/message", "/config", "/docs", "/openapi.json", "/health"),
    *("/api/servers", "/api/mcp/test", "/mcp/servers", "/mcp-rest/test/connection", "/proxy"),
)


async def test_no_route_but_the_endpoint_exists_and_none_starts_a_process(
    running: RunningRouter, tmp_path: Path
) -> None:
    """As inspectors and gateways were attacked that started any configuration on request."""
    before = children_of(os.getpid())
    made = tmp_path / "made"
    command: JsonObject = {
        "command": "touch",
        "args": [str(made)],
        "env": {},
        "transportType": "stdio",
    }
    for path in ROUTES:
        address = str(httpx2.URL(running.url).copy_with(path=path))
        for method in ("GET", "POST", "PUT"):
            response = await running.http.request(
                method, address, json=command, params=command, headers=running.headers()
            )
            assert response.status_code in (404, 405), path
    for method in ("servers/add", "config/test", "initialize", "tools/call", "server/discover"):
        params = {**command, "name": "tool_execute", "arguments": command, "mcpServers": command}
        await running.post_modern(method, params)
    assert children_of(os.getpid()) <= before
    assert not made.exists()


async def test_no_response_allows_other_origins(running: RunningRouter) -> None:
    for method in ("OPTIONS", "GET", "POST"):
        response = await running.http.request(method, running.url, headers=running.headers())
        assert not [name for name in response.headers if name.startswith("access-control")]
        assert ("allow" in response.headers) == (response.status_code == 405)


async def test_a_client_that_never_ends_its_sessions_does_not_evict_others(
    running: RunningRouter,
) -> None:
    await running.router.settings.update({"session_limit": 4})
    quiet = await running.router.tokens.issue("Quiet", None, None)
    _, mine = await running.open_session("2025-06-18", token=quiet.secret)
    theirs = [(await running.open_session("2025-06-18"))[1] for _ in range(10)]
    kept = [(await running.post(LIST, **session)).status_code for session in theirs]
    assert kept == [404] * 7 + [200] * 3
    assert (await running.post(LIST, token=quiet.secret, **mine)).status_code == 200


async def test_a_session_in_use_is_never_ended_for_a_new_one(
    running: RunningRouter,
) -> None:
    await running.router.settings.update({"session_limit": 1})
    _, session = await running.open_session("2025-06-18")
    named = {name.replace("_", "-"): value for name, value in session.items()}
    headers = running.headers(**named)
    async with running.http.stream("GET", running.url, headers=headers) as standalone:
        assert standalone.status_code == 200
        params: JsonObject = {"protocolVersion": "2025-06-18", "capabilities": {}}
        opening: JsonObject = {**LIST, "method": "initialize", "params": params}
        assert (await running.post(opening)).status_code == 503
        assert (await running.post(LIST, **session)).status_code == 200


async def test_an_unknown_session_is_not_found(running: RunningRouter) -> None:
    session = {"Mcp_Session_Id": "0" * 32, "MCP_Protocol_Version": "2025-06-18"}
    assert (await running.post(LIST, **session)).status_code == 404


async def test_the_endpoint_listens_on_loopback_only(running: RunningRouter) -> None:
    port = httpx2.URL(running.url).port
    assert port is not None
    assert listening_addresses(port) == {"127.0.0.1", *(["::1"] if HAS_IPV6 else [])}
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(ANOTHER_ADDRESS, port)


@pytest.mark.parametrize("key", ["host", "address", "bind", "listen"])
def test_no_setting_exposes_the_endpoint_to_other_computers(key: str) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({key: "0.0.0.0"})


def listening_addresses(port: int) -> set[str]:
    """The addresses with a listener on `port`, as the kernel reports them."""
    rows = [
        line.split()
        for table in Path("/proc/net").glob("tcp*")
        for line in table.read_text().splitlines()[1:]
    ]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]  # LISTEN
    return {address_in(written) for written, at in places if int(at, 16) == port}


def address_in(written: str) -> str:
    words = [int(written[at : at + 8], 16) for at in range(0, len(written), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, struct.pack(f"={len(words)}I", *words))


async def test_a_wrong_token_is_refused_before_the_body_is_read(running: RunningRouter) -> None:
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    headers = {**running.headers("tbt_00000000_wrong"), "Content-Length": "4000000"}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    host = url.netloc.decode()
    writer.write("\r\n".join(["POST /mcp HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode())
    async with asyncio.timeout(WAIT_S):
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
    writer.close()
    assert head.startswith(b"http/1.1 401 ")
    assert b"www-authenticate: bearer" in head


class WatchedKeyring(MemoryKeyring):
    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def get_password(self, service: str, username: str) -> str | None:
        self.read.append(username)
        return super().get_password(service, username)


async def test_without_a_token_no_secret_and_no_server_is_touched(running: RunningRouter) -> None:
    """As gateways that served clients without a token with the servers' own credentials."""
    before, watched = keyring.get_keyring(), WatchedKeyring()
    keyring.set_keyring(watched)
    call = {"name": "tool_execute", "arguments": {"toolKey": "test:echo"}}
    try:
        await running.add("Test", stdio_config(env={"API_TOKEN": "s3cret-value"}))
        watched.read.clear()
        processes = children_of(os.getpid())
        for token in ("", "tbt_00000000_wrong"):
            refused = await running.post_modern("tools/call", call, token=token)
            assert refused.status_code == 401
        assert watched.read == []
        assert children_of(os.getpid()) <= processes
        await running.post_modern("tools/call", call)
        assert watched.read
    finally:
        keyring.set_keyring(before)


DUPLICATES = (
    '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1},"params":{"b":2}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_execute",'
    '"arguments":{"toolKey":"test:echo","toolKey":"test:crash"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"token":"a","token":"b"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[[{"a":[{"b":1,"b":1}]}]]}}',
)


async def test_a_key_that_appears_twice_anywhere_is_refused(running: RunningRouter) -> None:
    large = '{"x":"%s","y":1,"y":1}' % ("x" * 100_000)
    for body in (*DUPLICATES, large):
        response = await running.http.post(running.url, content=body, headers=running.headers())
        assert response.status_code == 400, body
        assert "appears twice" in response.json()["error"]["message"]


async def test_lookalike_hosts_are_refused(running: RunningRouter) -> None:
    """As names that resolve to loopback, and hosts that a lenient parser takes for ours."""
    url = httpx2.URL(running.url)
    ours = url.netloc.decode()
    hosts = [
        *("", "evil.example", f"evil.example:{url.port}", "127.0.0.1", "localhost", "127.0.0.1:80"),
        *(f"{ours}.evil.example", f"{ours}@evil.example", f"evil.example@{ours}", f"{ours}/mcp"),
        *(f"0.0.0.0:{url.port}", f"127.1:{url.port}", f"2130706433:{url.port}", f"{ours}, {ours}"),
        *(f"LOCALHOST.evil:{url.port}", f"localhost.:{url.port}", f"[::ffff:127.0.0.1]:{url.port}"),
    ]
    for host in hosts:
        for method, path in (("POST", url.path), ("GET", "/nowhere"), ("DELETE", url.path)):
            headers = running.headers(Host=host)
            response = await running.http.request(
                method, str(url.copy_with(path=path)), headers=headers
            )
            assert response.status_code in (400, 421), host


async def test_the_scope_of_a_token_is_never_visible_to_another(running: RunningRouter) -> None:
    mine, other = await running.add("Mine"), await running.add("Other")
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=Exposure.SEARCH
    )
    issue = running.router.tokens.issue
    tokens = {
        ref.server: await issue(ref.server, PERSONAL, None, servers=[ref.server])
        for ref in (mine, other)
    }
    for _ in range(3):
        for server, issued in tokens.items():
            result = (await running.modern("tools/list", token=issued.secret))["result"]
            assert result["cacheScope"] == "private"
            names = [tool["name"] for tool in result["tools"]]
            assert names == sorted(names)
            assert {name.split("__")[0] for name in names} == {server}
