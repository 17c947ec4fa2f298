"""When a server that failed may be started again: after a growing pause; after five failures in a
row, only on request (circuit breaker).

Service makes up for earlier failures: ten seconds of it or twenty results for all of them, less for
as large a part of them. So a crash now and then is no crash loop, however often it happens.

Pure, except for the clock and the random numbers it is given.
"""

from __future__ import annotations

from collections.abc import Callable

LONGEST_PAUSE_S = 60.0
BREAKER_AFTER = 5
STEADY_AFTER_S = 10.0
STEADY_AFTER_RESULTS = 20
_FIRST_PAUSE_S = 1.0
_JITTER = 0.2


class RestartPolicy:
    def __init__(self, clock: Callable[[], float], random: Callable[[], float]) -> None:
        self._clock = clock
        self._random = random
        self._failures = 0.0
        """In a row; those that service made up for in part count in part."""
        self._ready_since: float | None = None
        self._results = 0
        """How many results it has sent since it was ready."""
        self._not_before = clock()
        self.breaker_just_opened = False

    @property
    def pause_left_s(self) -> float:
        """For how long no start is allowed."""
        return max(0.0, self._not_before - self._clock())

    @property
    def breaker_open(self) -> bool:
        """Whether it failed so often that it is no longer started without a request."""
        return self._failures >= BREAKER_AFTER

    def ready(self) -> None:
        """A connection is ready."""
        self._ready_since, self._results = self._clock(), 0

    def succeeded(self) -> None:
        """The server sent a result."""
        self._results += 1

    def failed(self) -> float:
        """Count a failure; the pause in seconds before the next try."""
        was_ready, was_open = self._ready_since is not None, self.breaker_open
        self._failures = self._failures * (1 - self._steadiness()) + 1
        self._ready_since = None
        self.breaker_just_opened = self.breaker_open and not was_open
        # The first crash of a server that worked is not a loop: its next use may start it at once.
        return self._delay_start(0.0 if was_ready and self._failures == 1 else self._pause_s())

    def _steadiness(self) -> float:
        """From 0, it was never ready, to 1, it served long enough to count as working."""
        if self._ready_since is None:
            return 0.0
        uptime_s = self._clock() - self._ready_since
        return min(1.0, max(uptime_s / STEADY_AFTER_S, self._results / STEADY_AFTER_RESULTS))

    def sign_in_needed(self) -> None:
        """It needs the user: no failure to count, but no reason to try again at once."""
        was_ready, self._ready_since = self._ready_since is not None, None
        self._delay_start(0.0 if was_ready else _FIRST_PAUSE_S)

    def reset(self) -> None:
        """The user acted: forget all failures."""
        self._failures = 0.0
        self._not_before = self._clock()

    def _delay_start(self, pause_s: float) -> float:
        self._not_before = self._clock() + pause_s
        return pause_s

    def _pause_s(self) -> float:
        """Grows from 1 s to 60 s over the failures the breaker allows, with jitter."""
        share = (min(self._failures, BREAKER_AFTER) - 1) / (BREAKER_AFTER - 1)
        growth = (LONGEST_PAUSE_S / _FIRST_PAUSE_S) ** share
        pause_s = _FIRST_PAUSE_S * growth * (1 + _JITTER * self._random())
        return min(pause_s, LONGEST_PAUSE_S)
