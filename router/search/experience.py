"""What past searches teach: tools that were run after a similar search gain.

Similar is by words alone, telling ones counting more. Experience only ever adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from router.domain.search import Experience
from router.search.lexical import LexicalIndex

ALIKE = 0.5
"""How much of two searches must be the same for one to teach the other."""


class Experiences:
    def __init__(self, experiences: Sequence[Experience], index: LexicalIndex) -> None:
        self._experiences = experiences
        self._index = index

    def gains(self, tokens: Iterable[str]) -> dict[str, float]:
        """What tools gain for a search of `tokens`, in 0..1, by their keys."""
        asked = frozenset(tokens)
        best: dict[str, float] = {}
        for experience in self._experiences:
            likeness = self._likeness(asked, experience.tokens)
            if likeness >= ALIKE:
                gain = likeness * experience.strength
                best[experience.tool] = max(best.get(experience.tool, 0.0), gain)
        return best

    def _likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The weight of what both have, of the weight of what either has."""
        shared = self._weight(one & other)
        return shared / self._weight(one | other) if shared else 0.0

    def _weight(self, tokens: Iterable[str]) -> float:
        return sum(self._index.idf(self._index.number(token)) for token in tokens)
