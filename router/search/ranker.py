"""Runs the stages of a search over one set of tools. See the package's docstring.

Immutable: built off the event loop, used on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from router.domain.search import SearchHit, SearchRequest
from router.search.calibration import calibrate
from router.search.candidates import SPARE, is_empty, match_text, select_candidates, tools_at
from router.search.explanation import explain, sentence
from router.search.fusion import (
    ScoredText,
    add_context,
    add_usage,
    fuse_texts,
    score_candidates,
    usage_boosts,
)
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


class Ranker:
    def __init__(self, index: ToolIndex) -> None:
        self.index = index

    def search(self, request: SearchRequest) -> list[SearchHit]:
        ranking = self.rank(request)
        if ranking is None:
            return []
        tools = ranking.tools[: request.limit]
        relevances = calibrate(ranking.scored, ranking.positions, ranking.boosts)
        reasons = explain(ranking.scored[0], ranking.positions, tools, ranking.boosts)
        return [
            SearchHit(
                self.index.tools[number], relevance, sentence(why), self.index.also_on(number), why
            )
            for number, relevance, why in zip(tools, relevances, reasons, strict=False)
        ]

    def rank(self, request: SearchRequest) -> Ranking | None:
        """None: nothing was found."""
        index = self.index
        queries = [query for query in request.queries if query.strip()]
        if not queries or not index.count:
            return None
        texts = dict.fromkeys((" ".join(queries), *queries))
        matches = [match_text(text, index) for text in texts]
        boosts = usage_boosts(request.usage, matches[0].query.tokens, index)
        candidates = select_candidates(matches, boosts, request.limit, index)
        if is_empty(candidates):
            return None
        scored = [score_candidates(each, candidates, index) for each in matches]
        totals = fuse_texts(scored)
        add_usage(totals, boosts, candidates)
        if request.context.strip():
            context = match_text(request.context, index)
            add_context(totals, score_candidates(context, candidates, index))
        best = top_k(totals, 2 * request.limit + SPARE)
        numbers = tools_at(best, candidates)
        position_of = dict(zip(numbers.tolist(), best.tolist(), strict=True))
        tools = index.duplicates.distinct(position_of, request.limit + 1)
        if not tools:
            return None
        positions = [position_of[number] for number in tools]
        return Ranking(scored, tools, positions, [boosts.get(number, 0.0) for number in tools])
