"""Long work on a thread of its own that leaves the interpreter to others when they want it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_LONGEST_REST_S = 0.02


def considerate(parts: Iterable[T]) -> Iterator[T]:
    """`parts` of a work, with a rest after each for twice the time that others made us wait. Who
    paints a window or answers a call then has the interpreter most of the time; with nobody else
    about there are no rests."""
    for part in parts:
        began, worked = time.perf_counter(), time.thread_time()
        yield part
        waited = time.perf_counter() - began - (time.thread_time() - worked)
        if waited > 0:
            time.sleep(min(2 * waited, _LONGEST_REST_S))
