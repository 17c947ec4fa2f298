"""Ranking tools for a request: words, meaning and experience brought together.

A `Ranking` is immutable and stands for one set of tools; it is built off the loop and asked on it.
Words and meaning are added with fixed shares, each on its own scale, rather than by rank: how far
ahead a tool is matters. All tools are looked at, the candidates that this leaves are weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.model import Tool
from router.search.calibration import relevances
from router.search.directions import Directions
from router.search.duplicates import Duplicates
from router.search.experience import Experiences
from router.search.explaining import reasons, sentence
from router.search.lexical import LexicalIndex
from router.search.meaning import Vectors
from router.search.segments import Floats, Segment, Vocabulary
from router.search.typos import Typos
from router.search.wishes import Wish, read_wish
from router.searching import SearchHit, SearchRequest

NAME_SHARE = 0.45
"""How much a tool gains whose whole name was asked for."""
MEANING_SHARE = 0.55
LEARNED_SHARE = 0.5
DEPRECATED_SHARE = 0.85
"""What is left to a tool that says it is deprecated: it comes after the one that replaces it."""
CONTEXT_SHARE = 0.01
"""So little that it only decides between tools that are otherwise as good as each other."""
CANDIDATES = 500
"""How many tools of a large catalogue are weighed for each text, beside those wanted."""
_SPARE = 8
"""How many more are looked at than wanted, since some may be the same."""
ALL_WEIGHED = 10_000
"""In a catalogue up to this size every tool is."""

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Look:
    """What one text has to do with each tool, at first sight."""

    wish: Wish
    words: Floats
    vector: Vectors | None
    total: Floats
    """All it takes to choose candidates."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The candidates scored for one text."""

    wish: Wish
    words: Floats
    """In 0..1: how much of what could match does match."""
    meaning: Vectors | None
    total: Floats
    among: int
    """How many tools there are, candidates or not."""


