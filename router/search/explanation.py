"""Stage 5, explain: which words of the query a tool has, or that its meaning is similar."""

from __future__ import annotations

from collections.abc import Sequence

from router.domain.search import MatchReasons
from router.search.fusion import ScoredText

MAX_WORDS = 4
SIMILAR = 0.45
"""From this similarity on it is mentioned in addition to matching words."""


def explain(
    scored: ScoredText, positions: Sequence[int], tools: Sequence[int], boosts: Sequence[float]
) -> list[MatchReasons]:
    """For each of the `tools`, with their positions among the candidates and their usage boosts;
    both may go on beyond the tools."""
    sources = scored.matches.query.source_words
    result: list[MatchReasons] = []
    matching = scored.matches.lexical.tokens_in(tools)
    for tokens, position, boost in zip(matching, positions, boosts, strict=False):
        words = tuple(dict.fromkeys([sources[token] for token in tokens]))[:MAX_WORDS]
        similarity = _similarity(scored, position, has_words=bool(words))
        result.append(MatchReasons(words, similarity, boost > 0))
    return result


def _similarity(scored: ScoredText, position: int, *, has_words: bool) -> float | None:
    """None where it explains nothing: low, with words that match."""
    if scored.similarities is None:
        return None
    similarity = float(scored.similarities[position])
    return None if has_words and similarity < SIMILAR else min(1.0, max(0.0, similarity))


def sentence(reasons: MatchReasons) -> str:
    """For clients, in English."""
    parts = [f"matches {', '.join(reasons.words)}"] if reasons.words else []
    if reasons.similarity is not None:
        parts.append("similar meaning")
    if reasons.used_before:
        parts.append("used before for this")
    return "; ".join(parts) or "similar meaning"
