"""Wrong tokens, counted: whoever guesses is slowed down and fills no log, and nobody else notices.

A token has 256 random bits, so this is not what keeps guessers out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

_MOST = 20
_WITHIN_S = 10.0


class Guesses:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._at: deque[float] = deque(maxlen=_MOST)
        self._told_at = float("-inf")

    def too_many(self) -> bool:
        """Count one more wrong token; whether there were too many lately."""
        now = self._clock()
        many = len(self._at) == _MOST and now - self._at[0] < _WITHIN_S
        self._at.append(now)
        return many

    def is_news(self) -> bool:
        """Whether that there are too many was not said lately."""
        now = self._clock()
        news = now - self._told_at >= _WITHIN_S
        if news:
            self._told_at = now
        return news
