"""What `tool_discovery` returns besides the tools."""

from __future__ import annotations

import pytest

from router.catalog.tool_definition import context_tokens
from router.domain.json_values import JsonObject
from router.domain.search import UsageSignal
from router.gateway.tools import tool_discovery
from router.search.calibration import NEGLIGIBLE
from tests.router.gateway.harness import GatewayHarness


def tool(name: str, description: str, **parameters: JsonObject) -> JsonObject:
    schema = {"type": "object", "properties": parameters}
    return {"name": name, "description": description, "inputSchema": schema}


async def answered(gateway: GatewayHarness, *queries: str, **more: object) -> JsonObject:
    answer = await gateway.call("tool_discovery", {"query": list(queries), **more})
    return answer["structuredContent"]


@pytest.mark.proves("META-2")
async def test_without_a_match_the_reply_says_so_and_lists_the_servers() -> None:
    content = await answered(GatewayHarness(), "zqx vwk")
    assert content == {
        "results": [],
        "message": "No tool fits. Try other words. Servers here: files (2 tools).",
    }


@pytest.mark.proves("META-2")
@pytest.mark.parametrize("query", ["book a flight to Paris", "bake a chocolate cake"])
async def test_a_query_without_a_good_match_returns_no_poor_ones(query: str) -> None:
    content = await answered(GatewayHarness(optimization="hybrid"), query)
    assert (content["results"], content["message"][:12]) == ([], "No tool fits")


@pytest.mark.proves("META-2")
async def test_results_of_next_to_no_relevance_do_not_fill_a_reply() -> None:
    others = [tool(f"other_{n}", f"Does thing number {n} with a file") for n in range(12)]
    exact = tool("rotate_image", "Rotate an image by an angle in degrees")
    gateway = GatewayHarness(tools=(exact, *others), optimization="hybrid")
    hits = await gateway.discover("rotate an image by 90 degrees")
    assert hits[0]["toolName"] == "rotate_image"
    assert len(hits) < 4
    assert all(hit["relevance"] >= NEGLIGIBLE for hit in hits)


@pytest.mark.proves("META-2")
async def test_results_can_be_had_in_full_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_discovery, "_ROOM_FOR_DEFINITIONS", 1500)
    words = "This tool reads a file and says at some length what it does with it. " * 10
    schema: JsonObject = {"type": "object", "properties": {"size": {"type": "integer"}}}
    output = {**tool("read_file", words, path={"type": "string"}), "outputSchema": schema}
    huge = tool("read_all", words, **{f"p{n}": {"description": "x" * 900} for n in range(90)})
    gateway = GatewayHarness(tools=(output, huge))
    [brief] = await gateway.discover("read_file", maxResults=1)
    assert "inputSchema" not in brief
    hits = {hit["toolName"]: hit for hit in await gateway.discover("read a file", detail="full")}
    full = hits["read_file"]
    assert full["description"] == words
    assert full["inputSchema"]["properties"] == {"path": {"type": "string"}}
    assert full["outputSchema"] == schema
    assert "inputSchema" not in hits["read_all"]  # there is no room for it
    wrong = await gateway.call("tool_discovery", {"query": ["read"], "detail": "all"})
    assert wrong["isError"] is True


@pytest.mark.proves("META-7", "META-9")
async def test_a_fallback_search_is_reported_to_client_and_user() -> None:
    gateway = GatewayHarness(optimization="cloud")
    content = await answered(gateway, "read a file")
    note = "cloud search failed (cloud search is not set up): answered by hybrid"
    assert content["results"][0]["explanation"].endswith(f"({note})")
    assert gateway.recorded[-1].message == note


@pytest.mark.proves("META-2")
@pytest.mark.parametrize("context", [3, ["x"], {}])
async def test_a_context_that_is_not_text_is_refused_or_ignored(context: object) -> None:
    answer = await GatewayHarness().call("tool_discovery", {"query": ["read"], "context": context})
    assert answer.get("isError", False) is bool(context)


