"""Input made to cost time or to break parsers, from clients and from servers."""

from __future__ import annotations

import pytest

from router.domain.activity import Outcome
from router.domain.json_values import JsonObject
from tests.router.gateway.harness import GatewayHarness


@pytest.mark.parametrize("query", [["x" * 1001], "x" * 1001, ["x"] * 21])
async def test_an_expensive_query_is_refused_with_a_message(query: object) -> None:
    answer = await GatewayHarness().call("tool_discovery", {"query": query})
    assert answer["isError"] is True
    assert "at most" in answer["content"][0]["text"]


def test_a_malformed_definition_is_corrected_before_it_is_listed() -> None:
    broken: JsonObject = {
        "name": "broken",
        "description": 7,
        "inputSchema": {"properties": {"a": True}, "required": [["a"], "a"]},
        "annotations": "none",
        "x-unknown": 1,
    }
    gateway = GatewayHarness(
        tools=(broken, {"name": "worse", "inputSchema": []}), optimization=None
    )
    assert gateway.tool_methods.list_tools(gateway.request()).result["tools"] == [
        {
            "name": "files__broken",
            "inputSchema": {"type": "object", "properties": {"a": {}}, "required": ["a"]},
            "x-unknown": 1,
        },
        {"name": "files__worse", "inputSchema": {"type": "object"}},
    ]


@pytest.mark.proves("META-2")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": []},
        {"query": [1]},
        {"query": ["x"], "maxResults": 0},
        {"query": ["x"], "maxResults": 101},
        {"query": ["x"], "maxResults": True},
    ],
)
async def test_a_malformed_tool_discovery_call_gets_an_explanation(arguments: JsonObject) -> None:
    gateway = GatewayHarness()
    answer = await gateway.call("tool_discovery", arguments)
    assert answer["isError"] is True
    assert answer["structuredContent"]["code"] == "TOOL_INVALID_INPUT"
    assert gateway.recorded[-1].outcome is Outcome.ERROR
