"""Long results: cut for the conversation, and read in pages by the same client only."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NotFound
from router.domain.ids import ProjectId, TokenId, WorkspaceId
from router.domain.json_values import JsonObject
from router.gateway.tools.result_pages import READ_RESULT, ResultPages

CALLER = Principal("Editor", TokenId("t1"), WorkspaceId("home"), None)
LONG = "".join(f"line {number}\n" for number in range(20_000))


def text(words: str, **more: Any) -> JsonObject:
    return {"type": "text", "text": words, **more}


def arguments_in(block: JsonObject) -> JsonObject:
    """The arguments that the note gives the client to continue."""
    assert str(READ_RESULT.key) in block["text"]
    found = re.search(r"arguments (\{.*\})", block["text"])
    assert found
    return json.loads(found[1])


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def read_all(results: ResultPages, arguments: JsonObject, principal: Principal = CALLER) -> str:
    pages: list[str] = []
    while True:
        page, *note = results.read(principal, arguments)["content"]
        pages.append(page["text"])
        if not note:
            return "".join(pages)
        arguments = arguments_in(note[0])


@pytest.fixture
def results() -> ResultPages:
    return ResultPages(lambda: 64)


@pytest.mark.proves("META-3")
@pytest.mark.parametrize(
    "result",
    [
        {},
        {"content": [text("x" * 65_536)], "structuredContent": {"a": 1}, "_meta": {"b": 2}},
        {"content": [{"type": "image", "data": "x" * 500_000, "mimeType": "image/png"}]},
        {"content": "nonsense", "structuredContent": None},
    ],
)
async def test_a_result_that_fits_passes_unchanged(
    results: ResultPages, result: JsonObject
) -> None:
    assert await results.shorten(CALLER, result) is result


async def test_a_long_text_is_cut_and_can_be_read_to_its_end(results: ResultPages) -> None:
    result: JsonObject = {"content": [text(LONG)], "_meta": {"a": 1}, "isError": False}
    shortened = await results.shorten(CALLER, result)
    shown, note = shortened["content"]
    assert shown["text"] == LONG[:65_536]
    assert f"65,536 of {len(LONG):,} characters shown" in note["text"]
    assert shown["text"] + read_all(results, arguments_in(note)) == LONG
    assert (shortened["_meta"], shortened["isError"]) == ({"a": 1}, False)
    assert result["content"] == [text(LONG)]


@pytest.mark.parametrize("content", [LONG, text(LONG)])
async def test_a_long_text_is_cut_where_a_server_sends_it_without_a_list(
    results: ResultPages, content: object
) -> None:
    shortened = await results.shorten(CALLER, {"content": content})
    shown, note = shortened["content"]
    assert shown["text"] + read_all(results, arguments_in(note)) == LONG


async def test_short_blocks_stay_and_the_rest_is_in_one_text(
    results: ResultPages,
) -> None:
    blob = {"type": "resource", "resource": {"uri": "file:///x", "blob": "x" * 100_000}}
    image = {"type": "image", "data": "x" * 100_000, "mimeType": "image/png"}
    content = [text("before"), blob, image, text(LONG), text("after")]
    shortened = await results.shorten(CALLER, {"content": content})
    first, second, third, note = shortened["content"]
    assert (first, second) == (text("before"), image)
    assert LONG.startswith(third["text"])
    kept = read_all(results, arguments_in(note))
    assert json.loads(kept.partition("\n")[0]) == blob
    assert kept.endswith(LONG + "\nafter")


@pytest.mark.parametrize("rows", [10_000, 100_000])
async def test_long_structured_content_is_left_out_and_read_as_json(
    results: ResultPages, rows: int
) -> None:
    structured = {"rows": [{"id": number, "name": "Zoë"} for number in range(rows)]}
    shortened = await results.shorten(
        CALLER, {"content": [text("Done.")], "structuredContent": structured}
    )
    done, note = shortened["content"]
    assert done == text("Done.")
    assert "structuredContent" not in shortened
    assert json.loads(read_all(results, arguments_in(note))) == structured


async def test_short_structured_content_stays_beside_a_text_that_is_cut(
    results: ResultPages,
) -> None:
    result = {"content": [text(LONG)], "structuredContent": {"count": 20_000}}
    assert (await results.shorten(CALLER, result))["structuredContent"] == {"count": 20_000}


async def test_many_small_blocks_are_long_too(results: ResultPages) -> None:
    shortened = await results.shorten(CALLER, {"content": [text("")] * 60_000})
    assert len(shortened["content"]) < 3_000


async def test_with_limit_zero_nothing_is_cut() -> None:
    result: JsonObject = {"content": [text(LONG)], "structuredContent": {"text": LONG}}
    assert await ResultPages(lambda: 0).shorten(CALLER, result) is result


@pytest.mark.parametrize(
    "other",
    [
        Principal("Editor", TokenId("t2"), WorkspaceId("home"), None),
        Principal("Editor", None, WorkspaceId("home"), None),
        Principal("Editor", TokenId("t1"), WorkspaceId("work"), None),
        Principal("Editor", TokenId("t1"), WorkspaceId("home"), ProjectId("p")),
    ],
)
async def test_a_handle_works_only_for_its_client(results: ResultPages, other: Principal) -> None:
    shortened = await results.shorten(CALLER, {"content": [text(LONG)]})
    arguments = arguments_in(shortened["content"][-1])
    with pytest.raises(NotFound):
        results.read(other, arguments)
    assert results.read(CALLER, arguments)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"handle": 1}, {"handle": "unknown"}, {"handle": ["x"]}],
)
async def test_an_unknown_handle_is_a_clear_error(
    results: ResultPages, arguments: JsonObject
) -> None:
    with pytest.raises(NotFound, match="no result with this handle"):
        results.read(CALLER, arguments)


@pytest.mark.parametrize("offset", [-1, 1.5, True, "0", 10_000_000])
async def test_an_invalid_offset_is_a_clear_error(results: ResultPages, offset: object) -> None:
    shortened = await results.shorten(CALLER, {"content": [text(LONG)]})
    handle = arguments_in(shortened["content"][-1])["handle"]
    with pytest.raises(InvalidInput):
        results.read(CALLER, {"handle": handle, "offset": offset})


async def test_a_result_is_kept_for_ten_minutes() -> None:
    clock = Clock()
    results = ResultPages(lambda: 64, clock)
    shortened = await results.shorten(CALLER, {"content": [text(LONG)]})
    arguments = arguments_in(shortened["content"][-1])
    clock.now = 599
    assert results.read(CALLER, arguments)
    clock.now = 601
    with pytest.raises(NotFound):
        results.read(CALLER, arguments)


@pytest.mark.parametrize(("size", "kept"), [(70_000, 64), (1_000_000, 33)])
async def test_the_oldest_results_are_evicted_for_new_ones(
    results: ResultPages, size: int, kept: int
) -> None:
    made: list[JsonObject] = []
    for _ in range(100):
        shortened = await results.shorten(CALLER, {"content": [text("x" * size)]})
        made.append(arguments_in(shortened["content"][-1]))
    for arguments in made[-kept:]:
        assert results.read(CALLER, arguments)
    with pytest.raises(NotFound):
        results.read(CALLER, made[-kept - 1])


async def test_the_last_result_is_kept_whatever_its_size(results: ResultPages) -> None:
    shortened = await results.shorten(CALLER, {"content": [text("x" * 40_000_000)]})
    assert results.read(CALLER, arguments_in(shortened["content"][-1]))
