"""Reading all lists of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from router.domain.errors import ToolboothError, UpstreamAnsweredError
from router.domain.json_values import JsonObject
from router.domain.tool_lists import Cut, CutKind
from router.upstream.errors import bad_protocol, failed
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


OTHER_LISTS = [
    ("prompts", "prompts/list"),
    ("resources", "resources/list"),
    ("resourceTemplates", "resources/templates/list"),
]
CAPABLE: JsonObject = {"tools": {}, "prompts": {}, "resources": {}}
PAGES: dict[str, list[JsonObject]] = {
    "tools/list": [{"tools": named("query")}],
    "prompts/list": [{"prompts": named("p")}],
    "resources/list": [{"resources": named("r")}],
    "resources/templates/list": [{"resourceTemplates": named("t")}],
}


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (UpstreamAnsweredError(-32603, "connect ECONNREFUSED\n127.0.0.1:5432"), "connect ECO"),
        (UpstreamAnsweredError(-32000, ""), "error -32000"),
        (failed(bad_protocol("its response has no result")), "Invalid MCP response: its resp"),
    ],
)
@pytest.mark.parametrize(("field", "failing"), OTHER_LISTS)
async def test_another_list_that_cannot_be_read_is_noted_and_the_tools_are_kept(
    error: ToolboothError, why: str, field: str, failing: str
) -> None:
    class Ailing(ListedUpstream):
        async def request(self, method: str, *args: Any, **options: Any) -> JsonObject:
            if method == failing:
                raise error
            return await super().request(method, *args, **options)

    listing = await read_listing(Ailing(CAPABLE, PAGES))
    assert listing.tools == ({"name": "query"},)
    assert listing.unread.keys() == {field}
    assert listing.unread[field].startswith(why)
    assert "\n" not in listing.unread[field]
    rest = len(listing.prompts) + len(listing.resources) + len(listing.resource_templates)
    assert rest == 2


@pytest.mark.parametrize(("field", "failing"), OTHER_LISTS)
async def test_another_list_that_never_comes_leaves_time_for_the_rest(
    field: str, failing: str
) -> None:
    class Hanging(ListedUpstream):
        async def request(self, method: str, *args: Any, **options: Any) -> JsonObject:
            if method == failing:
                await asyncio.Event().wait()
            return await super().request(method, *args, **options)

    deadline = asyncio.get_running_loop().time() + 0.2
    listing = await read_listing(Hanging(CAPABLE, PAGES), deadline=deadline)
    assert listing.tools == ({"name": "query"},)
    assert {*listing.unread} == {field}
    assert "No response within" in listing.unread[field]


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
