"""Relevance in 0..1 that means the same for every query: about how often such a hit is right.

First, how well a tool fits by itself: how much of the query's words it has and how near its meaning
is. What hardly fits by itself is not made relevant by being the best there is, so that a bad best
hit is seen to be bad. Then, how it compares: a tool far ahead of the next is more often the one
that was meant than one of five that fit as well. Fitted on searches whose right answers are known,
by `python -m bench.calibration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from router.domain.workspaces import Optimization

if TYPE_CHECKING:
    from router.search.ranking import Scored

NOTHING_FITS = {Optimization.BM25: 0.1, Optimization.HYBRID: 0.05, Optimization.CLOUD: 0.03}
"""A search whose best hit is less relevant than this found nothing that fits. Of searches for what
is there about one in a hundred is told so."""
FULL_LEAD = 0.5
"""Who is ahead of the next by so much of the score is as far ahead as counts."""
ALONE = 0.3
"""So far ahead counts who has no rival at all: such a hit is best because nothing else has a word
in common with the query, which is right less often than to be ahead of others that have."""
FULL_FIT = 0.3
"""What fits less than this by itself gains less from being ahead."""
_WORDS_ONLY = (-2.29, 2.77)
_WITH_MEANING = (-3.49, 1.09, 4.14, -0.15)
"""The last for the size of the catalogue: among many tools some mean nearly anything. Words need no
such thing, since a word is the more telling the more tools don't have it."""


class Comparing(NamedTuple):
    """What counts how much, in log odds."""

    base: float
    fit: float
    ahead: float
    behind: float


COMPARING = {
    Optimization.BM25: Comparing(-0.68, 0.16, 7.23, 3.95),
    Optimization.HYBRID: Comparing(0.16, 0.50, 7.27, 5.80),
}


Evidence: TypeAlias = tuple[float, float]
"""What speaks for one tool, given one text: the odds that it fits by itself, as their logarithm,
and how far ahead of the next best it is, in shares of the best score; if
behind the best, negative."""


def relevance(one: Evidence, comparing: Comparing, least: float) -> float:
    """What fits less than `least` by itself gains nothing by comparison."""
    odds, ahead = one
    base, by_fit, by_ahead, by_behind = comparing
    fit = 1 / (1 + exp(-odds))
    compared = by_ahead * lead(fit, ahead) if ahead > 0 else by_behind * ahead
    result = 1 / (1 + exp(-base - by_fit * odds - compared))
    return result if fit >= least or result < fit else fit


def lead(fit: float, ahead: float) -> float:
    """What counts of being ahead."""
    counting = ahead if ahead < FULL_LEAD else FULL_LEAD
    return counting * fit / FULL_FIT if fit < FULL_FIT else counting


def relevances(
    scored: Sequence[Scored], places: Sequence[int], learned: Sequence[float]
) -> list[float]:
    """For the tools in some `places` of what was scored, with what was learned of each: its
    relevance for the text that fits it best, never rising down the list, since that is sorted by
    more than one text."""
    strategy = Optimization.BM25 if scored[0].meaning is None else Optimization.HYBRID
    comparing, least = COMPARING[strategy], NOTHING_FITS[strategy]
    result = list(learned)
    for each in scored:
        fits = [relevance(one, comparing, least) for one in evidence(each, places)]
        result = list(map(max, result, fits))
    return [round(each, 3) for each in accumulate(result, min)]


def evidence(scored: Scored, places: Sequence[int]) -> list[Evidence]:
    """Those in `places` are different tools: the same on another server is no rival."""
    at = list(places)
    totals = scored.total
    top = float(totals[totals.argmax()]) or 1.0
    here: list[float] = totals.take(at).tolist()
    second = sorted(here)[-2] if len(here) > 1 else 0.0
    first = (top - second) / top if second > 0 else ALONE
    aheads = [first if each >= top else (each - top) / top for each in here]
    return list(zip(_odds(scored, at), aheads, strict=True))


def _odds(scored: Scored, at: list[int]) -> list[float]:
    words: list[float] = scored.words.take(at).tolist()
    if scored.meaning is None:
        base, by_words = _WORDS_ONLY
        return [base + by_words * each / scored.ceiling for each in words]
    base, by_words, by_meaning, by_size = _WITH_MEANING
    base += by_size * log(scored.among)
    near: list[float] = scored.meaning.take(at).tolist()
    return [
        base + by_words * word / scored.ceiling + by_meaning * other
        for word, other in zip(words, near, strict=True)
    ]
