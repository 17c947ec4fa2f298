"""The rules of revision 2026-07-28: headers and body must agree, each request has its own meta, and
closing a stream cancels its request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from router.api.events import ActivityRecorded
from router.domain.activity import ActivityKind, Outcome
from router.domain.json_values import JsonObject
from router.domain.workspaces import Exposure
from tests.support.running_router import (
    MODERN,
    PERSONAL,
    STDIO_SERVER,
    Record,
    RunningRouter,
    stdio_config,
)

META: JsonObject = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "MCP_Protocol_Version": MODERN,
    "Mcp_Method": "tools/call",
    "Mcp_Name": "tool_execute",
}
ECHO: JsonObject = {"toolKey": "test:echo", "arguments": {}}


def message(meta: JsonObject | None = META, **params: Any) -> JsonObject:
    called = {"name": "tool_execute", "arguments": ECHO, **params}
    params = called if meta is None else {**called, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def refusal(response: httpx2.Response) -> int:
    """The code of the JSON-RPC error in a 400."""
    assert response.status_code == 400
    return response.json()["error"]["code"]


def calls(running: RunningRouter) -> int:
    return len([e for e in running.router.activity.recent() if e.kind is ActivityKind.CALL])


async def test_a_header_that_contradicts_the_body_is_refused(
    running: RunningRouter,
) -> None:
    for name, value in (
        ("Mcp_Method", "tools/list"),
        ("Mcp_Method", "TOOLS/CALL"),
        ("Mcp_Name", "tool_discovery"),
        ("Mcp_Name", ""),
        ("MCP_Protocol_Version", "2099-01-01"),
    ):
        assert refusal(await running.post(message(), **{**HEADERS, name: value})) == -32020
    assert calls(running) == 0


@pytest.mark.parametrize("times", [0, 2])
async def test_a_missing_or_duplicate_protocol_header_is_refused(
    running: RunningRouter, times: int
) -> None:
    good = running.headers(**{key.replace("_", "-"): value for key, value in HEADERS.items()})
    for name in ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"):
        others = [(key, value) for key, value in good.items() if key != name]
        headers = [*others, *[(name, value) for value in (good[name], "tools/list")[:times]]]
        response = await running.http.post(running.url, json=message(), headers=headers)
        assert refusal(response) in (-32020, -32600)
    assert calls(running) == 0


async def test_an_unknown_revision_is_answered_with_the_supported_ones(
    running: RunningRouter,
) -> None:
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    headers = {**HEADERS, "MCP_Protocol_Version": "2099-01-01"}
    response = await running.post(message(meta), **headers)
    assert refusal(response) == -32022
    assert MODERN in response.json()["error"]["data"]["supported"]


async def test_a_request_without_the_required_meta_is_refused(running: RunningRouter) -> None:
    whole = META.items()
    lacking = [{k: v for k, v in whole if not k.endswith(m)} for m in ("Version", "Capabilities")]
    for meta in (None, *lacking):
        assert refusal(await running.post(message(meta), **HEADERS)) == -32602
    assert calls(running) == 0


async def test_the_stateless_revision_opens_no_session(running: RunningRouter) -> None:
    response = await running.post(message(), **HEADERS, Mcp_Session_Id="made-up")
    assert response.status_code == 200
    assert "mcp-session-id" not in response.headers
    opening: JsonObject = {**message(), "method": "initialize", "params": {"_meta": META}}
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "initialize"}
    assert (await running.post(opening, **headers)).status_code == 404


async def test_parameters_mirrored_in_headers_must_match(
    running: RunningRouter, tmp_path: Path
) -> None:
    region = {"type": "string", "x-mcp-header": "Region"}
    schema = json.dumps({"type": "object", "properties": {"region": region}})
    script = tmp_path / "marked_server.py"
    script.write_text(STDIO_SERVER.read_text().replace('{"type": "object"}', schema))
    await running.add("Test", stdio_config(script=script))
    await running.router.projects.set_options(
        PERSONAL, None, optimization=None, exposure=Exposure.SEARCH
    )
    good = running.headers(
        **{"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "test__echo"}
    )

    async def status(arguments: JsonObject, *values: str) -> int:
        headers = [*good.items(), *(("Mcp-Param-Region", value) for value in values)]
        body = message(name="test__echo", arguments=arguments)
        return (await running.http.post(running.url, json=body, headers=headers)).status_code

    assert await status({"region": "eu"}, "eu") == 200
    assert await status({"region": "ü"}, "=?base64?w7w=?=") == 200
    assert await status({}) == 200
    for arguments, *values in (
        ({"region": "eu"}, "us"),
        ({"region": "eu"},),
        ({}, "eu"),
        ({"region": "eu"}, "eu", "us"),
        ({"region": "ü"}, "=?base64?%%?="),
    ):
        assert await status(arguments, *values) == 400
    assert calls(running) == 3


async def test_closing_the_stream_of_a_call_cancels_it_at_the_server(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    named = {key.replace("_", "-"): value for key, value in HEADERS.items()}
    body = message(arguments={"toolKey": "test:slow"})
    body["params"]["_meta"] = {**META, "progressToken": 1}
    async with running.http.stream(
        "POST", running.url, json=body, headers=running.headers(**named)
    ) as stream:
        assert stream.status_code == 200
        await record.until("slow")
    await record.until("notifications/cancelled")
    recorded = await running.trace.until(ActivityRecorded, lambda e: e.entry.tool == "slow")
    assert recorded.entry.outcome is Outcome.CANCELLED
    record.close()