class Ranking:
    def __init__(
        self,
        segments: Sequence[Segment],
        vocabulary: Vocabulary,
        typos: Typos,
        directions: Directions | None = None,
    ) -> None:
        """Without `directions`, words decide."""
        self.tools: tuple[Tool, ...] = tuple(tool for each in segments for tool in each.tools)
        self._index = LexicalIndex(segments, vocabulary)
        self._typos = typos
        self._directions = directions
        none = np.empty(0, dtype=np.bool_)
        deprecated = np.concatenate([none, *(each.deprecated for each in segments)])
        self._shares = np.where(deprecated, DEPRECATED_SHARE, 1.0)
        self._duplicates = Duplicates(self.tools, [each.likenesses for each in segments])

    def search(self, request: SearchRequest) -> list[SearchHit]:
        texts = [text for text in request.queries if text.strip()]
        if not texts or not self.tools:
            return []
        looks = [self._look(text) for text in dict.fromkeys((" ".join(texts), *texts))]
        learned = self._learned(request, looks[0].wish)
        numbers = self._candidates(looks, learned, request.limit)
        scored = [self._scored(look, numbers) for look in looks]
        totals = _fused(scored) * self._shares[numbers]
        for place, number in enumerate(numbers.tolist() if learned else ()):
            totals[place] += LEARNED_SHARE * learned.get(number, 0.0)
        if request.context.strip():
            context = self._scored(self._look(request.context), numbers)
            totals += CONTEXT_SHARE * _normal(context.total) * (totals > 0)
        return self._hits(scored, totals, numbers, learned, request.limit)

    def _look(self, text: str) -> Look:
        wish = read_wish(text, self._index, self._typos)
        words = self._index.scores(wish.weights)
        words *= 1 + NAME_SHARE * self._index.name_coverage(wish.weights)
        if self._directions is None:
            return Look(wish, words, None, words)
        vector = self._directions.table.vector(text)
        total = _normal(words)
        if len(self.tools) > ALL_WEIGHED:
            total = _mixed(total, _normal(np.maximum(self._directions.rough(vector), 0)))
        return Look(wish, words, vector, total)

    def _learned(self, request: SearchRequest, wish: Wish) -> dict[int, float]:
        experiences = Experiences(request.experiences, self._index)
        gains = experiences.gains(wish.tokens) if request.experiences else {}
        numbers = self._numbers if gains else {}
        return {numbers[key]: gain for key, gain in gains.items() if key in numbers}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {str(tool.key): number for number, tool in enumerate(self.tools)}

    def _candidates(self, looks: Sequence[Look], learned: dict[int, float], limit: int) -> Numbers:
        """The tools worth a closer look, in their order."""
        if len(self.tools) <= ALL_WEIGHED:
            return np.arange(len(self.tools))
        sure = self._directions is None and len(looks) == 1
        count = 2 * limit + (_SPARE if sure else CANDIDATES)
        best = [_best(look.total, count) for look in looks]
        return np.unique(np.concatenate([*best, np.array(list(learned), dtype=np.int64)]))

    def _scored(self, look: Look, numbers: Numbers) -> Scored:
        words = look.words[numbers]
        total, meaning = _normal(words), None
        if self._directions is not None and look.vector is not None:
            some = numbers if len(numbers) < len(self.tools) else None
            meaning = self._directions.near(look.vector, some)
            total = _mixed(total, _normal(np.maximum(meaning, 0)))
        ceiling = look.wish.ceiling * self._index.best_gain * (1 + NAME_SHARE)
        share = words / ceiling if ceiling else words
        return Scored(look.wish, share, meaning, total, len(self.tools))

    def _hits(
        self,
        scored: Sequence[Scored],
        totals: Floats,
        numbers: Numbers,
        learned: dict[int, float],
        limit: int,
    ) -> list[SearchHit]:
        places = _best(totals, 2 * limit + _SPARE)
        best = dict(zip(numbers[places].tolist(), places.tolist(), strict=True))
        # One more than wanted: how relevant the last is depends on how far ahead of the next it is.
        chosen: list[int] = self._duplicates.distinct(best, limit + 1)
        if not chosen:
            return []
        known = [learned.get(number, 0.0) for number in chosen]
        at = [best[number] for number in chosen]
        relevance = relevances(scored, self._shares.take(numbers), at, known)[:limit]
        chosen, at, known = chosen[:limit], at[:limit], known[:limit]
        whys = reasons(scored[0], self._index, at, chosen, known)
        return [
            SearchHit(self.tools[number], near, sentence(why), self._duplicates.of(number), why)
            for number, near, why in zip(chosen, relevance, whys, strict=True)
        ]


def _fused(scored: Sequence[Scored]) -> Floats:
    """All texts together plus the best single one, so that a task that needs three tools gets all
    three; the first is the joined text."""
    joined, *single = scored
    totals = _normal(joined.total)
    if single:
        totals = (totals + np.maximum.reduce([_normal(each.total) for each in single])) / 2
    return totals


def _mixed(words: Floats, meaning: Floats) -> Floats:
    """Both together, each on a scale to 1. Changes both: they may be long."""
    words *= 1 - MEANING_SHARE
    meaning *= MEANING_SHARE
    words += meaning
    return words


def _normal(scores: Floats | Vectors) -> Floats:
    """With the best at 1, so that they can be added to others."""
    top = float(scores.max(initial=0.0))
    return np.multiply(scores, 1 / top if top > 0 else 1.0, dtype=np.float64)


def _best(totals: Floats, count: int) -> Numbers:
    """The places of the best by score, equals in the order of the tools."""
    candidates = np.flatnonzero(totals > 0)
    if len(candidates) > count:
        values = totals[candidates]
        least = np.partition(values, len(values) - count)[len(values) - count]
        candidates = candidates[values >= least]
    return candidates[np.argsort(-totals[candidates], kind="stable")[:count]]
