"""`python -m bench.calibration DATA`: fits what relevance means, and says how well it keeps to it.

DATA holds a folder for each set of searches whose right answers are known: `catalog.jsonl` with
tools as `bench.rank` reads them, `queries.jsonl` with `query` and `gold`, the keys that are right,
and `meta.json`, whose `kind` is "api" if the tools are not those of MCP servers.
Sets of many servers are also cut into catalogues of about fifty tools, such as a person has. One
search in ten is made up to be for what is not there: it is a search of an unrelated set.

A set's relevances are judged by a comparison fitted to the unrelated sets only. How well a tool
fits by itself, and from where on nothing fits, are taken as they are shipped: those were chosen
on all sets, so what is said of them here is no proof for other searches. Printed for each
strategy: the numbers for `router/search/calibration.py`, fitted to all sets; how often first hits
were right beside what was said; the mean square error (Brier) of that, and of what is shipped
now; and how many searches are told that nothing fits.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.rank import read_tools
from router.domain.search import SearchRequest
from router.domain.workspaces import Optimization
from router.search import ranking
from router.search.calibration import (
    COMPARING,
    NOTHING_FITS,
    Comparing,
    Evidence,
    evidence,
    lead,
    relevance,
)
from router.search.provider import Provider

SMALL = 50
PARTS = 14
QUERIES = 400
"""Of each set at most, by chance."""
FOREIGN_SHARE = 0.1
FOREIGN_EACH = 100
HITS = 8

Numbers: TypeAlias = NDArray[np.float64]
Entry: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Searched:
    family: str
    source: str
    of_servers: bool
    foreign: bool
    evidence: list[list[Evidence]]
    """Of each hit, for each text."""
    right: list[bool]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description="Fit.")
    parser.add_argument("data", type=Path)
    folders = sorted(each for each in parser.parse_args().data.iterdir() if each.is_dir())
    chance = random.Random(1)
    queries = {folder.name: _some(_lines(folder / "queries.jsonl"), chance) for folder in folders}
    for strategy in (Optimization.HYBRID, Optimization.BM25):
        searched: list[Searched] = []
        for folder in folders:
            searched += _searched(folder, queries, strategy)
        _report(strategy, [each for each in searched if each.right])


def _lines(path: Path) -> list[Entry]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _some(queries: list[Entry], chance: random.Random) -> list[Entry]:
    return chance.sample(queries, min(QUERIES, len(queries)))


def _family(name: str) -> str:
    """Sets of the same queries or tools, which can't judge each other."""
    return name.removeprefix("hay_").split("_")[0]


def _searched(
    folder: Path, queries: dict[str, list[Entry]], strategy: Optimization
) -> Iterator[Searched]:
    chance, family = random.Random(2), _family(folder.name)
    of_servers = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["kind"] != "api"
    others = [each for name, some in queries.items() if _family(name) != family for each in some]
    for source, catalog in _catalogues(folder, chance):
        keys = {entry["tool_key"] for entry in catalog}
        search = _Search(catalog, strategy)
        for query in queries[folder.name]:
            if keys.intersection(query["gold"]):
                found = search.ask(query["query"], set(query["gold"]))
                yield Searched(family, source, of_servers, False, *found)
        count = FOREIGN_EACH if source == folder.name else FOREIGN_EACH // PARTS
        for query in chance.sample(others, count):
            found = search.ask(query["query"], set())
            yield Searched(family, source, of_servers, True, *found)


def _catalogues(folder: Path, chance: random.Random) -> Iterator[tuple[str, list[Entry]]]:
    catalog = _lines(folder / "catalog.jsonl")
    yield folder.name, catalog
    servers: dict[str, list[Entry]] = {}
    for entry in catalog:
        servers.setdefault(entry["server"], []).append(entry)
    if len(catalog) < 2 * SMALL or len(servers) < PARTS or folder.name.startswith("hay_"):
        return
    names = sorted(servers)
    chance.shuffle(names)
    for _ in range(PARTS):
        part: list[Entry] = []
        while names and len(part) < SMALL:
            part += servers[names.pop()]
        if part:
            yield f"{folder.name}, small", part


class _Search:
    """Searches as clients do, and looks at what their relevance is made of."""

    def __init__(self, catalog: Sequence[Entry], strategy: Optimization) -> None:
        tools = read_tools(catalog)
        pairs = zip(tools, catalog, strict=True)
        self._keys = {tool.key: str(entry["tool_key"]) for tool, entry in pairs}
        self._strategy = strategy
        meaning = strategy is Optimization.HYBRID
        self._ranking = Provider().build(tools, meaning=meaning)
        self._seen: list[list[Evidence]] = []

    def ask(self, texts: Sequence[str], gold: set[str]) -> tuple[list[list[Evidence]], list[bool]]:
        ranking.relevances, kept = self._look, ranking.relevances
        try:
            hits = self._ranking.search(SearchRequest(tuple(texts), HITS, self._strategy))
        finally:
            ranking.relevances = kept
        found = [{self._keys[key] for key in (hit.tool.key, *hit.also)} for hit in hits]
        right = [not gold.isdisjoint(keys) for keys in found]
        return self._seen[: len(hits)], right

    def _look(
        self, scored: Sequence[ranking.Scored], places: Sequence[int], learned: Sequence[float]
    ) -> list[float]:
        by_text = [evidence(each, places) for each in scored]
        self._seen = [list(each) for each in zip(*by_text, strict=True)]
        return list(learned)


