"""Throttles CPU-bound work on a background thread, so that other threads get the GIL."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
_MAX_PAUSE_S = 0.02


def throttled(steps: Iterable[T]) -> Iterator[T]:
    """Yields the `steps` of a computation and pauses after each for twice the time it had to wait
    for the GIL. A window that paints or a call that is answered then has the interpreter most of
    the time; while no other thread is active there are no pauses."""
    for step in steps:
        started, started_cpu = time.perf_counter(), time.thread_time()
        yield step
        waited = time.perf_counter() - started - (time.thread_time() - started_cpu)
        if waited > 0:
            time.sleep(min(2 * waited, _MAX_PAUSE_S))


def throttled_batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return throttled(items[at : at + size] for at in range(0, len(items), size))
