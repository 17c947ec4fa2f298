"""Reading all lists of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject
from router.upstream.limits import LIMITS
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
    assert len((await read_listing(many)).tools) == LIMITS.entries
    short = ListedUpstream({}, {"tools/list": [{"tools": named("a")}] * 200})
    assert len((await read_listing(short)).tools) == LIMITS.pages
    assert caplog.text.count("was cut") == 2


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
