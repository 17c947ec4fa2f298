"""Indexes: built off the event loop, incrementally, with a fallback if one can't be built."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence

import pytest

from router.domain.search import SearchRequest
from router.domain.workspaces import Optimization
from router.runtime.tasks import spawn
from router.search import provider as provider_module
from router.search.index import index_builder
from router.search.index.segments import Segment, Vocabulary
from router.search.provider import Provider
from tests.router.search.sample_tools import TOOLS, tool
from tests.support.timeouts import WAIT_S

REQUEST = SearchRequest(("create issue",), 3, Optimization.BM25)


async def test_an_index_is_built_in_a_thread_while_the_loop_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go, threads = threading.Event(), list[str]()
    really = index_builder.build_index

    def slowly(*args: object, **options: object) -> object:
        threads.append(threading.current_thread().name)
        assert go.wait(WAIT_S)
        return really(*args, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(index_builder, "build_index", slowly)
    index = Provider().index(TOOLS)
    searches = [asyncio.ensure_future(index.search(REQUEST)) for _ in range(3)]  # noqa: TID251
    await asyncio.sleep(0)
    go.set()
    replies = await asyncio.gather(*searches)
    assert [str(reply.hits[0].tool.key) for reply in replies] == ["github:create_issue"] * 3
    assert len(threads) == 1
    assert threads[0].startswith("search-index")


async def test_a_build_ends_with_its_router(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python can't exit before the thread has ended, and 100,000 tools take ten seconds."""
    began, go, encoded = threading.Event(), threading.Event(), list[str]()
    really = Vocabulary.encode

    def slowly(vocabulary: Vocabulary, text: str) -> list[int]:
        began.set()
        assert go.wait(WAIT_S)
        encoded.append(text)
        return really(vocabulary, text)

    monkeypatch.setattr(Vocabulary, "encode", slowly)
    provider = Provider()
    many = [tool("files", f"read_{number}", "Read a file") for number in range(1000)]
    searching = spawn(provider.index(many).search(REQUEST), name="search")
    assert await asyncio.to_thread(began.wait, WAIT_S)
    provider.close()
    go.set()
    await asyncio.wait([searching], timeout=WAIT_S)
    assert searching.cancelled()
    assert len(encoded) < 100


async def test_a_changed_server_is_indexed_again_and_the_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    really = index_builder.index_server

    def noted(tools: tuple[object, ...]) -> object:
        read.append(tools[0].key.server)  # pyright: ignore
        return really(tools)  # pyright: ignore

    monkeypatch.setattr(index_builder, "index_server", noted)
    provider = Provider()
    old = provider.index(TOOLS)
    await old.search(REQUEST)
    read.clear()
    more = [*TOOLS, tool("time", "create_issue_timer", "Time an issue")]
    reply = await provider.index(more).search(SearchRequest(("issue timer",), 1, REQUEST.strategy))
    assert read == ["time"]
    assert reply.hits[0].tool.key.tool == "create_issue_timer"
    # A search that began before continues with its own index.
    assert "create_issue_timer" not in {
        hit.tool.key.tool for hit in (await old.search(REQUEST)).hits
    }


def test_a_new_server_rebuilds_few_other_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    really = index_builder.build_postings

    def noted(segments: Sequence[Segment]) -> object:
        made.append(len(segments))
        return really(segments)

    monkeypatch.setattr(index_builder, "_BLOCK", 4)
    monkeypatch.setattr(index_builder, "build_postings", noted)
    provider = Provider()
    tools = [tool(f"server{number}", "create_issue") for number in range(60)]
    provider.build(tools, embeddings=False)
    assert (len(made) > 5, sum(made)) == (True, 60)
    for name in ("another", "server30b", "zebra"):
        made.clear()
        more = [*tools, tool(name, "create_flower", "Make a flower bloom")]
        [first, *_] = provider.build(more, embeddings=False).search(SearchRequest(("flower",), 3))
        assert str(first.tool.key) == f"{name}:create_flower"
        assert len(made) <= 3


def test_a_large_catalog_has_few_large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        index_builder.index_server([tool(f"server{each}", "create_issue")]) for each in range(60)
    ]
    monkeypatch.setattr(index_builder, "_BLOCK", 4)
    monkeypatch.setattr(index_builder, "_LARGE_BLOCK", 16)
    small = index_builder.in_blocks(parts)
    monkeypatch.setattr(index_builder, "_LARGE", 59)
    large = index_builder.in_blocks(parts)
    assert len(large) < len(small) / 2
    assert [part for block in large for part in block] == parts


@pytest.mark.proves("META-4")
async def test_without_embeddings_bm25_is_used_and_the_reply_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> object:
        raise OSError("no such file")

    monkeypatch.setattr(index_builder, "word_embeddings", broken)
    request = SearchRequest(("create issue",), 3, Optimization.HYBRID)
    reply = await Provider().index(TOOLS).search(request)
    assert (reply.strategy, len(reply.hits)) == (Optimization.BM25, 1)
    assert reply.note == "the embedding model can't be used: answered by bm25"
    assert "no such file" in caplog.text


async def test_large_catalogs_are_searched_off_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(provider_module, "_ON_LOOP_UP_TO", 2)
    reply = await Provider().index(TOOLS).search(REQUEST)
    assert str(reply.hits[0].tool.key) == "github:create_issue"


def test_numpy_is_loaded_by_the_first_index_only() -> None:
    program = (
        "import sys\n"
        "import gui.__main__, router.service.router, router.cli.main\n"
        "print('numpy' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "False\n", ended.stderr
