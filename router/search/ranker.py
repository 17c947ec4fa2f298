"""Runs the stages of a search over one set of tools. See the package's docstring.

Immutable: built off the event loop, used on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from router.domain.search import SearchHit, SearchRequest
from router.search.calibration import calibrate
from router.search.candidates import (
    SPARE,
    Candidates,
    is_empty,
    match_text,
    select_candidates,
    tools_at,
)
from router.search.explanation import explain, sentence
from router.search.fusion import (
    ScoredText,
    add_context,
    add_usage,
    fuse_texts,
    score_candidates,
    usage_boosts,
)
from router.search.index.arrays import Float64Array
from router.search.index.tool_index import ToolIndex
from router.search.scores import top_k


@dataclass(slots=True)
class Ranking:
    """Distinct tools, best first, before calibration. One more than requested: the relevance of the
    last hit depends on its lead over the next."""

    scored: Sequence[ScoredText]
    """All queries joined, then each of several."""
    tools: Sequence[int]
    positions: Sequence[int]
    """Of the tools among the candidates."""
    boosts: Sequence[float]
    """What usage history adds to each tool."""
    rivals: Sequence[Sequence[int]]
    """For each text that decides relevance, the best distinct tools of that text alone."""

    @property
    def deciding(self) -> Sequence[ScoredText]:
        """The texts that decide relevance: each query by itself, so that it does not matter which
        others are asked beside it."""
        return self.scored[1:] or self.scored


class Ranker:
    def __init__(self, index: ToolIndex) -> None:
        self.index = index

    def search(self, request: SearchRequest) -> list[SearchHit]:
        ranking = self.rank(request)
        if ranking is None:
            return []
        tools = ranking.tools[: request.limit]
        relevances = calibrate(ranking.deciding, ranking.rivals, ranking.positions, ranking.boosts)
        several = len(ranking.scored) > 1
        if not several:  # the list is sorted by more than the text: it never rises down the list
            relevances = list(accumulate(relevances, min))
        reasons = explain(ranking.scored[0], ranking.positions, tools, ranking.boosts)
        hits = [
            SearchHit(
                self.index.tools[number], relevance, sentence(why), self.index.also_on(number), why
            )
            for number, relevance, why in zip(tools, relevances, reasons, strict=False)
        ]
        return sorted(hits, key=lambda hit: -hit.relevance) if several else hits

    def rank(self, request: SearchRequest) -> Ranking | None:
        """None: nothing was found."""
        index = self.index
        queries = [query for query in request.queries if query.strip()]
        if not queries or not index.count:
            return None
        texts = dict.fromkeys((" ".join(queries), *queries))
        matches = [match_text(text, index) for text in texts]
        boosts: dict[int, float] = {}
        for each in matches:
            for number, boost in usage_boosts(request.usage, each.query.tokens, index).items():
                boosts[number] = max(boosts.get(number, 0.0), boost)
        candidates = select_candidates(matches, boosts, request.limit, index)
        if is_empty(candidates):
            return None
        scored = [score_candidates(each, candidates, index) for each in matches]
        totals = fuse_texts(scored)
        add_usage(totals, boosts, candidates)
        if request.context.strip():
            context = match_text(request.context, index)
            add_context(totals, score_candidates(context, candidates, index))
        best = self._distinct(totals, candidates, request.limit)
        if not best:
            return None
        single = [
            list(self._distinct(each.total, candidates, request.limit).values())
            for each in scored[1:]
        ]
        positions = list(best.values())
        return Ranking(
            scored,
            list(best),
            positions,
            [boosts.get(number, 0.0) for number in best],
            single or [positions],
        )

    def _distinct(self, totals: Float64Array, candidates: Candidates, limit: int) -> dict[int, int]:
        """The best distinct tools, with their positions among the candidates."""
        best = top_k(totals, 2 * limit + SPARE)
        numbers = tools_at(best, candidates)
        position_of = dict(zip(numbers.tolist(), best.tolist(), strict=True))
        tools = self.index.duplicates.distinct(position_of, limit + 1)
        return {number: position_of[number] for number in tools}
