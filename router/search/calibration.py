"""Stage 4, calibrate: relevance in 0..1 that is comparable between searches, about the probability
that a hit is right.

First the fit of a tool by itself: how much of the query's words it has and how similar its
embedding is. A tool that hardly fits does not become relevant by being the best there is, so a bad
best hit is seen to be bad. Then its lead: a tool far ahead of the next is more often the one that
was meant than one of five with similar scores. The coefficients are fitted to searches with known
answers by `python -m bench.calibration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from router.domain.workspaces import Optimization

# The gateway needs `MIN_RELEVANCE` and must not load arrays for it.
if TYPE_CHECKING:
    from router.search.fusion import ScoredText

MIN_RELEVANCE = {Optimization.BM25: 0.1, Optimization.HYBRID: 0.05, Optimization.CLOUD: 0.03}
"""A search whose best hit is less relevant than this found nothing that fits. About one in a
hundred searches for an existing tool is below."""
NEGLIGIBLE = 0.02
"""A hit less relevant than this only fills a reply."""
MAX_LEAD = 0.5
"""A larger lead, as a share of the best score, counts no more than this."""
LEAD_WITHOUT_RIVAL = 0.3
"""The lead of the only hit: nothing else has a word in common with the query, so that it is right
less often than a hit that is ahead of others."""
FULL_LEAD_FIT = 0.3
"""The lead of a tool that fits less than this counts less."""
_LEXICAL_FIT = (-2.29, 2.77)
_HYBRID_FIT = (-3.49, 1.09, 4.14, -0.15)
"""The last is for the size of the catalog: among many tools some are similar to anything. Lexical
scores need none, since IDF grows with the catalog."""


class Coefficients(NamedTuple):
    """Of the logistic regression, in log odds."""

    intercept: float
    fit: float
    lead: float
    deficit: float


COEFFICIENTS = {
    Optimization.BM25: Coefficients(-0.68, 0.16, 7.23, 3.95),
    Optimization.HYBRID: Coefficients(0.16, 0.50, 7.27, 5.80),
}


Evidence: TypeAlias = tuple[float, float]
"""For one tool and one text: the log odds that it fits by itself, and its lead over the next best
as a share of the best score; negative if it is behind the best."""


def relevance(evidence: Evidence, coefficients: Coefficients, min_fit: float) -> float:
    """A tool that fits less than `min_fit` by itself gains nothing by its lead."""
    log_odds, lead = evidence
    intercept, by_fit, by_lead, by_deficit = coefficients
    fit = 1 / (1 + exp(-log_odds))
    compared = by_lead * effective_lead(fit, lead) if lead > 0 else by_deficit * lead
    result = 1 / (1 + exp(-intercept - by_fit * log_odds - compared))
    return result if fit >= min_fit or result < fit else fit


def effective_lead(fit: float, lead: float) -> float:
    """What counts of a lead."""
    capped = lead if lead < MAX_LEAD else MAX_LEAD
    return capped * fit / FULL_LEAD_FIT if fit < FULL_LEAD_FIT else capped


def calibrate(
    scored: Sequence[ScoredText],
    rivals: Sequence[Sequence[int]],
    positions: Sequence[int],
    boosts: Sequence[float],
) -> list[float]:
    """The relevance of the tools at some `positions` of the candidates, with the usage boost of
    each: that for the text that fits it best. `rivals` are the positions of the best tools of each
    text."""
    is_lexical = scored[0].similarities is None
    strategy = Optimization.BM25 if is_lexical else Optimization.HYBRID
    coefficients, min_fit = COEFFICIENTS[strategy], MIN_RELEVANCE[strategy]
    result = list(boosts)
    for text, own in zip(scored, rivals, strict=True):
        evidence = evidence_of(text, positions, own)
        fits = [relevance(each, coefficients, min_fit) for each in evidence]
        result = list(map(max, result, fits))
    return [round(each, 3) for each in result]


def evidence_of(
    scored: ScoredText, positions: Sequence[int], rivals: Sequence[int]
) -> list[Evidence]:
    """The tools at `rivals` are distinct: a duplicate on another server does not compete."""
    at = list(positions)
    totals = scored.total
    top = float(totals[totals.argmax()]) or 1.0
    here: list[float] = totals.take(at).tolist()
    competing: list[float] = totals.take(list(rivals)).tolist()
    second = sorted(competing)[-2] if len(competing) > 1 else 0.0
    first = (top - second) / top if second > 0 else LEAD_WITHOUT_RIVAL
    leads = [first if each >= top else (each - top) / top for each in here]
    return list(zip(_fit_log_odds(scored, at), leads, strict=True))


def _fit_log_odds(scored: ScoredText, at: list[int]) -> list[float]:
    lexical: list[float] = scored.lexical.take(at).tolist()
    if scored.similarities is None:
        intercept, by_lexical = _LEXICAL_FIT
        return [intercept + by_lexical * each / scored.max_lexical for each in lexical]
    intercept, by_lexical, by_similarity, by_size = _HYBRID_FIT
    intercept += by_size * log(scored.catalog_size)
    similarities: list[float] = scored.similarities.take(at).tolist()
    return [
        intercept + by_lexical * score / scored.max_lexical + by_similarity * similarity
        for score, similarity in zip(lexical, similarities, strict=True)
    ]