async def test_searches_and_the_following_calls_are_reported_as_feedback() -> None:
    gateway = GatewayHarness()
    results = await gateway.discover("read a file")
    await gateway.call("tool_execute", {"toolKey": "files:read_file", "arguments": {"path": "/a"}})
    [(queries, found)] = gateway.feedback.searches
    assert queries == ("read a file",)
    assert [str(key) for key in found] == [result["toolKey"] for result in results]
    assert [str(key) for key in gateway.feedback.executions] == ["files:read_file"]


async def test_usage_history_changes_the_ranking() -> None:
    gateway = GatewayHarness()
    assert (await gateway.discover("put text in some file"))[0]["toolKey"] != "files:read_file"
    tokens = frozenset({"put", "text", "file"})
    gateway.feedback.usage = (UsageSignal(tokens, "files:read_file", 0.9),)
    assert (await gateway.discover("put text in some file"))[0]["toolKey"] == "files:read_file"


@pytest.mark.proves("META-5")
async def test_usage_history_shows_no_denied_tool() -> None:
    gateway = GatewayHarness(permissions={"files:read_file": "deny"})
    gateway.feedback.usage = (UsageSignal(frozenset({"read", "file"}), "files:read_file", 1.0),)
    found = [result["toolKey"] for result in await gateway.discover("read file")]
    assert "files:read_file" not in found


@pytest.mark.proves("META-2")
async def test_a_reply_of_eight_tools_stays_short() -> None:
    long = "Reads the records of the customer from the database of the company and returns them. "
    parameters = {f"parameter_{n}": {"type": "string", "description": long} for n in range(6)}
    tools = tuple(
        tool(f"read_customer_record_{n}", f"{n} {long * 9}", **parameters) for n in range(20)
    )
    answer = await GatewayHarness(tools=tools).call(
        "tool_discovery", {"query": ["read a customer record"]}
    )
    assert len(answer["structuredContent"]["results"]) == 8
    assert context_tokens(answer["content"][0]["text"]) <= 900


@pytest.mark.proves("META-2")
async def test_a_short_description_leaves_its_space_to_a_long_one() -> None:
    long = "Reads a note from the shelf of notes, and tells who wrote it and when. " * 4
    tools = (tool("read_note", long), *(tool(f"read_note_{n}", "Reads a note.") for n in range(7)))
    described = {
        result["toolName"]: result["description"]
        for result in (await answered(GatewayHarness(tools=tools), "read a note"))["results"]
    }
    assert len(described["read_note"]) == 240
    assert described["read_note_3"] == "Reads a note."


@pytest.mark.proves("META-2")
async def test_a_long_signature_is_cut_between_parameters_and_keeps_the_required_ones() -> None:
    parameters: dict[str, JsonObject] = {f"setting_{n:02}": {"type": "string"} for n in range(20)}
    schema = {"type": "object", "properties": parameters, "required": ["setting_07", "setting_19"]}
    tools = ({"name": "set_up", "description": "Sets it up.", "inputSchema": schema},)
    [found] = (await answered(GatewayHarness(tools=tools), "set it up"))["results"]
    start = "set_up(setting_07: str, setting_19: str, setting_00?: str, "
    assert found["signature"].startswith(start)
    assert found["signature"].endswith("?: str, …)")
    assert len(found["signature"]) < 100


async def test_a_tool_named_by_its_key_is_shown_in_full() -> None:
    long = "Reads a note. " * 50
    parameters = {f"parameter_{n}": {"type": "string"} for n in range(20)}
    gateway = GatewayHarness(tools=(tool("read_note", long, **parameters),))
    [found] = (await answered(gateway, "files:read_note"))["results"]
    assert found["description"].strip() == long.strip()
    assert "parameter_19" in found["signature"]
    assert "parameter_19" in found["inputSchema"]["properties"]
