"""Schemas made to exhaust a validator: listed and passed on, never compiled or followed."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from tests.router.gateway.harness import GatewayHarness

REGEX: JsonObject = {
    "type": "object",
    "properties": {"text": {"type": "string", "pattern": "^(a+)+$"}},
    "patternProperties": {"^(a+)+$": {"type": "string"}},
}
REFERENCES: JsonObject = {
    "type": "object",
    "$ref": "#/$defs/d30",
    "$defs": {
        "d0": {"type": "string"},
        **{
            f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 10, "$ref": f"#/$defs/d{n - 1}"}
            for n in range(1, 31)
        },
    },
    "properties": {"text": {"$ref": "#/$defs/d30"}},
}
CIRCLE: JsonObject = {
    "type": "object",
    "properties": {"text": {"$ref": "#/properties/text"}},
    "allOf": [{"$ref": "#"}],
}
VICTIM = "a" * 40 + "!"


def remote(address: str) -> JsonObject:
    reference: JsonObject = {"$ref": address}
    return {
        "$schema": address,
        "type": "object",
        **reference,
        "properties": {"text": reference},
    }


def tool(schema: JsonObject) -> JsonObject:
    return {"name": "bomb", "description": "Bomb", "inputSchema": schema, "outputSchema": schema}


def answer(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
    return {"content": [], "structuredContent": {"text": VICTIM}}


async def list_find_and_call(schema: JsonObject, shown: JsonObject | None = None) -> None:
    """Listed, found and called; the schema is shown whole, or as `shown`."""
    definition = tool(schema)
    direct = GatewayHarness(answer, tools=(definition,), optimization=None)
    [listed] = direct.tool_methods.list_tools(direct.request()).result["tools"]
    assert listed == {**tool(shown or schema), "name": "files__bomb"}
    arguments: dict[str, Any] = {"text": VICTIM}
    result = await direct.call("files__bomb", arguments)
    assert result["structuredContent"] == arguments
    gateway = GatewayHarness(answer, tools=(definition,))
    [hit] = await gateway.discover("files:bomb")
    assert hit["inputSchema"] == (shown or schema)
    assert await gateway.discover("bomb")
    call = {"toolKey": "files:bomb", "arguments": arguments}
    assert (await gateway.call("tool_execute", call))["structuredContent"] == arguments


@pytest.mark.proves("U-4")
@pytest.mark.proves("META-3")
@pytest.mark.parametrize("schema", [REGEX, REFERENCES, CIRCLE], ids=["regex", "refs", "circle"])
async def test_a_schema_bomb_is_never_run(schema: JsonObject) -> None:
    """Following one would exceed the timeout of any test."""
    await list_find_and_call(schema)


@pytest.mark.proves("U-4")
@pytest.mark.proves("META-3")
async def test_a_reference_to_the_network_is_never_followed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)
        address = f"http://127.0.0.1:{trap.getsockname()[1]}/schema.json"
        shown: JsonObject = {"$schema": address, "type": "object", "properties": {"text": {}}}
        await list_find_and_call(remote(address), shown)
        with pytest.raises(BlockingIOError):
            trap.accept()
