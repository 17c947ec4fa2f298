"""Ranking tools for a request: words, meaning and experience brought together.

A `Ranking` is immutable and stands for one set of tools; it is built off the loop and asked on it.
Words and meaning are added with fixed shares, each on its own scale, rather than by rank: how far
ahead a tool is matters. All tools are looked at, the candidates that this leaves are weighed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.domain.ids import ToolKey
from router.domain.search import SearchHit, SearchRequest
from router.domain.tools import Tool
from router.search.calibration import relevances
from router.search.directions import Directions
from router.search.duplicates import Duplicates
from router.search.experience import Experiences
from router.search.explaining import reasons, sentence
from router.search.lexical import Found, LexicalIndex
from router.search.meaning import Vectors
from router.search.segments import Floats, Segment
from router.search.tokens import words as read_words
from router.search.typos import Typos
from router.search.wishes import Wish, read_wish

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
_ALL = slice(None)


@dataclass(slots=True)
class Look:
    """What one text has to do with each tool, at first sight."""

    wish: Wish
    found: Found
    vector: Vectors | None


@dataclass(slots=True)
class Scored:
    """The candidates scored for one text."""

    wish: Wish
    found: Found
    words: Floats
    ceiling: float
    """What `words` would be of a tool that has all that was asked for."""
    meaning: Vectors | None
    total: Floats
    """Both together, and of a deprecated tool what is left of that."""
    top: float
    """The best of them, were none deprecated."""
    among: int
    """How many tools there are, candidates or not."""


class Ranking:
    def __init__(
        self,
        segments: Sequence[Segment],
        index: LexicalIndex,
        typos: Typos,
        directions: Directions | None = None,
    ) -> None:
        """Of the tools in `segments`, by an index of them. Without `directions`, words decide."""
        self._segments = segments
        self._starts = [0, *accumulate(len(each.tools) for each in segments)]
        self._index = index
        self._typos = typos
        self._directions = directions
        none = np.empty(0, dtype=np.bool_)
        deprecated = np.concatenate([none, *(each.deprecated for each in segments)])
        self._shares = np.where(deprecated, DEPRECATED_SHARE, 1.0)
        self._duplicates = Duplicates([each.likenesses for each in segments])

    def search(self, request: SearchRequest) -> list[SearchHit]:
        texts = [text for text in request.queries if text.strip()]
        if not texts or not self._segments:
            return []
        looks = [self._look(text) for text in dict.fromkeys((" ".join(texts), *texts))]
        learned = self._learned(request, looks[0].wish)
        numbers = self._candidates(looks, learned, request.limit)
        if not isinstance(numbers, slice) and not len(numbers):
            return []
        scored = [self._scored(look, numbers) for look in looks]
        totals = _fused(scored)
        if learned:
            totals[_places(learned, numbers)] += LEARNED_SHARE * np.array([*learned.values()])
        if request.context.strip():
            context = self._scored(self._look(request.context), numbers)
            totals += CONTEXT_SHARE / context.top * context.total * (totals > 0)
        return self._hits(scored, totals, numbers, learned, request.limit)

    def _look(self, text: str) -> Look:
        words = read_words(text)
        wish = read_wish(words, self._index, self._typos)
        vector = self._directions and self._directions.table.vector(words)
        return Look(wish, self._index.find(wish.weights), vector)

    def _learned(self, request: SearchRequest, wish: Wish) -> dict[int, float]:
        if not request.experiences:
            return {}
        gains = Experiences(request.experiences, self._index).gains(wish.tokens)
        numbers = self._numbers if gains else {}
        return {numbers[key]: gain for key, gain in gains.items() if key in numbers}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        tools = (tool for each in self._segments for tool in each.tools)
        return {str(tool.key): number for number, tool in enumerate(tools)}

    def _candidates(
        self, looks: Sequence[Look], learned: dict[int, float], limit: int
    ) -> Numbers | slice:
        """The tools worth a closer look, in their order."""
        if self._index.count <= ALL_WEIGHED:
            return _ALL
        sure = self._directions is None and len(looks) == 1
        count = 2 * limit + (_SPARE if sure else CANDIDATES)
        best = [_best(self._rough(look), count) for look in looks]
        return np.unique(np.concatenate([*best, np.array(list(learned), dtype=np.int64)]))

    def _rough(self, look: Look) -> Floats:
        """All it takes to choose candidates."""
        if self._directions is None or look.vector is None:
            return look.found.scores
        return _mixed(look.found.scores, self._directions.rough(look.vector))

    def _scored(self, look: Look, numbers: Numbers | slice) -> Scored:
        words = total = look.found.scores[numbers]
        meaning = None
        if self._directions is not None and look.vector is not None:
            meaning = self._directions.near(look.vector, numbers)
            total = _mixed(words, meaning)
        ceiling = look.wish.ceiling * self._index.best_gain or 1.0
        shared, among = total * self._shares[numbers], self._index.count
        return Scored(look.wish, look.found, words, ceiling, meaning, shared, _top(total), among)

    def _hits(
        self,
        scored: Sequence[Scored],
        totals: Floats,
        numbers: Numbers | slice,
        learned: dict[int, float],
        limit: int,
    ) -> list[SearchHit]:
        best = _best(totals, 2 * limit + _SPARE)
        tools = best if isinstance(numbers, slice) else numbers[best]
        place_of = dict(zip(tools.tolist(), best.tolist(), strict=True))
        # One more than wanted: how relevant the last is depends on how far ahead of the next it is.
        chosen = self._duplicates.distinct(place_of, limit + 1)
        if not chosen:
            return []
        known = [learned.get(number, 0.0) for number in chosen]
        places = [place_of[number] for number in chosen]
        relevant = relevances(scored, places, known)[:limit]
        whys = reasons(scored[0], places, chosen[:limit], known)
        return [
            SearchHit(self._tool(number), relevance, sentence(why), self._also(number), why)
            for number, relevance, why in zip(chosen, relevant, whys, strict=False)
        ]

    def _tool(self, number: int) -> Tool:
        at = bisect_right(self._starts, number) - 1
        return self._segments[at].tools[number - self._starts[at]]

    def _also(self, number: int) -> tuple[ToolKey, ...]:
        """The keys under which other servers have a tool."""
        return tuple([self._tool(other).key for other in self._duplicates.others(number)])


def _places(wanted: Iterable[int], numbers: Numbers | slice) -> Numbers:
    """Where some tools are among the candidates."""
    each = np.array([*wanted])
    return each if isinstance(numbers, slice) else numbers.searchsorted(each)


def _fused(scored: Sequence[Scored]) -> Floats:
    """All texts together plus the best single one, so that a task that needs three tools gets all
    three; the first is the joined text."""
    joined, *single = scored
    totals = joined.total / joined.top
    if single:
        totals = (totals + np.maximum.reduce([each.total / each.top for each in single])) / 2
    return totals


def _mixed(words: Floats, meaning: Vectors) -> Floats:
    """Both together, each on a scale to 1; what means the contrary is as far away as the rest."""
    near = np.maximum(meaning, 0)
    total = words * ((1 - MEANING_SHARE) / _top(words))
    total += np.multiply(near, MEANING_SHARE / _top(near), dtype=np.float64)
    return total


def _top(scores: Floats | Vectors) -> float:
    """The best, or where nothing was found any number to divide by."""
    return float(scores[scores.argmax()]) or 1.0


def _best(totals: Floats, count: int) -> Numbers:
    """The places of the best by score, equals in the order of the tools."""
    # Those that were found first: parting many equal zeros takes ten times as long.
    places = (totals > 0).nonzero()[0]
    values = totals[places]
    if len(values) > count:
        chosen = values >= np.partition(values, -count)[-count]
        places, values = places[chosen], values[chosen]
    return places[(-values).argsort(kind="stable")[:count]]
