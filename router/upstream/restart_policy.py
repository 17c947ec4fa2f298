"""When a server that failed may be tried again: after a pause that grows, then only with a breaker.

Pure but for the clock it is given. Failures count in a row; a minute of service ends the row.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

LONGEST_PAUSE_S = 60.0
BREAKER_AFTER = 5
STEADY_AFTER_S = 60.0
_FIRST_PAUSE_S = 1.0
_JITTER = 0.2


class Supervision:
    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._clock = clock
        self._chance = chance
        self._failures = 0
        self._ready_since: float | None = None
        self._not_before = clock()

    @property
    def pause_left_s(self) -> float:
        """For how long no start may be tried."""
        return max(0.0, self._not_before - self._clock())

    @property
    def broken(self) -> bool:
        """Whether it failed so often that it is no longer tried without someone asking."""
        return self._failures >= BREAKER_AFTER

    @property
    def just_broke(self) -> bool:
        return self._failures == BREAKER_AFTER

    def served(self) -> None:
        """A connection is ready."""
        self._ready_since = self._clock()

    def failed(self) -> float:
        """Count a failure; the pause in seconds before the next try."""
        had_served = self._ready_since is not None
        if self._ready_since is not None and self._clock() - self._ready_since >= STEADY_AFTER_S:
            self._failures = 0
        self._ready_since = None
        self._failures += 1
        # The first crash of a server that worked is no loop: its next use may start it at once.
        return self._hold(0.0 if had_served and self._failures == 1 else self._pause_s())

    def refused(self) -> None:
        """It is there but wants something of a person: nothing to count, nor to ask at once."""
        had_served, self._ready_since = self._ready_since is not None, None
        self._hold(0.0 if had_served else _FIRST_PAUSE_S)

    def forgive(self) -> None:
        """A person acted: begin anew."""
        self._failures = 0
        self._not_before = self._clock()

    def _hold(self, pause_s: float) -> float:
        self._not_before = self._clock() + pause_s
        return pause_s

    def _pause_s(self) -> float:
        """From one second to sixty in the failures the breaker allows, never the same twice."""
        share = (min(self._failures, BREAKER_AFTER) - 1) / (BREAKER_AFTER - 1)
        growth = (LONGEST_PAUSE_S / _FIRST_PAUSE_S) ** share
        pause_s = _FIRST_PAUSE_S * growth * (1 + _JITTER * self._chance())
        return min(pause_s, LONGEST_PAUSE_S)
