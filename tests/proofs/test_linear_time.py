"""Parsing text from outside takes time linear in its length, whatever the text is."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from gui.dialogs.add_server.paste_parser import parse_pasted
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.globs import glob
from router.config.workspace import WorkspaceConfig
from router.discovery.vetting.diff import word_diff
from router.discovery.vetting.poisoning import detect
from router.discovery.vetting.preparation import prepare
from router.domain.errors import InvalidInput
from router.domain.tool_lists import CachedListing, ServerListing
from router.gateway.tools.tool_listing import ToolListings
from router.search.provider import Provider
from router.wire.http1 import ResponseParser
from router.wire.lines import LineSplitter

pytestmark = pytest.mark.proof
NOW = datetime(2026, 5, 1, tzinfo=UTC)
LISTING = prepare(
    ServerListing(tuple({"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(1000)))
)
TIMES = 8
TOLERATED = 3
"""A quadratic cost would grow eight times as much as the text, not up to three times."""


def paste(text: str) -> None:
    with suppress(InvalidInput):
        parse_pasted(text)


def split_line(chunks: int) -> None:
    splitter = LineSplitter()
    for _ in range(chunks):
        splitter.feed(b"x" * 4096)
    splitter.feed(b"\n")


def read_chunks(number: int) -> None:
    parser = ResponseParser()
    text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" + b"1\r\nx\r\n" * number
    for at in range(0, len(text), 16 * 1024):
        parser.feed(text[at : at + 16 * 1024])


def list_tools(number: int) -> None:
    """List the tools of a workspace without Context Optimization, a thousand per server."""
    servers = [f"s{each}" for each in range(number)]
    config = {"name": "W", "optimization": None}
    entries = {name: {"url": "http://127.0.0.1:9/mcp"} for name in servers}
    catalog = WorkspaceCatalog(
        WorkspaceConfig.model_validate({**config, "mcpServers": entries}), Provider()
    )
    for server, entry in catalog.servers.items():
        catalog.set_listing(server, CachedListing(LISTING, entry.config.config_hash, NOW))
    listing = ToolListings(lambda: False).of(catalog.view(None))
    assert len(listing.result["tools"]) == 1000 * number
    assert len(listing.encoded) > 1000 * number


COSTS: dict[str, tuple[int, Callable[[int], object]]] = {
    "paste: links": (50, lambda n: paste("[[a](b)" + "[a](b)" * n + "x")),
    "paste: spaces": (25_000, lambda n: paste("```\n" + " " * n + "x")),
    "paste: quotes": (12_500, lambda n: paste('{"' + '\\"' * n)),
    "paste: comments": (12_500, lambda n: paste("{" + "/*" * n)),
    "paste: backticks": (600_000, lambda n: paste("`" * n)),
    "glob": (125_000, lambda n: glob("*a" * 50 + "b", "a" * n)),
    "a long line": (250, split_line),
    "tiny chunks": (12_500, read_chunks),
    "poisoning: ignore": (2_500, lambda n: detect("ignore previous " * n)),
    "poisoning: send": (7_500, lambda n: detect("send " * n)),
    "poisoning: do not tell": (3_000, lambda n: detect("do not tell " * n)),
    "poisoning: when": (2_500, lambda n: detect("when tool set " * n)),
    "poisoning: one word": (40_000, lambda n: detect("A" * n)),
    "poisoning: system": (5_000, lambda n: detect("SYSTEM " * n)),
    "poisoning: curl": (7_500, lambda n: detect("curl " * n)),
    "poisoning: long words": (600, lambda n: detect(("a" * 59 + " ") * n)),
    "tools/list": (5, list_tools),
    "word diff": (
        6_000,
        lambda n: word_diff("same start " + "a b " * n, "same start " + "b a " * n),
    ),
}


@pytest.mark.parametrize("name", COSTS)
def test_cost_grows_linearly_with_the_text(name: str) -> None:
    size, run = COSTS[name]
    run(size)  # loads imports and caches
    small, large = (min(computing_s(run, n) for _ in range(3)) for n in (size, size * TIMES))
    assert large < TIMES * TOLERATED * small + 0.01, f"{small:.4f} s, then {large:.4f} s"


def computing_s(run: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    run(size)
    return time.process_time() - began
