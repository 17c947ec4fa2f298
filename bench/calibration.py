"""`python -m bench.calibration DATA`: fits the calibration of relevance and evaluates it.

DATA has a folder for each set of queries with known answers: `catalog.jsonl` with tools as
`bench.rank` reads them, `queries.jsonl` with `query` and `gold`, the keys of the right tools, and
`meta.json`, whose `kind` is "api" if the tools are not those of MCP servers. Sets of many servers
are also split into catalogs of about fifty tools, as a user has. One search in ten is a negative: a
query of an unrelated set, whose tool is not there.

Cross-validated: a set is evaluated with coefficients fitted to the unrelated sets only. The fit of
a tool by itself and `MIN_RELEVANCE` are used as shipped: they were chosen on all sets, so their
figures here prove nothing for other searches. Printed for each strategy: the coefficients for
`router/search/calibration.py`, fitted to all sets; a reliability table of the first hits; the Brier
score, cross-validated and as shipped; and how many searches are answered with "no tool fits".
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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.rank import Entry, build_index
from router.domain.search import SearchRequest
from router.domain.workspaces import Optimization
from router.search.calibration import (
    COEFFICIENTS,
    MIN_RELEVANCE,
    Coefficients,
    Evidence,
    effective_lead,
    evidence_of,
    relevance,
)

SMALL_CATALOG = 50
SMALL_CATALOGS = 14
MAX_QUERIES = 400
"""Of each set, sampled."""
NEGATIVE_SHARE = 0.1
NEGATIVES_PER_SET = 100
HITS = 8

FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedSearch:
    family: str
    source: str
    is_mcp: bool
    is_negative: bool
    evidence: list[list[Evidence]]
    """Of each hit, for each text."""
    right: list[bool]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description="Calibrate.")
    parser.add_argument("data", type=Path)
    folders = sorted(each for each in parser.parse_args().data.iterdir() if each.is_dir())
    chance = random.Random(1)
    queries = {folder.name: _sample(_lines(folder / "queries.jsonl"), chance) for folder in folders}
    for strategy in (Optimization.HYBRID, Optimization.BM25):
        searches: list[JudgedSearch] = []
        for folder in folders:
            searches += _judged_searches(folder, queries, strategy)
        _report(strategy, [each for each in searches if each.right])


def _lines(path: Path) -> list[Entry]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _sample(queries: list[Entry], chance: random.Random) -> list[Entry]:
    return chance.sample(queries, min(MAX_QUERIES, len(queries)))


def _family(name: str) -> str:
    """Sets with the same queries or tools, which can't validate each other."""
    return name.removeprefix("hay_").split("_")[0]


def _judged_searches(
    folder: Path, queries: dict[str, list[Entry]], strategy: Optimization
) -> Iterator[JudgedSearch]:
    chance, family = random.Random(2), _family(folder.name)
    is_mcp = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["kind"] != "api"
    others = [each for name, some in queries.items() if _family(name) != family for each in some]
    for source, catalog in _catalogs(folder, chance):
        keys = {entry["tool_key"] for entry in catalog}
        search = _Search(catalog, strategy)
        for query in queries[folder.name]:
            if keys.intersection(query["gold"]):
                found = search.judge(query["query"], set(query["gold"]))
                yield JudgedSearch(family, source, is_mcp, False, *found)
        count = NEGATIVES_PER_SET if source == folder.name else NEGATIVES_PER_SET // SMALL_CATALOGS
        for query in chance.sample(others, count):
            found = search.judge(query["query"], set())
            yield JudgedSearch(family, source, is_mcp, True, *found)


def _catalogs(folder: Path, chance: random.Random) -> Iterator[tuple[str, list[Entry]]]:
    catalog = _lines(folder / "catalog.jsonl")
    yield folder.name, catalog
    servers: dict[str, list[Entry]] = {}
    for entry in catalog:
        servers.setdefault(entry["server"], []).append(entry)
    is_small = len(catalog) < 2 * SMALL_CATALOG or len(servers) < SMALL_CATALOGS
    if is_small or folder.name.startswith("hay_"):
        return
    names = sorted(servers)
    chance.shuffle(names)
    for _ in range(SMALL_CATALOGS):
        part: list[Entry] = []
        while names and len(part) < SMALL_CATALOG:
            part += servers[names.pop()]
        if part:
            yield f"{folder.name}, small", part


class _Search:
    """Runs a client's search up to calibration, and returns the evidence that calibration has."""

    def __init__(self, catalog: Sequence[Entry], strategy: Optimization) -> None:
        self._strategy = strategy
        self._ranker, self._keys = build_index(catalog, strategy)

    def judge(
        self, queries: Sequence[str], gold: set[str]
    ) -> tuple[list[list[Evidence]], list[bool]]:
        """Of each hit: its evidence for each text, and whether it is right."""
        ranking = self._ranker.rank(SearchRequest(tuple(queries), HITS, self._strategy))
        if ranking is None:
            return [], []
        index, tools = self._ranker.index, ranking.tools[:HITS]
        texts = zip(ranking.deciding, ranking.rivals, strict=True)
        by_text = [evidence_of(text, ranking.positions, rivals) for text, rivals in texts]
        by_hit = [list(each) for each in zip(*by_text, strict=True)]
        found = [
            {self._keys[key] for key in (index.tools[number].key, *index.also_on(number))}
            for number in tools
        ]
        return by_hit[: len(tools)], [not gold.isdisjoint(keys) for keys in found]