def _report(strategy: Optimization, searched: Sequence[Searched]) -> None:
    families = sorted({each.family for each in searched})
    weights = _weights(searched)
    said: dict[int, float] = {}
    for family in families:
        others = [each for each in searched if each.family != family]
        fitted = _fitted(others, [weights[id(each)] for each in others])
        for each in searched:
            if each.family == family:
                said[id(each)] = _first(each, strategy, fitted)
    print(f"\n{strategy}: {_fitted(searched, [weights[id(each)] for each in searched])}")
    native = [each for each in searched if not each.foreign]
    by = np.array([weights[id(each)] for each in native])
    right = np.array([each.right[0] for each in native], dtype=np.float64)
    judged = np.array([said[id(each)] for each in native])
    shipped = np.array([_first(each, strategy, COMPARING[strategy]) for each in native])
    _print_reliability(judged, right, by)
    errors = [float(np.average((each - right) ** 2, weights=by)) for each in (judged, shipped)]
    print(f"  Brier {errors[0]:.3f}; of what is shipped {errors[1]:.3f}")
    _print_refused(strategy, searched)


def _weights(searched: Sequence[Searched]) -> dict[int, float]:
    """Sets by the root of their size, so that large ones don't decide alone."""
    sizes = Counter((each.source, each.foreign) for each in searched)
    native = {id(each): sizes[each.source, False] ** -0.5 for each in searched if not each.foreign}
    total, foreign = sum(native.values()), len(searched) - len(native)
    share = FOREIGN_SHARE / (1 - FOREIGN_SHARE) * total / max(1, foreign)
    return {id(each): native.get(id(each), share) for each in searched}


def _first(searched: Searched, strategy: Optimization, comparing: Comparing) -> float:
    least = NOTHING_FITS[strategy]
    return max(relevance(each, comparing, least) for each in searched.evidence[0])


def _fitted(searched: Sequence[Searched], weights: Sequence[float]) -> Comparing:
    rows: list[tuple[float, ...]] = []
    for each, weight in zip(searched, weights, strict=True):
        for texts, right in zip(each.evidence, each.right, strict=True):
            best = max(texts, key=lambda one: one[0])
            rows.append((1.0, *_features(best), float(right), weight))
    table = np.array(rows)
    base, fit, ahead, behind = _logistic_fit(table[:, :4], table[:, 4], table[:, 5]).round(2)
    return Comparing(float(base), float(fit), float(ahead), float(behind))


def _features(one: Evidence) -> tuple[float, float, float]:
    """As `relevance` weighs them."""
    odds, ahead = one
    fit = 1 / (1 + math.exp(-odds))
    return odds, lead(fit, max(ahead, 0.0)), min(ahead, 0.0)


def _logistic_fit(features: Numbers, right: Numbers, weights: Numbers) -> Numbers:
    """By Newton's method; a few parameters need no library."""
    result = np.zeros(features.shape[1])
    for _ in range(30):
        said = 1 / (1 + np.exp(-features @ result))
        slope = features.T @ (weights * (right - said))
        curve = (features * (weights * said * (1 - said))[:, None]).T @ features
        result += np.linalg.solve(curve + 1e-6 * np.eye(len(result)), slope)
    return result


def _print_reliability(said: Numbers, right: Numbers, weights: Numbers) -> None:
    tenths = np.minimum((said * 10).astype(int), 9)
    for tenth in range(10):
        here = tenths == tenth
        if here.any():
            mean, share = (np.average(each[here], weights=weights[here]) for each in (said, right))
            print(f"  {here.sum():5} first hits: said {mean:.2f}, right {share:.2f}")


def _print_refused(strategy: Optimization, searched: Sequence[Searched]) -> None:
    least = NOTHING_FITS[strategy]
    kinds = {
        "for what is there and came first": [each for each in searched if each.right[0]],
        "of these, in catalogues of MCP servers": [
            each for each in searched if each.right[0] and each.of_servers
        ],
        "for what is not there": [each for each in searched if each.foreign],
    }
    for kind, some in kinds.items():
        told = sum(_first(each, strategy, COMPARING[strategy]) < least for each in some)
        print(f"  nothing fits: {told / max(1, len(some)):.1%} of searches {kind}")


if __name__ == "__main__":
    main()
