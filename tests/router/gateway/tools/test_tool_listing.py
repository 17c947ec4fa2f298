"""Tool listings are built and encoded once for all clients that see the same tools."""

from __future__ import annotations

import json

import pytest

from router.domain.json_values import JsonObject
from router.gateway.tools import tool_listing
from router.wire.jsonrpc import prepend_members
from tests.router.gateway.harness import FILES, GatewayHarness

MANY: tuple[JsonObject, ...] = tuple(
    {"name": f"tool_{number:04}", "inputSchema": {}} for number in range(2000)
)


@pytest.mark.parametrize("optimization", [None, "bm25"])
async def test_a_listing_is_encoded_once_and_again_only_when_tools_change(
    optimization: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[JsonObject] = []
    encode = tool_listing.encode

    def counted(value: object) -> bytes:
        encoded.append(value)  # pyright: ignore[reportArgumentType]
        return encode(value)

    monkeypatch.setattr(tool_listing, "encode", counted)
    gateway = GatewayHarness(tools=MANY, optimization=optimization, pinned=["files:tool_0007"])
    first = gateway.tool_methods.list_tools(gateway.request())
    assert len(json.loads(first.encoded)["tools"]) == (2000 if optimization is None else 3)
    assert gateway.tool_methods.list_tools(gateway.request()).encoded is first.encoded
    assert gateway.tool_methods.tool_listing(gateway.request().principal) is first
    assert len(encoded) == 1
    catalog = gateway.catalog.servers[FILES].cached
    assert catalog is not None
    gateway.relist(tools=catalog.listing.tools[:10])
    again = gateway.tool_methods.list_tools(gateway.request())
    assert len(json.loads(again.encoded)["tools"]) == (10 if optimization is None else 3)


def test_a_listing_gets_fields_of_its_revision_without_being_encoded_again() -> None:
    result = prepend_members({"resultType": "complete", "ttlMs": 0}, b'{"tools":[]}')
    assert json.loads(result) == {"resultType": "complete", "ttlMs": 0, "tools": []}