def _report(strategy: Optimization, searches: Sequence[JudgedSearch]) -> None:
    families = sorted({each.family for each in searches})
    weights = _weights(searches)
    predicted: dict[int, float] = {}
    for family in families:
        others = [each for each in searches if each.family != family]
        fitted = _fit(others, [weights[id(each)] for each in others])
        for each in searches:
            if each.family == family:
                predicted[id(each)] = _first_relevance(each, strategy, fitted)
    print(f"\n{strategy}: {_fit(searches, [weights[id(each)] for each in searches])}")
    positive = [each for each in searches if not each.is_negative]
    by = np.array([weights[id(each)] for each in positive])
    right = np.array([each.right[0] for each in positive], dtype=np.float64)
    validated = np.array([predicted[id(each)] for each in positive])
    shipped = np.array(
        [_first_relevance(each, strategy, COEFFICIENTS[strategy]) for each in positive]
    )
    _print_reliability(validated, right, by)
    errors = [float(np.average((each - right) ** 2, weights=by)) for each in (validated, shipped)]
    print(f"  Brier {errors[0]:.3f}; as shipped {errors[1]:.3f}")
    _print_refused(strategy, searches)


def _weights(searches: Sequence[JudgedSearch]) -> dict[int, float]:
    """Each set counts by the root of its size, so that large ones don't dominate."""
    sizes = Counter((each.source, each.is_negative) for each in searches)
    positive = [each for each in searches if not each.is_negative]
    weights = {id(each): sizes[each.source, False] ** -0.5 for each in positive}
    total, negatives = sum(weights.values()), len(searches) - len(positive)
    share = NEGATIVE_SHARE / (1 - NEGATIVE_SHARE) * total / max(1, negatives)
    return {id(each): weights.get(id(each), share) for each in searches}


def _first_relevance(
    search: JudgedSearch, strategy: Optimization, coefficients: Coefficients
) -> float:
    min_relevance = MIN_RELEVANCE[strategy]
    return max(relevance(each, coefficients, min_relevance) for each in search.evidence[0])


def _fit(searches: Sequence[JudgedSearch], weights: Sequence[float]) -> Coefficients:
    rows: list[tuple[float, ...]] = []
    for each, weight in zip(searches, weights, strict=True):
        for texts, right in zip(each.evidence, each.right, strict=True):
            best = max(texts, key=lambda one: one[0])
            rows.append((1.0, *_features(best), float(right), weight))
    table = np.array(rows)
    fitted: list[float] = _logistic_fit(table[:, :4], table[:, 4], table[:, 5]).round(2).tolist()
    return Coefficients(*fitted)


def _features(evidence: Evidence) -> tuple[float, float, float]:
    """As `relevance` weights them."""
    log_odds, lead = evidence
    fit = 1 / (1 + math.exp(-log_odds))
    return log_odds, effective_lead(fit, max(lead, 0.0)), min(lead, 0.0)


def _logistic_fit(features: FloatArray, right: FloatArray, weights: FloatArray) -> FloatArray:
    """By Newton's method; a few parameters need no library."""
    result = np.zeros(features.shape[1])
    for _ in range(30):
        predicted = 1 / (1 + np.exp(-features @ result))
        gradient = features.T @ (weights * (right - predicted))
        hessian = (features * (weights * predicted * (1 - predicted))[:, None]).T @ features
        result += np.linalg.solve(hessian + 1e-6 * np.eye(len(result)), gradient)
    return result


def _print_reliability(predicted: FloatArray, right: FloatArray, weights: FloatArray) -> None:
    tenths = np.minimum((predicted * 10).astype(int), 9)
    for tenth in range(10):
        here = tenths == tenth
        if here.any():
            mean, share = (
                np.average(each[here], weights=weights[here]) for each in (predicted, right)
            )
            print(f"  {here.sum():5} first hits: relevance {mean:.2f}, right {share:.2f}")


def _print_refused(strategy: Optimization, searches: Sequence[JudgedSearch]) -> None:
    min_relevance = MIN_RELEVANCE[strategy]
    kinds = {
        "whose right tool came first": [each for each in searches if each.right[0]],
        "of these, in catalogs of MCP servers": [
            each for each in searches if each.right[0] and each.is_mcp
        ],
        "for a tool that is not there": [each for each in searches if each.is_negative],
    }
    for kind, some in kinds.items():
        firsts = [_first_relevance(each, strategy, COEFFICIENTS[strategy]) for each in some]
        refused = sum(first < min_relevance for first in firsts)
        print(f"  no tool fits: {refused / max(1, len(some)):.1%} of searches {kind}")


if __name__ == "__main__":
    main()
