"""Boosts from usage history: tools that were used after a similar search score higher.

Similarity is lexical, weighted by IDF. A boost only ever adds to a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from router.domain.search import UsageSignal
from router.search.index.bm25_index import BM25Index
from router.search.index.tool_index import ToolIndex

MIN_SIMILARITY = 0.5
"""Less similar past searches are ignored."""


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
