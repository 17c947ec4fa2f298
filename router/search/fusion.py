"""Stage 3, score and fuse: one score for each candidate.

Lexical and dense scores are combined for each text; then the texts of a request, what usage history
adds, and the context. Tools that were used after a similar search get a boost: similarity is
lexical, weighted by IDF, and a boost only ever adds to a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from router.domain.search import UsageSignal
from router.search.candidates import Candidates, TextMatches, positions_of
from router.search.index.arrays import Float32Array, Float64Array
from router.search.index.bm25_index import BM25Index
from router.search.index.tool_index import ToolIndex
from router.search.scores import hybrid_scores, maximum

USAGE_WEIGHT = 0.5
MIN_SIMILARITY = 0.5
"""Less similar past searches are ignored."""
CONTEXT_WEIGHT = 0.01
"""So small that it only decides between tools whose scores are otherwise equal."""


@dataclass(slots=True)
class ScoredText:
    """The candidates scored for one text."""

    matches: TextMatches
    lexical: Float64Array
    max_lexical: float
    """The lexical score of a tool that has everything the text asks for."""
    similarities: Float32Array | None
    """None: the search is lexical."""
    total: Float64Array
    """The hybrid score times the tool's prior."""
    top: float
    """The best hybrid score, without priors."""
    catalog_size: int
    """How many tools there are, candidates or not."""


def score_candidates(matches: TextMatches, candidates: Candidates, index: ToolIndex) -> ScoredText:
    lexical = total = matches.lexical.scores[candidates]
    similarities = None
    if index.embeddings is not None and matches.embedding is not None:
        similarities = index.embeddings.similarities(matches.embedding, candidates)
        total = hybrid_scores(lexical, similarities)
    return ScoredText(
        matches,
        lexical,
        matches.query.idf_sum * index.bm25.max_gain or 1.0,
        similarities,
        total * index.priors[candidates],
        maximum(total),
        index.count,
    )


def fuse_texts(scored: Sequence[ScoredText]) -> Float64Array:
    """The mean of the joined text, which comes first, and the best single one: so a task of three
    steps finds the tools of all three."""
    joined, *single = scored
    totals = joined.total / joined.top
    if single:
        totals = (totals + np.maximum.reduce([each.total / each.top for each in single])) / 2
    return totals


def usage_boosts(
    signals: Sequence[UsageSignal], tokens: Iterable[str], index: ToolIndex
) -> dict[int, float]:
    """The boost in 0..1 of tools for a search of `tokens`, by tool number."""
    if not signals:
        return {}
    query = frozenset(tokens)
    best: dict[str, float] = {}
    for signal in signals:
        similarity = _similarity(query, signal.tokens, index.bm25)
        if similarity >= MIN_SIMILARITY:
            boost = similarity * signal.strength
            best[signal.tool] = max(best.get(signal.tool, 0.0), boost)
    # `numbers` is computed when first needed.
    return {index.numbers[key]: boost for key, boost in best.items() if key in index.numbers}


def _similarity(one: frozenset[str], other: frozenset[str], index: BM25Index) -> float:
    """Weighted Jaccard similarity: the IDF of shared tokens over the IDF of all tokens."""
    shared = _idf_sum(one & other, index)
    return shared / _idf_sum(one | other, index) if shared else 0.0


def _idf_sum(tokens: Iterable[str], index: BM25Index) -> float:
    return sum(index.idf(index.token_id(token)) for token in tokens)


def add_usage(totals: Float64Array, boosts: Mapping[int, float], candidates: Candidates) -> None:
    if boosts:
        totals[positions_of(boosts, candidates)] += USAGE_WEIGHT * np.array([*boosts.values()])


def add_context(totals: Float64Array, context: ScoredText) -> None:
    """The context finds nothing by itself."""
    totals += CONTEXT_WEIGHT / context.top * context.total * (totals > 0)
