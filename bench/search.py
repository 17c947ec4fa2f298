"""`python -m bench.search`: the cost of a search by number of tools, compared with rank-bm25.

The catalogs are generated: servers of a hundred tools, with words distributed as in real texts.
The strategies take turns, round by round, after a warm-up round, so that other load on the computer
affects them alike. Search times are the best of several rounds for each query; `x` is how many
times as fast as rank-bm25 the median is. `first` is the median of searches for words that were not
searched for before. Times of building and of adding a server are CPU time.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from router.catalog.tool_definition import read_tool
from router.domain.ids import ServerId
from router.domain.search import SearchRequest
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.search.index.embeddings import word_embeddings
from router.search.provider import Provider
from router.search.text.tokenizer import STOP_WORDS, tokenize

SIZES = (100, 1_000, 10_000, 100_000)
TOOLS_PER_SERVER = 100
QUERIES = 60
ROUNDS = 10
ADDED = 5
"""How many servers are added, one at a time; the median counts."""
REFERENCE_UP_TO = 10_000
"""The reference reads every tool for every query: larger catalogs would take minutes."""


_REFERENCE = "rank-bm25"
Search: TypeAlias = Callable[[str], object]
T = TypeVar("T")


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
    print(f"{'tools':>8}  {'strategy':10}  p50 ms  p95 ms  p99 ms     x   first   build s  add ms")
    for size in options.sizes:
        _measure(size, make_catalog(size, words, chance), words, queries, chance)


def _measure(
    size: int, tools: list[Tool], words: Sequence[str], queries: list[str], chance: random.Random
) -> None:
    provider = Provider()
    searches: dict[str, Search] = {}
    costs: dict[str, str] = {}
    for strategy in (Optimization.BM25, Optimization.HYBRID):
        dense = strategy is Optimization.HYBRID
        ranker, built_ms = _cpu_timed(lambda d=dense: provider.build(tools, embeddings=d))
        more = [[*tools, *make_server(f"added{n}", words, chance)] for n in range(ADDED)]
        added = [_cpu_timed(lambda t=t, d=dense: provider.build(t, embeddings=d))[1] for t in more]
        searches[strategy] = lambda text, r=ranker: r.search(SearchRequest((text,), 8))
        costs[strategy] = f"{built_ms / 1000:8.2f}  {statistics.median(added):6.1f}"
    if size <= REFERENCE_UP_TO:
        searches[_REFERENCE] = _reference(tools)
    others = [" ".join(_some(words, chance, 6)) for _ in queries]
    first = {name: statistics.median(each) for name, each in _round(searches, others)}
    times = dict(timed(searches, queries))
    for name, each in times.items():
        ratio = times[_REFERENCE].p50_ms / each.p50_ms if _REFERENCE in times else math.nan
        print(f"{size:8,}  {name:10} {each} {ratio:5.1f} {first[name]:7.3f}  {costs.get(name, '')}")


def timed(searches: Mapping[str, Search], queries: Sequence[str]) -> Iterator[tuple[str, Times]]:
    """The best of several rounds for each query, the searches taking turns."""
    rounds = [dict(_round(searches, queries)) for _ in range(ROUNDS)]
    for name in searches:
        best = sorted(map(min, zip(*(each[name] for each in rounds), strict=True)))
        yield name, Times(*(best[round(share * (len(best) - 1))] for share in (0.5, 0.95, 0.99)))


def _round(
    searches: Mapping[str, Search], queries: Sequence[str]
) -> Iterator[tuple[str, list[float]]]:
    """The milliseconds of each search for each query."""
    for name, search in searches.items():
        yield name, [_once(search, query) for query in queries]


def _once(search: Search, query: str) -> float:
    started = time.perf_counter()
    search(query)
    return 1000 * (time.perf_counter() - started)


def _cpu_timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work`, and its CPU time in milliseconds."""
    started = time.process_time()
    result = work()
    return result, 1000 * (time.process_time() - started)


def _reference(tools: Sequence[Tool]) -> Search:
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

    index: Any = BM25Okapi([tokenize(f"{tool.key.tool} {tool.description}") for tool in tools])
    return lambda text: index.get_scores(tokenize(text)).argsort()[-8:]


def make_catalog(size: int, words: Sequence[str], chance: random.Random) -> list[Tool]:
    servers = -(-size // TOOLS_PER_SERVER)
    tools = [tool for n in range(servers) for tool in make_server(f"server{n:04}", words, chance)]
    return tools[:size]


def make_server(name: str, words: Sequence[str], chance: random.Random) -> list[Tool]:
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
    """Real words, so that they have embeddings too."""
    known = [word for word in word_embeddings().words if word.isalpha() and len(word) > 3]
    return [word for word in known if word not in STOP_WORDS][:8_000]


def _some(words: Sequence[str], chance: random.Random, count: int) -> list[str]:
    """Words by Zipf's law: the hundredth is a hundredth as frequent as the first."""
    return [words[int(len(words) ** chance.random()) - 1] for _ in range(count)]


if __name__ == "__main__":
    main()
