"""Listings are built and written once for everybody who sees the same tools."""

from __future__ import annotations

import json

import pytest

from router.domain.json_values import JsonObject
from router.gateway.http.jsonrpc import joined
from router.gateway.tools import tool_listing
from tests.router.gateway.harness import FILES, Booth

MANY: tuple[JsonObject, ...] = tuple(
    {"name": f"tool_{number:04}", "inputSchema": {}} for number in range(2000)
)


@pytest.mark.parametrize("optimization", [None, "bm25"])
async def test_a_listing_is_written_once_and_again_only_when_tools_change(
    optimization: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[JsonObject] = []
    write = tool_listing.written

    def counted(value: object) -> bytes:
        written.append(value)  # pyright: ignore[reportArgumentType]
        return write(value)

    monkeypatch.setattr(tool_listing, "written", counted)
    booth = Booth(tools=MANY, optimization=optimization, pinned=["files:tool_0007"])
    first = booth.exposures.list_tools(booth.request())
    assert len(json.loads(first.written)["tools"]) == (2000 if optimization is None else 3)
    assert booth.exposures.list_tools(booth.request()).written is first.written
    assert booth.exposures.listing(booth.request().caller) is first.answer
    assert len(written) == 1
    catalog = booth.catalog.servers[FILES].cached
    assert catalog is not None
    booth.relist(tools=catalog.listing.tools[:10])
    again = booth.exposures.list_tools(booth.request())
    assert len(json.loads(again.written)["tools"]) == (10 if optimization is None else 3)


def test_a_listing_gets_what_its_revision_adds_without_being_written_again() -> None:
    stamped = joined({"resultType": "complete", "ttlMs": 0}, b'{"tools":[]}')
    assert json.loads(stamped) == {"resultType": "complete", "ttlMs": 0, "tools": []}
