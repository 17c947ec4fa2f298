"""`python -m bench.search`: what a search costs, by number of tools, beside rank-bm25.

The catalogue is made up: servers of a hundred tools whose words are as common as words are, a few
very and most of them rarely. Times of searches are the best of some rounds for each query, those of
building are of the processor, so that they say what the work costs and not what else the computer
does.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from router.catalog.reading import read_tool
from router.model import Optimization, ServerId, Tool
from router.search.meaning import meaning_table
from router.search.provider import Provider
from router.search.tokens import STOP_WORDS, tokenize
from router.searching import SearchRequest

SIZES = (100, 1_000, 10_000, 100_000)
TOOLS_PER_SERVER = 100
QUERIES = 60
ROUNDS = 3
REFERENCE_UP_TO = 10_000
"""The reference reads every tool for every query: larger catalogues would take minutes."""


@dataclass(frozen=True, slots=True)
class Times:
    p50_ms: float
    p95_ms: float
    p99_ms: float

    def __str__(self) -> str:
        return f"{self.p50_ms:7.3f} {self.p95_ms:7.3f} {self.p99_ms:7.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description="Time searches.")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, metavar="N")
    options = parser.parse_args()
    chance = random.Random(3)
    words = _words()
    queries = [" ".join(_some(words, chance, 6)) for _ in range(QUERIES)]
    print(f"{'tools':>8}  {'strategy':10}  p50 ms  p95 ms  p99 ms   build s   add server ms")
    for size in options.sizes:
        _measure(size, catalogue(size, words, chance), words, queries, chance)


def _measure(
    size: int, tools: list[Tool], words: Sequence[str], queries: list[str], chance: random.Random
) -> None:
    provider = Provider()
    for strategy in (Optimization.BM25, Optimization.HYBRID):
        meaning = strategy is Optimization.HYBRID
        started = time.process_time()
        ranking = provider.build(tools, meaning=meaning)
        built_s = time.process_time() - started
        more = [*tools, *server("added", words, chance)]
        started = time.process_time()
        provider.build(more, meaning=meaning)
        added_ms = 1000 * (time.process_time() - started)
        times = timed(lambda text, r=ranking: r.search(SearchRequest((text,), 8)), queries)
        print(f"{size:8,}  {strategy:10} {times}  {built_s:8.2f}   {added_ms:8.1f}", flush=True)
    if size <= REFERENCE_UP_TO:
        print(f"{size:8,}  {'rank-bm25':10} {timed(_reference(tools), queries)}", flush=True)


def timed(search: Callable[[str], object], queries: Sequence[str]) -> Times:
    took = sorted(min(_once(search, query) for _ in range(ROUNDS)) for query in queries)
    return Times(*(1000 * took[round(share * (len(took) - 1))] for share in (0.5, 0.95, 0.99)))


def _once(search: Callable[[str], object], query: str) -> float:
    started = time.perf_counter()
    search(query)
    return time.perf_counter() - started


def _reference(tools: Sequence[Tool]) -> Callable[[str], object]:
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

    index: Any = BM25Okapi([tokenize(f"{tool.key.tool} {tool.description}") for tool in tools])
    return lambda text: index.get_scores(tokenize(text)).argsort()[-8:]


def catalogue(size: int, words: Sequence[str], chance: random.Random) -> list[Tool]:
    servers = -(-size // TOOLS_PER_SERVER)
    tools = [tool for n in range(servers) for tool in server(f"server{n:04}", words, chance)]
    return tools[:size]


def server(name: str, words: Sequence[str], chance: random.Random) -> list[Tool]:
    return [_tool(name, number, words, chance) for number in range(TOOLS_PER_SERVER)]


def _tool(name: str, number: int, words: Sequence[str], chance: random.Random) -> Tool:
    properties = {
        word: {"type": "string", "description": " ".join(_some(words, chance, 8))}
        for word in _some(words, chance, 4)
    }
    wire: dict[str, Any] = {
        "name": "_".join([*_some(words, chance, 3), str(number)]),
        "description": " ".join(_some(words, chance, 30)),
        "inputSchema": {"type": "object", "properties": properties},
    }
    return read_tool(ServerId(name), name, wire)


def _words() -> list[str]:
    """Real words, so that they have a meaning too."""
    known = [word for word in meaning_table().words if word.isalpha() and len(word) > 3]
    return [word for word in known if word not in STOP_WORDS][:8_000]


def _some(words: Sequence[str], chance: random.Random, count: int) -> list[str]:
    """Words as common as in real texts: the hundredth is a hundredth as common as the first."""
    return [words[int(len(words) ** chance.random()) - 1] for _ in range(count)]


if __name__ == "__main__":
    main()
