"""Ranking tools for a request: words, meaning and experience brought together.

A `Ranking` is immutable and stands for one set of tools; it is built off the loop and asked on it.
Words and meaning are added with fixed shares, each on its own scale, rather than by rank: how far
ahead a tool is matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from router.model import Tool
from router.search.calibration import relevances
from router.search.duplicates import Duplicates
from router.search.experience import Experiences
from router.search.explaining import explanations
from router.search.lexical import LexicalIndex
from router.search.meaning import MeaningTable, Vectors
from router.search.segments import Floats, Segment, Vocabulary
from router.search.typos import Typos
from router.search.wishes import Wish, read_wish
from router.searching import SearchHit, SearchRequest

NAME_SHARE = 0.45
"""How much a tool gains whose whole name was asked for."""
MEANING_SHARE = 0.5
LEARNED_SHARE = 0.5
CONTEXT_SHARE = 0.01
"""So little that it only decides between tools that are otherwise as good as each other."""


@dataclass(frozen=True, slots=True)
class Scored:
    """All tools scored for one text."""

    wish: Wish
    words: Floats
    """In 0..1: how much of what could match does match."""
    meaning: Vectors | None
    total: Floats


class Ranking:
    def __init__(
        self,
        segments: Sequence[Segment],
        vocabulary: Vocabulary,
        typos: Typos,
        meaning: tuple[MeaningTable, Vectors] | None = None,
    ) -> None:
        """`meaning` is the table and the direction of each tool, a column each; without it, words
        decide."""
        self.tools: tuple[Tool, ...] = tuple(tool for each in segments for tool in each.tools)
        self._index = LexicalIndex(segments, vocabulary)
        self._typos = typos
        self._meaning = meaning
        self._duplicates = Duplicates(self.tools, [each.likenesses for each in segments])

    def search(self, request: SearchRequest) -> list[SearchHit]:
        texts = [text for text in request.queries if text.strip()]
        if not texts or not self.tools:
            return []
        scored = [self._scored(text) for text in dict.fromkeys((" ".join(texts), *texts))]
        totals = _fused(scored)
        experiences = Experiences(request.experiences, self.tools, self._index)
        learned = experiences.gains(scored[0].wish.tokens)
        for number, gain in learned.items():
            totals[number] += LEARNED_SHARE * gain
        if request.context.strip():
            totals += CONTEXT_SHARE * _normal(self._scored(request.context).total) * (totals > 0)
        return self._hits(scored, totals, learned, request.limit)

    def _scored(self, text: str) -> Scored:
        wish = read_wish(text, self._index, self._typos)
        words = self._index.scores(wish.weights)
        words *= 1 + NAME_SHARE * self._index.name_coverage(wish.weights)
        total, meaning = _normal(words), None
        if self._meaning is not None:
            table, directions = self._meaning
            meaning = table.vector(text) @ directions
            total *= 1 - MEANING_SHARE
            total += MEANING_SHARE * _normal(np.maximum(meaning, 0))
        ceiling = wish.ceiling * self._index.best_gain * (1 + NAME_SHARE)
        return Scored(wish, words / ceiling if ceiling else words, meaning, total)

    def _hits(
        self, scored: Sequence[Scored], totals: Floats, learned: dict[int, float], limit: int
    ) -> list[SearchHit]:
        chosen = self._duplicates.distinct(_best(totals, 2 * limit + 8), limit)
        if not chosen:
            return []
        relevance = relevances(scored, chosen, learned)
        reasons = explanations(scored[0], self._index, chosen, learned)
        return [
            SearchHit(self.tools[number], relevant, reason, self._duplicates.of(number))
            for number, relevant, reason in zip(chosen, relevance, reasons, strict=True)
        ]


def _fused(scored: Sequence[Scored]) -> Floats:
    """All texts together plus the best single one, so that a task that needs three tools gets all
    three; the first is the joined text."""
    joined, *single = scored
    totals = _normal(joined.total)
    if single:
        totals = (totals + np.maximum.reduce([_normal(each.total) for each in single])) / 2
    return totals


def _normal(scores: Floats | Vectors) -> Floats:
    """With the best at 1, so that they can be added to others."""
    top = float(scores.max(initial=0.0))
    return np.multiply(scores, 1 / top if top > 0 else 1.0, dtype=np.float64)


def _best(totals: Floats, count: int) -> list[int]:
    """The best by score, equals in the order of the tools."""
    candidates = np.flatnonzero(totals > 0)
    if len(candidates) > count:
        values = totals[candidates]
        least = np.partition(values, len(values) - count)[len(values) - count]
        candidates = candidates[values >= least]
    order = np.argsort(-totals[candidates], kind="stable")[:count]
    return [int(number) for number in candidates[order]]
