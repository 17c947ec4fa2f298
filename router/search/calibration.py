"""Relevance in 0..1 that means the same for every query: about how often such a hit is right.

Two logistic curves over how much of the query's words a tool has and how near its meaning is,
fitted on searches whose right answers are known. Nothing in it depends on the other hits, so that a
bad best hit is seen to be bad.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from router.model import Optimization

if TYPE_CHECKING:
    from router.search.ranking import Scored

NOTHING_FITS = {Optimization.BM25: 0.1, Optimization.HYBRID: 0.05, Optimization.CLOUD: 0.03}
"""A search whose best hit is less relevant than this found nothing that fits. Of searches for what
is there fewer than one in a hundred is told so."""
_WORDS_ONLY = (-2.29, 2.77)
_WITH_MEANING = (-4.23, 1.09, 4.14)


def relevances(
    scored: Sequence[Scored], places: Sequence[int], learned: Sequence[float]
) -> list[float]:
    """For the tools in some `places` of what was scored, with what was learned of each: its
    relevance for the text that fits it best, never rising down the list, since that is sorted by
    what is also compared between the hits."""
    by_text = [_fits(each, places) for each in scored]
    result: list[float] = []
    for known, *fits in zip(learned, *by_text, strict=True):
        fit = max(*fits, known)
        result.append(round(min(fit, result[-1]) if result else fit, 3))
    return result


def _fits(scored: Scored, places: Sequence[int]) -> list[float]:
    at = list(places)
    words: list[float] = scored.words[at].tolist()
    if scored.meaning is None:
        base, slope = _WORDS_ONLY
        return [_logistic(base + slope * each) for each in words]
    base, slope, meaning_slope = _WITH_MEANING
    near: list[float] = scored.meaning[at].tolist()
    pairs = zip(words, near, strict=True)
    return [_logistic(base + slope * word + meaning_slope * other) for word, other in pairs]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))
