"""`python -m bench.rank CATALOG.jsonl --strategy bm25|hybrid`: answers searches, line by line.

Each line of the catalog is a tool: `tool_key`, `server`, `name`, `description` and `parameters`
(each with `name` and `description`). For each line `{"query": [...], "k": 10}` on standard input it
prints a JSON list of tool keys from the catalog, best first, found by the code that serves clients.
Duplicates on several servers follow each other, since clients get them as one result.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from router.catalog.tool_definition import read_tool
from router.domain.ids import ServerId, ToolKey
from router.domain.search import SearchRequest
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.search.index.tool_document import field_texts
from router.search.provider import Provider
from router.search.ranker import Ranker
from router.search.text.tokenizer import tokenize

Entry: TypeAlias = dict[str, Any]
Rank: TypeAlias = Callable[[Sequence[str], int], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.rank", description="Answer searches.")
    parser.add_argument("catalog", type=Path)
    choices = [str(Optimization.BM25), str(Optimization.HYBRID)]
    parser.add_argument("--strategy", choices=choices, default=choices[-1])
    options = parser.parse_args()
    lines = options.catalog.read_text(encoding="utf-8").splitlines()
    rank = make_ranker([json.loads(line) for line in lines if line], Optimization(options.strategy))
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(rank(request["query"], request["k"])), flush=True)


def make_ranker(catalog: Sequence[Entry], strategy: Optimization) -> Rank:
    ranker, keys = build_index(catalog, strategy)

    def rank(queries: Sequence[str], count: int) -> list[str]:
        hits = ranker.search(SearchRequest(tuple(queries), count, strategy))
        found: Iterable[ToolKey] = (key for hit in hits for key in (hit.tool.key, *hit.also_on))
        return [keys[key] for key in found][:count]

    return rank


def build_index(
    catalog: Sequence[Entry], strategy: Optimization
) -> tuple[Ranker, dict[ToolKey, str]]:
    """The index of all tools, and the `tool_key` of each in the catalog."""
    seen: Counter[tuple[str, str]] = Counter()
    keys: dict[ToolKey, str] = {}
    tools: list[Tool] = []
    for entry in catalog:
        tool = _tool(entry, seen[entry["server"], entry["name"]])
        seen[entry["server"], entry["name"]] += 1
        keys[tool.key] = str(entry["tool_key"])
        tools.append(tool)
    return Provider().build(tools, embeddings=strategy is Optimization.HYBRID), keys


def hybrid(catalog: Sequence[Entry]) -> Rank:
    """For an evaluator that takes a Python factory."""
    return make_ranker(catalog, Optimization.HYBRID)


def bm25(catalog: Sequence[Entry]) -> Rank:
    return make_ranker(catalog, Optimization.BM25)


def reference(catalog: Sequence[Entry]) -> Rank:
    """rank-bm25 on the same tokens, all fields joined."""
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

    texts = [" ".join(field_texts(_tool(entry, 0))) for entry in catalog]
    index: Any = BM25Okapi([tokenize(text) or [""] for text in texts])

    def rank(queries: Sequence[str], count: int) -> list[str]:
        scores: Any = index.get_scores(tokenize(" ".join(queries)))
        best: list[int] = (-scores).argsort(kind="stable")[:count].tolist()
        return [str(catalog[number]["tool_key"]) for number in best]

    return rank


def _tool(entry: Entry, earlier: int) -> Tool:
    """A tool whose name its server has `earlier` times already gets another server id."""
    parameters: list[dict[str, Any]] = entry["parameters"]
    properties = {each["name"]: {"description": each["description"]} for each in parameters}
    wire = {
        "name": entry["name"],
        "description": entry["description"],
        "inputSchema": {"type": "object", "properties": properties},
    }
    server = f"{entry['server']}#{earlier}" if earlier else entry["server"]
    return read_tool(ServerId(server), entry["server"], wire)


if __name__ == "__main__":
    main()
