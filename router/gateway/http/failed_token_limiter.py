"""Counts wrong tokens: a client that tries many is slowed down and does not fill the log.

A token has 256 random bits, so this is not what keeps guessers out.
"""

from __future__ import annotations

import time
from collections import deque

_LIMIT = 20
_WINDOW_S = 10.0


class FailedTokenLimiter:
    def __init__(self) -> None:
        self._failures: deque[float] = deque(maxlen=_LIMIT)
        self._reported_at = float("-inf")

    def exceeded(self) -> bool:
        """Count one more wrong token; whether there were too many within the window."""
        now = time.monotonic()
        too_many = len(self._failures) == _LIMIT and now - self._failures[0] < _WINDOW_S
        self._failures.append(now)
        return too_many

    def should_report(self) -> bool:
        """Whether the excess was not reported within the window."""
        now = time.monotonic()
        due = now - self._reported_at >= _WINDOW_S
        if due:
            self._reported_at = now
        return due
