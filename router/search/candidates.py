"""Stage 2, candidates: match a text with all tools and select those that are scored exactly.

In a small catalog every tool is a candidate. In a large one BM25F scores and the first dimensions
of the embeddings select some hundred; that loses nothing that would have come first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from router.search.index.arrays import Float32Array, Float64Array, Int64Array
from router.search.index.bm25_index import BM25Matches
from router.search.index.tool_index import ToolIndex
from router.search.parsed_query import ParsedQuery, parse_query
from router.search.scores import hybrid_scores, top_k
from router.search.text.tokenizer import split_words

CANDIDATES_PER_TEXT = 500
"""In a large catalog, in addition to twice the number of requested hits."""
SCORE_ALL_UP_TO = 10_000
"""In a catalog of at most this size every tool is a candidate."""
SPARE = 8
"""How many more than twice the requested hits are selected, since some may be duplicates."""

Candidates: TypeAlias = Int64Array | slice
"""Tool numbers in ascending order; a slice: all tools. Scores of candidates are arrays in the same
order, so a tool's position among the candidates is not its number."""
_ALL = slice(None)


@dataclass(slots=True)
class TextMatches:
    """What one text has in common with every tool."""

    query: ParsedQuery
    lexical: BM25Matches
    embedding: Float32Array | None


def match_text(text: str, index: ToolIndex) -> TextMatches:
    words = split_words(text)
    query = parse_query(words, index.bm25, index.spelling)
    embedding = index.embeddings and index.embeddings.model.embed(words)
    return TextMatches(query, index.bm25.match(query.weights), embedding)


def select_candidates(
    matches: Sequence[TextMatches], boosted: Collection[int], limit: int, index: ToolIndex
) -> Candidates:
    """The best tools of each text, and those that usage history boosts."""
    if index.count <= SCORE_ALL_UP_TO:
        return _ALL
    is_exact = index.embeddings is None and len(matches) == 1
    count = 2 * limit + (SPARE if is_exact else CANDIDATES_PER_TEXT)
    best = [top_k(_coarse_scores(each, index), count) for each in matches]
    return np.unique(np.concatenate([*best, np.array(list(boosted), dtype=np.int64)]))


def is_empty(candidates: Candidates) -> bool:
    return not isinstance(candidates, slice) and not len(candidates)


def positions_of(tools: Iterable[int], candidates: Candidates) -> Int64Array:
    """Where some tools are among the candidates."""
    numbers = np.array([*tools])
    return numbers if isinstance(candidates, slice) else candidates.searchsorted(numbers)


def tools_at(positions: Int64Array, candidates: Candidates) -> Int64Array:
    return positions if isinstance(candidates, slice) else candidates[positions]


def _coarse_scores(matches: TextMatches, index: ToolIndex) -> Float64Array:
    if index.embeddings is None or matches.embedding is None:
        return matches.lexical.scores
    similarities = index.embeddings.coarse_similarities(matches.embedding)
    return hybrid_scores(matches.lexical.scores, similarities)
