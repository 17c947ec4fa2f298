"""Why a tool was found, in a few words: which of the query's words it has, or that it means it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from router.search.lexical import LexicalIndex

if TYPE_CHECKING:
    from router.search.ranking import Scored

MAX_WORDS = 4
SIMILAR = 0.45
"""From here on two texts mean much the same."""


def explanations(
    scored: Scored,
    index: LexicalIndex,
    places: Sequence[int],
    chosen: Sequence[int],
    learned: Sequence[float],
) -> list[str]:
    """For each of the `chosen` tools, given its place in what was scored and what was learned."""
    matched = _matched(scored, index, chosen)
    return [
        _sentence(words, _means(scored, place), known > 0)
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


def _means(scored: Scored, place: int) -> bool:
    return scored.meaning is not None and float(scored.meaning[place]) >= SIMILAR


def _sentence(words: Sequence[str], means: bool, learned: bool) -> str:
    parts = [f"matches {', '.join(words)}"] if words else []
    if means or not parts:
        parts.append("similar meaning")
    if learned:
        parts.append("used before for this")
    return "; ".join(parts)
