"""The endpoint over real HTTP: authentication, revisions, and what clients see."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from router.api.events import ActivityRecorded
from router.domain.activity import ActivityKind, Outcome
from router.domain.endpoint import ListenerPhase
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject
from router.domain.workspaces import Exposure
from router.gateway.http import request_checks
from router.runtime.tasks import spawn
from router.service import Router
from tests.support.ports import reserved_port
from tests.support.running_router import (
    PERSONAL,
    STDIO_SERVER,
    Record,
    RunningRouter,
    read_answer,
    stdio_config,
)
from tests.support.timeouts import WAIT_S

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
OLD_REVISIONS = ("2025-03-26", "2025-06-18", "2025-11-25")


async def first_line(
    running: RunningRouter, method: str, headers: Iterable[tuple[str, str]]
) -> bytes:
    """The status line of the response to a request no HTTP client would send."""
    url = httpx2.URL(running.url)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    lines = [f"{method} {url.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        async with asyncio.timeout(WAIT_S):
            return await reader.readline()
    finally:
        writer.close()


@pytest.mark.proves("CARD-3", "CARD-6", "META-1")
@pytest.mark.parametrize("version", OLD_REVISIONS)
async def test_each_legacy_revision_is_served_with_the_two_tools(
    running: RunningRouter, version: str
) -> None:
    result, session = await running.open_session(version)
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "toolbooth"
    answer = read_answer(await running.post(LIST, **session))
    assert [t["name"] for t in answer["result"]["tools"]] == ["tool_discovery", "tool_execute"]
    assert "ttlMs" not in answer["result"]


@pytest.mark.proves("CARD-3", "CARD-6", "META-1")
async def test_the_modern_revision_is_served_without_a_session(running: RunningRouter) -> None:
    result = (await running.modern("tools/list"))["result"]
    assert [tool["name"] for tool in result["tools"]] == ["tool_discovery", "tool_execute"]
    assert result["resultType"] == "complete"
    assert result["cacheScope"] == "private"


@pytest.mark.proves("META-1")
async def test_two_listings_are_the_same_bytes(running: RunningRouter) -> None:
    first = await running.post_modern("tools/list")
    await running.add("Test")
    second = await running.post_modern("tools/list")
    assert first.content == second.content


async def test_instructions_name_the_servers_in_every_revision(running: RunningRouter) -> None:
    await running.add("Test")
    old, _ = await running.open_session("2025-06-18")
    new = (await running.modern("server/discover"))["result"]
    assert old["instructions"] == new["instructions"]
    assert "- test (" in old["instructions"]


@pytest.mark.proves("META-3")
async def test_a_result_passes_unchanged_in_legacy_and_modern_revisions(
    running: RunningRouter,
) -> None:
    await running.add("Test")
    odd = {
        "content": [{"type": "text", "text": "ü", "_meta": {"a": None}}, {"type": "x/unknown"}],
        "structuredContent": {"none": None, "deep": [1, {"b": None}]},
        "_meta": {"vendor/x": [None]},
        "somethingNew": {"y": None},
    }
    arguments = {"toolKey": "test:raw", "arguments": {"result": odd}}
    new = await running.call("tool_execute", arguments)
    stamp = new["_meta"].pop("io.modelcontextprotocol/serverInfo")
    assert stamp["name"] == "toolbooth"
    assert new.pop("resultType") == "complete"
    assert new == odd
    _, session = await running.open_session("2025-06-18")
    call = {"name": "tool_execute", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
    old = read_answer(await running.post(message, **session))
    assert old["result"] == odd


@pytest.mark.proves("META-3")
async def test_progress_reaches_the_client(running: RunningRouter) -> None:
    await running.add("Test")
    arguments = {"toolKey": "test:progress", "arguments": {"steps": 3}}
    params = {"name": "tool_execute", "arguments": arguments, "_meta": {"progressToken": "p"}}
    response = await running.post_modern("tools/call", params)
    lines = [line for line in response.text.splitlines() if line.startswith("data:")]
    messages = [json.loads(line.removeprefix("data:")) for line in lines]
    progress = [m["params"] for m in messages if m.get("method") == "notifications/progress"]
    assert [p["progress"] for p in progress] == [0, 1, 2, 3]
    assert progress[0]["message"] == "Starting Test…"
    assert {p["progressToken"] for p in progress} == {"p"}


@pytest.mark.proves("META-3")
async def test_a_cancelled_call_is_cancelled_at_the_server(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    call = spawn(running.call("tool_execute", {"toolKey": "test:slow"}), name="a call")
    await record.until("slow")
    call.cancel()
    await record.until("notifications/cancelled")
    recorded = await running.trace.until(ActivityRecorded, lambda e: e.entry.tool == "slow")
    assert recorded.entry.outcome is Outcome.CANCELLED
    record.close()


@pytest.mark.proves("META-6", "META-9")
@pytest.mark.parametrize("token", ["", "tbt_00000000_wrong", "nonsense"])
async def test_without_a_valid_token_every_request_is_refused(
    running: RunningRouter, token: str
) -> None:
    response = await running.post(LIST, token=token)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    await running.post(LIST, token=token)
    entry, other = running.router.activity.recent()[:2]
    assert (entry.kind, entry.outcome) == (ActivityKind.REFUSED, Outcome.DENIED)
    assert entry.request_id == entry.trace_id != other.request_id
    assert entry.request_id
    assert other.request_id


@pytest.mark.proves("META-6")
async def test_a_token_in_meta_works_like_one_in_the_header(running: RunningRouter) -> None:
    params = {"_meta": {"token": running.token}}
    response = await running.post_modern("tools/list", params, token="")
    assert response.status_code == 200
    wrong = {"_meta": {"token": "tbt_x_y"}}
    assert (await running.post_modern("tools/list", wrong, token="")).status_code == 401
    assert (await running.post_modern("tools/list", params)).status_code == 200
    assert (await running.post_modern("tools/list", wrong)).status_code == 403


MALFORMED_META: list[object] = [
    {"projectId": 7},
    {"projectId": ["home"]},
    {"projectId": {}},
    {"projectId": True},
    {"token": 7},
    {"token": []},
    [],
    "home",
    7,
    None,
]


@pytest.mark.proves("META-6")
@pytest.mark.parametrize("meta", MALFORMED_META, ids=json.dumps)
async def test_a_malformed_meta_never_widens_the_scope(
    running: RunningRouter, meta: object
) -> None:
    await running.router.projects.create(PERSONAL, "home", None)
    message = {**LIST, "params": {"_meta": meta}}
    _, session = await running.open_session("2025-06-18")
    _, batching = await running.open_session("2025-03-26")
    named = {name.replace("_", "-"): value for name, value in batching.items()}
    batch = await running.http.post(running.url, json=[message], headers=running.headers(**named))
    responses = [
        await running.post(message, **session),
        await running.post(message),
        await running.post(message, token=""),
        await running.post(message, path="/w/personal/p/home", token=""),
        batch,
    ]
    assert {response.status_code for response in responses} == {400}
    assert "_meta" in responses[0].json()["error"]["message"]


@pytest.mark.proves("META-6")
async def test_a_project_of_null_in_meta_is_none(running: RunningRouter) -> None:
    params = {"_meta": {"projectId": None, "token": None}}
    assert (await running.post_modern("tools/list", params)).status_code == 200
    assert (await running.post_modern("tools/list", params, token="")).status_code == 401


@pytest.mark.proves("META-6")
async def test_a_revoked_token_stops_working(running: RunningRouter) -> None:
    issued = await running.router.tokens.issue("Gone", None, None)
    assert (await running.post_modern("tools/list", token=issued.secret)).status_code == 200
    await running.router.tokens.revoke(TokenId(issued.summary.id))
    assert (await running.post_modern("tools/list", token=issued.secret)).status_code == 401


@pytest.mark.proves("META-6")
async def test_a_token_bound_to_one_workspace_is_refused_in_another(running: RunningRouter) -> None:
    await running.router.workspaces.create("Work")
    issued = await running.router.tokens.issue("Home", PERSONAL, None)
    answer = await running.post_modern("tools/list", path="/w/work", token=issued.secret)
    assert answer.status_code == 403


@pytest.mark.proves("META-6")
async def test_header_and_meta_that_name_different_projects_are_refused(
    running: RunningRouter,
) -> None:
    await running.router.projects.create(PERSONAL, "a", None)
    await running.router.projects.create(PERSONAL, "b", None)
    params = {"_meta": {"projectId": "a"}}
    good = await running.post_modern("tools/list", params, Toolbooth_Project="a")
    bad = await running.post_modern("tools/list", params, Toolbooth_Project="b")
    assert (good.status_code, bad.status_code) == (200, 403)


@pytest.mark.proves("META-5", "META-6")
async def test_a_token_for_some_servers_finds_and_runs_nothing_of_the_others(
    running: RunningRouter,
) -> None:
    mine, other = await running.add("Mine"), await running.add("Other")
    issued = await running.router.tokens.issue("Narrow", PERSONAL, None, servers=[mine.server])
    query_arguments = {"query": ["echo", f"{other.server}:echo"]}
    found = await running.call("tool_discovery", query_arguments, token=issued.secret)
    keys = {hit["toolKey"] for hit in found["structuredContent"]["results"]}
    assert keys
    assert all(key.startswith("mine:") for key in keys)
    refused = await running.call("tool_execute", {"toolKey": "other:echo"}, token=issued.secret)
    assert "no tool other:echo" in refused["content"][0]["text"]
    assert not (
        await running.call("tool_execute", {"toolKey": "mine:echo"}, token=issued.secret)
    ).get("isError")


async def test_one_token_cannot_use_another_tokens_session(running: RunningRouter) -> None:
    _, session = await running.open_session("2025-06-18")
    other = await running.router.tokens.issue("Other", None, None)
    named = {name.replace("_", "-"): value for name, value in session.items()}
    for method, body in (("POST", LIST), ("GET", None), ("DELETE", None)):
        headers = running.headers(other.secret, **named)
        response = await running.http.request(method, running.url, json=body, headers=headers)
        assert response.status_code == 404
    assert (await running.post(LIST, **session)).status_code == 200


async def test_an_open_endpoint_needs_no_token(running: RunningRouter) -> None:
    await running.router.settings.update({"open_endpoint": True})
    assert (await running.post_modern("tools/list", token="")).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["null", "http://localhost.evil.com", "http://127.0.0.1:1", "https://example.com", "@evil"],
)
@pytest.mark.parametrize("path", ["", "/w/personal", "/anything"])
async def test_a_foreign_origin_is_refused_everywhere(
    running: RunningRouter, origin: str, path: str
) -> None:
    here = running.url.removesuffix("/mcp")
    origin = f"{here}@evil" if origin == "@evil" else origin
    for method in ("POST", "GET", "DELETE", "OPTIONS"):
        headers = running.headers(Origin=origin)
        response = await running.http.request(method, running.url + path, headers=headers)
        assert response.status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp/w/personal",
        "/.well-known/oauth-authorization-server",
        "/mcp/.well-known/openid-configuration",
        "/register",
    ],
)
@pytest.mark.parametrize("origin", [None, "vscode-file://vscode-app"])
async def test_a_client_that_looks_for_oauth_metadata_finds_none(
    running: RunningRouter, path: str, origin: str | None
) -> None:
    url = running.url.removesuffix("/mcp") + path
    headers = {"Accept": "application/json", **({"Origin": origin} if origin else {})}
    before = running.router.activity.recent()
    for method in ("GET", "POST"):
        assert (await running.http.request(method, url, headers=headers)).status_code == 404
    assert running.router.activity.recent() == before


async def test_a_client_that_asks_how_it_is_refused_is_not_recorded(running: RunningRouter) -> None:
    before = running.router.activity.recent()
    probe = await running.http.get(running.url, headers={"Accept": "application/json"})
    assert probe.status_code == 406
    assert running.router.activity.recent() == before
    stream = await running.http.get(running.url, headers={"Accept": "text/event-stream"})
    assert stream.status_code == 401


@pytest.mark.parametrize(
    "method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
)
async def test_a_cursor_that_was_never_given_is_refused(
    running: RunningRouter, method: str
) -> None:
    _, session = await running.open_session("2025-11-25")
    for cursor in ("bogus", 7):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"cursor": cursor}}
        legacy = await running.post(message, **session)
        assert legacy.json()["error"]["code"] == -32602
        modern = await running.post_modern(method, {"cursor": cursor})
        assert modern.json()["error"]["code"] == -32602
    for none in (None, ""):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"cursor": none}}
        assert "result" in (await running.post(message, **session)).json()


async def test_a_foreign_host_is_refused(running: RunningRouter) -> None:
    response = await running.post(LIST, Host="evil.example")
    assert response.status_code == 421


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
async def test_only_json_is_accepted(running: RunningRouter, content_type: str) -> None:
    headers = running.headers(None) | {"Content-Type": content_type}
    response = await running.http.post(running.url, content=json.dumps(LIST), headers=headers)
    assert response.status_code == 415


async def test_a_token_in_the_url_is_refused(running: RunningRouter) -> None:
    response = await running.post(LIST, path=f"?token={running.token}")
    assert response.status_code == 400


async def test_an_endless_body_is_refused(running: RunningRouter) -> None:
    headers = running.headers()
    response = await running.http.post(running.url, content=b" " * 5_000_000, headers=headers)
    assert response.status_code == 413


async def test_a_missing_body_times_out(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_checks, "BODY_DEADLINE_S", 0.01)
    headers = running.headers(
        **{"Content-Length": "9", "Host": httpx2.URL(running.url).netloc.decode()}
    )
    assert b" 408 " in await first_line(running, "POST", headers.items())


async def test_a_port_in_use_is_reported_and_never_replaced_by_another(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        router = Router(tmp_path, port=port)
        await router.start()
        try:
            state = router.endpoint.state()
            assert state.phase is ListenerPhase.FAILED
            assert state.url is None
            assert f"Port {port} is already in use" in (state.message or "")
        finally:
            await router.stop()


async def test_a_changed_port_applies_at_once(running: RunningRouter) -> None:
    before = running.url
    port = reserved_port()
    await running.router.settings.update({"port": port})
    assert running.url == f"http://127.0.0.1:{port}/mcp" != before
    assert (await running.modern("tools/list"))["result"]["tools"]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
async def test_a_number_that_is_not_json_is_refused(running: RunningRouter, number: str) -> None:
    body = f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{number}}}}}'
    response = await running.http.post(running.url, content=body, headers=running.headers())
    assert response.status_code == 400
    assert number in response.json()["error"]["message"]


@pytest.mark.parametrize("name", ["Origin", "Authorization", "Toolbooth-Project"])
async def test_a_duplicate_security_header_is_refused(running: RunningRouter, name: str) -> None:
    headers = [*running.headers().items(), (name, "a"), (name, "b")]
    response = await running.http.post(running.url, json=LIST, headers=headers)
    assert response.status_code == 400


async def test_whitespace_around_a_header_value_is_ignored(running: RunningRouter) -> None:
    host = httpx2.URL(running.url).netloc.decode()
    spaced = [(name, f" \t {value} \t") for name, value in running.headers(Host=host).items()]
    answer = await first_line(running, "GET", spaced)
    assert b" 400 " in answer  # it names no session, but its token is valid


async def test_two_host_headers_are_refused(running: RunningRouter) -> None:
    hosts = [("Host", httpx2.URL(running.url).netloc.decode()), ("Host", "evil.example")]
    assert b" 400 " in await first_line(running, "GET", hosts)


async def test_a_stream_that_cannot_be_resumed_starts_over(running: RunningRouter) -> None:
    _, session = await running.open_session("2025-06-18")
    sent = {key.replace("_", "-"): value for key, value in session.items()}
    headers = running.headers(**sent, **{"Last-Event-ID": "1"})
    async with running.http.stream("GET", running.url, headers=headers) as stream:
        assert stream.status_code == 200


def nested(levels: int) -> JsonObject:
    return {"a": nested(levels - 1)} if levels else {}


async def test_a_result_at_the_depth_limit_reaches_clients_of_every_revision(
    running: RunningRouter,
) -> None:
    await running.add("Test")
    result: JsonObject = {"content": [], "structuredContent": nested(194)}
    arguments: JsonObject = {"toolKey": "test:raw", "arguments": {"result": result}}
    new = await running.call("tool_execute", arguments)
    assert new["structuredContent"] == result["structuredContent"]
    _, session = await running.open_session("2025-06-18")
    params = {"name": "tool_execute", "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    old = read_answer(await running.post(message, **session))
    assert old["result"] == result


async def test_a_schema_at_the_depth_limit_is_listed_in_every_revision(
    running: RunningRouter, tmp_path: Path
) -> None:
    script = tmp_path / "deep_server.py"
    deep = json.dumps(nested(195)).replace('"a"', '"items"')
    source = STDIO_SERVER.read_text().replace('{"type": "object"}', deep)
    script.write_text(source)
    await running.add("Test", stdio_config(script=script))
    asked: dict[str, Any] = {"name": "tool_discovery", "arguments": {"query": ["test:echo"]}}
    new = await running.call(asked["name"], asked["arguments"])
    _, session = await running.open_session("2025-06-18")
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": asked}
    old = read_answer(await running.post(message, **session))["result"]
    for result in (old, new):
        assert result["structuredContent"]["results"][0]["inputSchema"] == {
            **json.loads(deep),
            "type": "object",
        }
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=Exposure.SEARCH
    )
    listed = [
        (await running.modern("tools/list"))["result"],
        read_answer(await running.post(LIST, **session))["result"],
    ]
    for listing in listed:
        assert listing["tools"][0]["inputSchema"]["items"] == json.loads(deep)["items"]
