"""Stage 1, parse the query: which tokens of an index it asks for, and how much each counts.

Beside its own tokens a query has expansions: corrected spellings, synonyms and compounds. An
expansion is a function that adds tokens to the `ParsedQuery`, with a weight of at most 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from router.search.index.bm25_index import BM25Index
from router.search.text.spelling import SpellingIndex
from router.search.text.synonyms import SYNONYMS
from router.search.text.tokenizer import tokens_with_words, word_tokens

SYNONYM_WEIGHT = 0.3
CORRECTION_WEIGHT = 0.7
MAX_TOKENS = 200


@dataclass(slots=True)
class ParsedQuery:
    weights: dict[int, float] = field(default_factory=dict[int, float])
    """Token ids of the index, each with its weight."""
    source_words: dict[int, str] = field(default_factory=dict[int, str])
    """The word of the query that each token id comes from, to explain matches."""
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    """All tokens of the query with their words, known to the index or not."""
    idf_sum: float = 0.0
    """Of all `tokens`: what a tool with all of them would score, before BM25's other factors."""

    def add(self, token: int, weight: float, word: str) -> None:
        """Of several reasons for a token, the one of the largest weight counts."""
        if weight > self.weights.get(token, 0.0):
            self.weights[token] = weight
            self.source_words[token] = word


def parse_query(words: Sequence[str], index: BM25Index, spelling: SpellingIndex) -> ParsedQuery:
    """Parse a text that was split into `words`."""
    query = ParsedQuery()
    for token, word in tokens_with_words(words):
        if len(query.tokens) < MAX_TOKENS:
            query.tokens.setdefault(token, word)
    for token, word in query.tokens.items():
        token_id = index.token_id(token)
        query.idf_sum += index.idf(token_id)
        if token_id is None:
            _add_corrections(query, token, word, index, spelling)
        else:
            query.weights[token_id] = 1.0
            query.source_words[token_id] = word
        if token in SYNONYMS:
            _add_synonyms(query, token, token_id, word, index)
    _add_compounds(query, words, index)
    return query


def _add_corrections(
    query: ParsedQuery, token: str, word: str, index: BM25Index, spelling: SpellingIndex
) -> None:
    for other in spelling.corrections(token):
        if (token_id := index.token_id(other)) is not None:
            query.add(token_id, CORRECTION_WEIGHT, word)


def _add_synonyms(
    query: ParsedQuery, token: str, known: int | None, word: str, index: BM25Index
) -> None:
    """A synonym never counts for more than the word itself would, however rare it is here."""
    for other in SYNONYMS[token]:
        if other in query.tokens or (token_id := index.token_id(other)) is None:
            continue
        limit = min(1.0, index.idf(known) / index.idf(token_id)) if known is not None else 1.0
        query.add(token_id, SYNONYM_WEIGHT * limit, word)


def _add_compounds(query: ParsedQuery, words: Sequence[str], index: BM25Index) -> None:
    """ "file system" also finds "filesystem"."""
    for first, second in pairwise(words[:MAX_TOKENS]):
        joined = first + second
        if len(first) > 1 and len(second) > 1 and joined.isascii():
            for token in word_tokens(joined):
                if (token_id := index.token_id(token)) is not None:
                    query.add(token_id, 1.0, joined)
