"""A query read against an index: which tokens are looked for, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from router.search.lexical import LexicalIndex
from router.search.synonyms import SYNONYMS
from router.search.tokens import tokens_and_words, tokens_of
from router.search.typos import Typos

SYNONYM_WEIGHT = 0.3
TYPO_WEIGHT = 0.7
MAX_TOKENS = 200


@dataclass(slots=True)
class Wish:
    weights: dict[int, float] = field(default_factory=dict[int, float])
    """Tokens of the index with how much each counts."""
    named: dict[int, str] = field(default_factory=dict[int, str])
    """The word of the query that each token stands for, to say what matched."""
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    """All tokens of the query with their words, known to the index or not."""
    ceiling: float = 0.0
    """What a tool would score that had all that was asked for, were it nothing else."""

    def want(self, number: int, weight: float, word: str) -> None:
        if weight > self.weights.get(number, 0.0):
            self.weights[number] = weight
            self.named[number] = word


def read_wish(found: Sequence[str], index: LexicalIndex, typos: Typos) -> Wish:
    """What a text of the words `found` asks for."""
    wish = Wish()
    for token, word in tokens_and_words(found):
        if len(wish.tokens) < MAX_TOKENS:
            wish.tokens.setdefault(token, word)
    for token, word in wish.tokens.items():
        number = index.number(token)
        wish.ceiling += index.idf(number)
        if number is None:
            _want_meant(wish, token, word, index, typos)
        else:
            wish.weights[number] = 1.0
            wish.named[number] = word
        if token in SYNONYMS:
            _want_synonyms(wish, token, number, word, index)
    _want_compounds(wish, found, index)
    return wish


def _want_meant(wish: Wish, token: str, word: str, index: LexicalIndex, typos: Typos) -> None:
    for other in typos.meant(token):
        if (number := index.number(other)) is not None:
            wish.want(number, TYPO_WEIGHT, word)


def _want_synonyms(
    wish: Wish, token: str, known: int | None, word: str, index: LexicalIndex
) -> None:
    """A synonym never counts for more than the word itself would, however rare it is here."""
    for other in SYNONYMS[token]:
        if other in wish.tokens or (number := index.number(other)) is None:
            continue
        fair = min(1.0, index.idf(known) / index.idf(number)) if known is not None else 1.0
        wish.want(number, SYNONYM_WEIGHT * fair, word)


def _want_compounds(wish: Wish, found: Sequence[str], index: LexicalIndex) -> None:
    """ "file system" also finds "filesystem"."""
    for first, second in pairwise(found[:MAX_TOKENS]):
        joined = first + second
        if len(first) > 1 and len(second) > 1 and joined.isascii():
            for token in tokens_of(joined):
                if (number := index.number(token)) is not None:
                    wish.want(number, 1.0, joined)
