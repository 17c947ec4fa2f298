"""Why a tool was found, in a few words: which of the query's words it has, or that it means it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from router.search.lexical import LexicalIndex
from router.searching import Why

if TYPE_CHECKING:
    from router.search.ranking import Scored

MAX_WORDS = 4
SIMILAR = 0.45
"""From here on two texts mean much the same."""


def reasons(
    scored: Scored,
    index: LexicalIndex,
    places: Sequence[int],
    chosen: Sequence[int],
    learned: Sequence[float],
) -> list[Why]:
    """For each of the `chosen` tools, given its place in what was scored and what was learned."""
    matched = _matched(scored, index, chosen)
    return [
        Why(tuple(words), _nearness(scored, place, bool(words)), known > 0)
        for words, place, known in zip(matched, places, learned, strict=True)
    ]


def _matched(scored: Scored, index: LexicalIndex, chosen: Sequence[int]) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in chosen]
    wanted = np.array(chosen, dtype=np.int32)
    telling = sorted(
        scored.wish.weights, key=lambda number: -index.idf(number) * scored.wish.weights[number]
    )
    for number in telling:
        documents = index.documents(number)
        near = documents.take(documents.searchsorted(wanted), mode="clip")
        word = scored.wish.named[number]
        places: list[int] = (near == wanted).nonzero()[0].tolist()
        for at in places:
            if word not in found[at] and len(found[at]) < MAX_WORDS:
                found[at].append(word)
    return found


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
