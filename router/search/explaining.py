"""Why a tool was found, in a few words: which of the query's words it has, or that it means it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from router.domain.search import Why

if TYPE_CHECKING:
    from router.search.ranking import Scored

MAX_WORDS = 4
SIMILAR = 0.45
"""From here on two texts mean much the same."""


def reasons(
    scored: Scored, places: Sequence[int], chosen: Sequence[int], learned: Sequence[float]
) -> list[Why]:
    """For each of the `chosen` tools, given the places of these, and perhaps of more, in what was
    scored, and what was learned of them."""
    named = scored.wish.named
    result: list[Why] = []
    for tokens, place, known in zip(scored.found.having(chosen), places, learned, strict=False):
        words = tuple(dict.fromkeys([named[token] for token in tokens]))[:MAX_WORDS]
        result.append(Why(words, _nearness(scored, place, bool(words)), known > 0))
    return result


def _nearness(scored: Scored, place: int, matched: bool) -> float | None:
    """Worth saying where it is near, or where nothing else was found."""
    if scored.meaning is None:
        return None
    near = float(scored.meaning[place])
    return None if matched and near < SIMILAR else min(1.0, max(0.0, near))


def sentence(why: Why) -> str:
    """For clients, in English."""
    parts = [f"matches {', '.join(why.words)}"] if why.words else []
    if why.meaning is not None:
        parts.append("similar meaning")
    if why.learned:
        parts.append("used before for this")
    return "; ".join(parts) or "similar meaning"
