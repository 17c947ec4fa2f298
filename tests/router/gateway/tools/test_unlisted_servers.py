"""A server whose tools are not known yet: requests that name it wait for them, searches say so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import DiscoveryStep
from router.gateway.tools.unlisted_servers import IncreasingProgress
from router.wire.mcp import MCPError
from tests.router.gateway.harness import FILES, HOME, NOW, ODD_RESULT, GatewayHarness

PATH = {"path": "/x"}
FAILED = UpstreamFailed(Failure(FailureKind.EXITED), "Files: Crashed (exit 3).", "Check it.")
FILES_REF = ServerRef(HOME, FILES)
Use = Callable[[GatewayHarness], Awaitable[JsonObject]]


def unlisted(**config: Any) -> GatewayHarness:
    """A gateway whose only server is listed once a request waits for it."""
    gateway = GatewayHarness(**config)
    known = gateway.catalog.servers[FILES].cached
    gateway.catalog.set_listing(FILES, None)
    gateway.tool_list_waits.list_server = lambda _: gateway.catalog.set_listing(FILES, known)
    return gateway


def progressive() -> GatewayHarness:
    return unlisted(optimization="bm25", exposure="progressive")


def named(name: str, **arguments: Any) -> Use:
    return lambda gateway: gateway.call(name, arguments)


SCRIPT = 'result(files.read_file{path="/x"}:await())'
IN_PROGRESSIVE = {
    "list": named("list-server-tools", luaServerName="files"),
    "details": named("tool-details", luaServerName="files", luaToolName="read_file"),
    "inspect": named(
        "inspect-tool-response", luaServerName="Files", luaToolName="read_file", sampleArgs=PATH
    ),
    "script": named("execute", script=SCRIPT),
}


@pytest.mark.proves("REG-1", "PROG-3")
@pytest.mark.parametrize("use", IN_PROGRESSIVE.values(), ids=IN_PROGRESSIVE)
async def test_who_names_a_server_gets_its_tools_once_they_are_discovered(use: Use) -> None:
    gateway = progressive()
    try:
        result = await use(gateway)
    finally:
        await gateway.runner.close()
    assert not result.get("isError"), result
    assert set(gateway.tool_list_waits.waited) == {ServerRef(HOME, FILES)}


@pytest.mark.proves("REG-1", "REG-7")
@pytest.mark.parametrize("use", IN_PROGRESSIVE.values(), ids=IN_PROGRESSIVE)
async def test_who_names_a_server_that_fails_is_told_why(use: Use) -> None:
    gateway = progressive()
    gateway.tool_list_waits.failure = FAILED
    try:
        result = await use(gateway)
    finally:
        await gateway.runner.close()
    assert result["isError"]
    assert "Files: Crashed (exit 3). Check it." in result["content"][0]["text"]


@pytest.mark.proves("REG-1")
async def test_a_call_waits_for_the_tools_of_its_server() -> None:
    gateway = unlisted(optimization="bm25")
    arguments = {"toolKey": "files:read_file", "arguments": PATH}
    assert await gateway.call("tool_execute", arguments) == ODD_RESULT


@pytest.mark.proves("REG-1")
@pytest.mark.parametrize("name", ["files__odd_name", "Files:odd.name", "files:odd.name"])
async def test_what_a_name_means_is_decided_once_the_tools_are_known(name: str) -> None:
    gateway = unlisted(optimization="bm25", tools=({"name": "odd.name", "inputSchema": {}},))
    assert await gateway.call("tool_execute", {"toolKey": name}) == ODD_RESULT


@pytest.mark.proves("REG-1")
async def test_a_bare_name_waits_a_moment_for_servers_being_discovered() -> None:
    gateway = unlisted(optimization="bm25")
    gateway.tool_list_waits.settle = lambda: gateway.tool_list_waits.list_server(FILES_REF)
    arguments = {"toolKey": "read_file", "arguments": PATH}
    assert await gateway.call("tool_execute", arguments) == ODD_RESULT
    assert gateway.tool_list_waits.waited == [FILES_REF]


@pytest.mark.proves("REG-1", "META-3")
async def test_progress_increases_over_the_lookup_of_a_tool_and_its_call() -> None:
    gateway = unlisted(optimization="bm25")
    gateway.tool_list_waits.progress = (0, 0.3)
    passed: list[object] = []

    async def sink(params: JsonObject) -> None:
        passed.append(params["progress"])

    arguments = {"toolKey": "files:read_file", "arguments": PATH}
    request = gateway.request(name="tool_execute", arguments=arguments)
    await gateway.tool_methods.call_tool(replace(request, on_progress=sink))
    assert passed == [0, 0.3, 1]
    assert len(gateway.tool_list_waits.waited) > 1


@pytest.mark.proves("REG-1", "REG-7")
async def test_a_call_to_a_server_that_fails_asks_for_its_tools_once() -> None:
    gateway = unlisted(optimization="bm25")
    gateway.tool_list_waits.failure = FAILED
    result = await gateway.call("tool_execute", {"toolKey": "files:read_file"})
    assert result["structuredContent"]["message"] == "Files: Crashed (exit 3)."
    assert gateway.tool_list_waits.waited == [FILES_REF]
    [recorded] = gateway.recorded
    assert (recorded.server, recorded.tool) == (FILES, "read_file")


@pytest.mark.proves("REG-1")
async def test_a_tool_that_is_not_there_once_its_server_is_listed_is_unknown() -> None:
    gateway = unlisted(optimization="bm25")
    result = await gateway.call("tool_execute", {"toolKey": "files:nothing"})
    assert result["structuredContent"]["code"] == "TOOL_INVALID_INPUT"


@pytest.mark.proves("REG-1")
@pytest.mark.parametrize("project", [None, "one"], ids=["with a prefix", "with bare names"])
async def test_a_direct_call_waits_for_the_tools_of_its_server(project: str | None) -> None:
    projects = {"one": {"name": "One", "servers": ["files"], "optimization": None}}
    gateway = unlisted(optimization=None, projects=projects)
    name = "read_file" if project else "files__read_file"
    request = gateway.request(project, name=name, arguments=PATH)
    assert await gateway.tool_methods.call_tool(request) == ODD_RESULT


@pytest.mark.proves("REG-1", "REG-7")
async def test_a_direct_call_to_a_server_that_fails_is_told_why() -> None:
    gateway = unlisted(optimization=None)
    gateway.tool_list_waits.failure = FAILED
    result = await gateway.call("files__read_file", PATH)
    assert result["structuredContent"] == {
        "code": "TOOL_UNAVAILABLE",
        "message": "Files: Crashed (exit 3).",
        "retryable": True,
        "hint": "Check it.",
    }
    assert gateway.recorded[-1].server == FILES


@pytest.mark.parametrize("name", ["other__read_file", "read_file", "files"])
async def test_a_name_of_no_server_waits_for_none(name: str) -> None:
    gateway = unlisted(optimization=None)
    with pytest.raises(MCPError, match="Unknown tool"):
        await gateway.call(name, {})
    assert gateway.tool_list_waits.waited == []


async def test_a_server_outside_the_scope_is_not_waited_for() -> None:
    projects = {"none": {"name": "None", "servers": ["others"]}}
    gateway = unlisted(projects=projects)
    request = gateway.request("none", name="tool_execute", arguments={"toolKey": "files:read_file"})
    result = await gateway.tool_methods.call_tool(request)
    assert result["structuredContent"]["code"] == "TOOL_INVALID_INPUT"
    assert gateway.tool_list_waits.waited == []


@pytest.mark.proves("META-2")
@pytest.mark.parametrize("query", ["read a file", "brew some tea"])
async def test_a_search_names_servers_being_discovered(query: str) -> None:
    gateway = unlisted(optimization="bm25")
    gateway.statuses.update(ServerRef(HOME, FILES), step=DiscoveryStep.CONNECTING)
    content = (await gateway.call("tool_discovery", {"query": [query]}))["structuredContent"]
    assert gateway.tool_list_waits.waited_briefly == 1
    assert gateway.tool_list_waits.waited == []
    reason = "Its tools are being discovered. Search again in a moment."
    assert content["unlisted"] == [{"server": "files", "status": "discovering", "reason": reason}]
    assert content["message"].endswith(f"Not searched: files ({reason.rstrip('.')}).")
    assert "There are no servers here" not in content["message"]


@pytest.mark.proves("META-2")
async def test_a_search_names_servers_that_failed_and_why() -> None:
    gateway = unlisted(optimization="bm25")
    failure = Failure(FailureKind.EXITED, "code 3", "no database")
    attempt = DiscoveryAttempt(NOW, "", failure=failure, failures=1)
    gateway.statuses.update(ServerRef(HOME, FILES), attempt=attempt)
    content = (await gateway.call("tool_discovery", {"query": ["read"]}))["structuredContent"]
    [missing] = content["unlisted"]
    assert (missing["server"], missing["status"]) == ("files", "failed")
    assert missing["reason"].startswith("Crashed (exit code 3) — no database.")
    assert "no database" in content["message"]


@pytest.mark.proves("META-2")
async def test_many_failed_servers_keep_a_search_result_short() -> None:
    servers = {f"server {n}": {"command": "x" * 300} for n in range(30)}
    gateway = unlisted(optimization="bm25", mcpServers={"Files": {"command": "f"}, **servers})
    content = (await gateway.call("tool_discovery", {"query": ["read"]}))["structuredContent"]
    missing = content["unlisted"]
    assert len(missing) == 31
    assert sum("reason" in each for each in missing) == 5
    assert max(len(each.get("reason", "")) for each in missing) <= 160


async def test_a_search_where_all_is_known_names_nothing() -> None:
    gateway = GatewayHarness(optimization="bm25")
    answer = await gateway.call("tool_discovery", {"query": ["read a file"]})
    assert "unlisted" not in answer["structuredContent"]


@pytest.mark.proves("META-2")
@pytest.mark.parametrize(
    ("config", "waits"),
    [
        ({"optimization": None}, 1),
        ({"optimization": "bm25"}, 0),
        ({"optimization": "bm25", "pinned": ["files:read_file"]}, 1),
    ],
)
async def test_a_listing_waits_a_moment_where_it_has_servers_tools(
    config: dict[str, Any], waits: int
) -> None:
    gateway = GatewayHarness(**config)
    await gateway.tool_methods.wait_briefly(gateway.request().principal)
    assert gateway.tool_list_waits.waited_briefly == waits


async def test_progress_that_does_not_increase_is_left_out() -> None:
    passed: list[JsonObject] = []

    async def sink(params: JsonObject) -> None:
        passed.append(params)

    progress = IncreasingProgress(sink)
    for value in (0, 0.2, 0, 0.2, 1, "odd"):
        await progress({"progress": value})
    assert [each["progress"] for each in passed] == [0, 0.2, 1, "odd"]
