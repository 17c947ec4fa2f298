"""Throttles CPU-bound work on a background thread, so that other threads get the GIL, and ends
it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TypeVar

T = TypeVar("T")
_MAX_PAUSE_S = 0.02
_thread = threading.local()


def end_when(ending: threading.Event) -> None:
    """The initializer of a background thread: once `ending` is set, the next step of a computation
    on it raises `CancelledError`. A program can't exit before its threads have ended."""
    _thread.ending = ending


def throttled(steps: Iterable[T]) -> Iterator[T]:
    """Yields the `steps` of a computation and pauses after each for twice the time it had to wait
    for the GIL. A window that paints or a call that is answered then has the interpreter most of
    the time; while no other thread is active there are no pauses."""
    ending: threading.Event | None = getattr(_thread, "ending", None)
    for step in steps:
        if ending is not None and ending.is_set():
            raise CancelledError
        started, started_cpu = time.perf_counter(), time.thread_time()
        yield step
        waited = time.perf_counter() - started - (time.thread_time() - started_cpu)
        if waited > 0:
            time.sleep(min(2 * waited, _MAX_PAUSE_S))


def throttled_batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return throttled(items[at : at + size] for at in range(0, len(items), size))
