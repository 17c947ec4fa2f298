"""Reading all lists of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject
from router.domain.tool_lists import Cut, CutKind
from router.upstream.limits import LIMITS, UpstreamLimits, upstream_limits
from router.upstream.list_reader import read_listing
from router.upstream.ports import NO_OPTIONS, CallOptions
from tests.router.upstream.connection_harness import Open


class ListedUpstream:
    """Answers each method from `pages`: one result, or a list of them with cursors between."""

    instructions = "Read me."
    protocol_version = "2025-11-25"

    def __init__(self, capabilities: JsonObject, pages: Mapping[str, list[JsonObject]]) -> None:
        self.server_info: JsonObject = {"name": "s", "version": "2"}
        self.capabilities = capabilities
        self.asked: list[str] = []
        self._pages = pages

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        options: CallOptions = NO_OPTIONS,
    ) -> JsonObject:
        self.asked.append(method)
        if method not in self._pages:
            raise UpstreamAnsweredError(-32601, "Method not found")
        number = int((params or {}).get("cursor", 0))
        pages = self._pages[method]
        more = {"nextCursor": str(number + 1)} if number + 1 < len(pages) else {}
        return {**more, **pages[number]}


def named(*names: str, **fields: Any) -> list[JsonObject]:
    return [{"name": name, **fields} for name in names]


@pytest.mark.proves("CARD-3")
async def test_every_declared_capability_is_read_unchanged() -> None:
    upstream = ListedUpstream(
        {"tools": {}, "prompts": {}, "resources": {"subscribe": True}, "x": None},
        {
            "tools/list": [{"tools": named("a", inputSchema={"x": None})}, {"tools": named("b")}],
            "prompts/list": [{"prompts": named("p")}],
            "resources/list": [{"resources": named("r", uri="file:///r")}],
            "resources/templates/list": [{"resourceTemplates": named("t", uriTemplate="x:{y}")}],
        },
    )
    listing = await read_listing(upstream)
    assert listing.tools == ({"name": "a", "inputSchema": {"x": None}}, {"name": "b"})
    assert listing.prompts == ({"name": "p"},)
    assert listing.resources == ({"name": "r", "uri": "file:///r"},)
    assert listing.resource_templates == ({"name": "t", "uriTemplate": "x:{y}"},)
    assert listing.capabilities == upstream.capabilities
    assert listing.server_info == {"name": "s", "version": "2"}
    assert (listing.instructions, listing.protocol_version) == ("Read me.", "2025-11-25")


async def test_undeclared_capabilities_are_not_requested() -> None:
    upstream = ListedUpstream({"prompts": {}}, {"prompts/list": [{"prompts": []}]})
    assert (await read_listing(upstream)).tools == ()
    assert upstream.asked == ["prompts/list"]


async def test_a_server_without_declared_capabilities_is_asked_for_tools() -> None:
    upstream = ListedUpstream({}, {"tools/list": [{"tools": named("a")}]})
    assert (await read_listing(upstream)).tools == ({"name": "a"},)
    assert upstream.asked == ["tools/list"]


async def test_method_not_found_means_an_empty_list() -> None:
    upstream = ListedUpstream({"tools": {}, "resources": {}}, {"tools/list": [{"tools": []}]})
    listing = await read_listing(upstream)
    assert (listing.resources, listing.resource_templates) == ((), ())


async def test_other_errors_are_raised() -> None:
    class Refusing(ListedUpstream):
        async def request(self, method: str, *_: Any, **__: Any) -> JsonObject:
            raise UpstreamAnsweredError(-32603, "Out of order")

    with pytest.raises(UpstreamAnsweredError, match="Out of order"):
        await read_listing(Refusing({"tools": {}}, {}))


async def test_entries_without_a_name_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    entries: list[Any] = [None, 1, "x", [], {}, {"name": 1}, {"name": "good"}]
    upstream = ListedUpstream({}, {"tools/list": [{"tools": entries}]})
    assert (await read_listing(upstream)).tools == ({"name": "good"},)
    assert "dropped 6 entries" in caplog.text


@pytest.mark.parametrize("tools", [None, "x", {}])
async def test_a_malformed_list_is_empty(tools: Any) -> None:
    upstream = ListedUpstream({}, {"tools/list": [{"tools": tools}]})
    assert (await read_listing(upstream)).tools == ()


async def test_an_endless_list_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    page = {"tools": named(*map(str, range(1000)))}
    many = ListedUpstream({}, {"tools/list": [page] * 200})
    listing = await read_listing(many)
    assert len(listing.tools) == LIMITS.entries
    assert listing.cuts == (Cut(CutKind.TOO_MANY_TOOLS, 100_000 - LIMITS.entries + 1),)
    short = ListedUpstream({}, {"tools/list": [{"tools": named("a")}] * 200})
    assert len((await read_listing(short)).tools) == LIMITS.pages
    assert caplog.text.count("was cut") == 2


@pytest.mark.proves("DISC-8")
async def test_what_exceeds_the_limits_is_counted() -> None:
    lists = {
        "tools/list": [{"tools": named(*map(str, range(30)))}],
        "prompts/list": [{"prompts": named(*map(str, range(25)))}],
        "resources/list": [{"resources": [{"name": "x" * 5000}, *named("a", "b")]}],
    }
    upstream = ListedUpstream({"tools": {}, "prompts": {}, "resources": {}}, lists)
    limits = UpstreamLimits(entries=20, listing_characters=4000)
    listing = await read_listing(upstream, limits)
    assert (len(listing.tools), len(listing.prompts), len(listing.resources)) == (20, 20, 0)
    assert listing.cuts == (Cut(CutKind.LIST_TOO_LONG, 8), Cut(CutKind.TOO_MANY_TOOLS, 10))


def test_a_higher_limit_of_tools_lets_more_be_read() -> None:
    assert upstream_limits(8, 2000) == upstream_limits(8, 50) == LIMITS
    raised = upstream_limits(message_mb=50, tools=100_000)
    assert (raised.entries, raised.pages) == (100_000, 5_000)
    assert raised.listing_characters == 100_000 * 1024
    assert raised.message_size == "50 MB"


async def test_a_repeated_cursor_ends_the_list() -> None:
    page = {"tools": named("a"), "nextCursor": "0"}
    upstream = ListedUpstream({}, {"tools/list": [page]})
    assert len((await read_listing(upstream)).tools) == 2


@pytest.mark.proves("CARD-3")
async def test_all_pages_of_a_real_server_are_read(open_server: Open) -> None:
    connection = await open_server("--tools", "250", "--page-size", "50")
    listing = await read_listing(connection)
    assert len({tool["name"] for tool in listing.tools}) == len(listing.tools) > 250
    assert listing.tools[0]["x-unknown"] == {"kept": None}
