"""The complete path: real servers are added, real clients find and run their tools."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp_types import CallToolResult, TextContent

from tests.servers.commands import ends_within
from tests.support.router_process import RouterProcess, children_of, connected
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
TOKYO = {"toolKey": "time:get_current_time", "arguments": {"timezone": "Asia/Tokyo"}}


def text_of(result: CallToolResult) -> str:
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


def hits_of(result: CallToolResult) -> list[dict[str, Any]]:
    content: Any = result.structured_content
    return content["results"]


@pytest.mark.proves("CARD-3", "CARD-6", "META-1", "META-2", "META-3")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_real_client_finds_and_runs_tools_of_real_servers(
    shared_router: RouterProcess, token: str, listed: Path, mode: str
) -> None:
    async with connected(shared_router.url, token, mode) as client:
        offered = await client.list_tools()
        assert [tool.name for tool in offered.tools] == ["tool_discovery", "tool_execute"]
        found = await client.call_tool(
            "tool_discovery", {"query": ["read a text file", "what time is it in a timezone"]}
        )
        keys = [hit["toolKey"] for hit in hits_of(found)]
        assert {"files:read_text_file", "time:get_current_time"} <= set(keys)
        path = str(listed / "note.txt")
        arguments = {"toolKey": "files:read_text_file", "arguments": {"path": path}}
        read = await client.call_tool("tool_execute", arguments)
        assert "under the mat" in text_of(read)
        time = await client.call_tool("tool_execute", TOKYO)
        assert "Asia/Tokyo" in text_of(time)


@pytest.mark.proves("META-3")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_of_a_real_server_reaches_a_real_client(
    shared_router: RouterProcess, token: str, mode: str
) -> None:
    steps: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(progress)

    arguments = {
        "toolKey": "everything:trigger-long-running-operation",
        "arguments": {"duration": 0.4, "steps": 2},
    }
    async with connected(shared_router.url, token, mode) as client:
        await client.call_tool("tool_execute", arguments, progress_callback=note)
    assert steps[-2:] == [1, 2], "before them may come that the server is starting"


@pytest.mark.proves("CARD-6")
def test_plain_http_of_the_2025_06_18_revision_works(
    shared_router: RouterProcess, token: str
) -> None:
    accept = "application/json, text/event-stream"
    headers = {"Authorization": f"Bearer {token}", "Accept": accept}
    with httpx2.Client(headers=headers, timeout=WAIT_S) as http:

        def post(message: dict[str, Any], **more: str) -> httpx2.Response:
            return http.post(shared_router.url, json={"jsonrpc": "2.0", **message}, headers=more)

        info = {"name": "raw", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        opened = post({"id": 1, "method": "initialize", "params": hello})
        session = {
            "Mcp-Session-Id": opened.headers["mcp-session-id"],
            "MCP-Protocol-Version": "2025-06-18",
        }
        assert post({"method": "notifications/initialized"}, **session).status_code == 202
        call = {"name": "tool_execute", "arguments": TOKYO}
        answer = post({"id": 2, "method": "tools/call", "params": call}, **session)
        assert "Asia/Tokyo" in answer.text
        ended = http.delete(shared_router.url, headers=session)
        assert ended.status_code == 200
        assert post({"id": 3, "method": "tools/list"}, **session).status_code == 404


@pytest.mark.proves("META-4")
async def test_with_optimization_off_a_client_sees_all_tools(real_router: RouterProcess) -> None:
    real_router.json("project", "set", "-", "--optimization", "off")
    async with connected(real_router.url, real_router.token(), "auto") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"time__get_current_time", "files__read_text_file", "git__git_status"} <= set(names)
        answer = await client.call_tool("everything__echo", {"message": "hello"})
        assert "hello" in text_of(answer)


@pytest.mark.proves("CACHE-2", "CACHE-7")
async def test_after_a_restart_tools_are_listed_before_any_server_runs(
    real_router: RouterProcess,
) -> None:
    assert real_router.stop() == 0
    real_router.start()
    assert children_of(real_router.pid) == set()
    async with connected(real_router.url, real_router.token(), "auto") as client:
        found = await client.call_tool("tool_discovery", {"query": ["current time"]})
        assert hits_of(found)[0]["toolKey"] == "time:get_current_time"
        assert children_of(real_router.pid) == set()
        await client.call_tool("tool_execute", TOKYO)
    states = {row["id"]: row["state"] for row in real_router.json("list")}
    assert states.pop("time") == "ready"
    assert set(states.values()) == {"idle"}


async def test_sigterm_stops_everything(real_router: RouterProcess) -> None:
    async with connected(real_router.url, real_router.token(), "auto") as client:
        await client.call_tool("tool_execute", TOKYO)
        echo = {"toolKey": "everything:echo", "arguments": {"message": "x"}}
        await client.call_tool("tool_execute", echo)
    below = children_of(real_router.pid)
    assert len(below) >= 2
    assert real_router.stop() == 0
    assert [pid for pid in below if not ends_within(WAIT_S, pid)] == []


def test_serve_beside_a_running_instance_names_it_and_exits_1(router: RouterProcess) -> None:
    router.start()
    second = router.run("serve")
    assert second.returncode == 1
    assert f"process {router.pid}" in second.stderr
    assert router.url in second.stderr


def test_a_killed_instance_does_not_block_the_next_one(router: RouterProcess) -> None:
    router.start()
    router.kill()
    assert router.json("list") == []
    router.start()
    assert router.json("status")["pid"] == router.pid


@pytest.mark.proves("CARD-3", "META-9")
def test_client_requests_are_in_the_activity_log(real_router: RouterProcess) -> None:
    real_router.json("call", "time:get_current_time", '{"timezone": "Europe/Paris"}')
    assert real_router.stop() == 0
    with sqlite3.connect(real_router.data_dir / "activity.sqlite") as database:
        dump = "\n".join(database.iterdump())
    database.close()
    assert "get_current_time" in dump
    assert "Europe/Paris" not in dump
