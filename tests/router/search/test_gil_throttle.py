"""Building an index leaves the GIL to other threads."""

from __future__ import annotations

import pytest

from router.search.index import gil_throttle as module
from router.search.index.gil_throttle import throttled


class Clock:
    """Each piece of work takes a millisecond of CPU time, and `waiting_s` more by the clock."""

    def __init__(self, waiting_s: float) -> None:
        self.waiting_s = waiting_s
        self.worked = 0
        self.pauses: list[float] = []

    def work(self) -> None:
        self.worked += 1

    def thread_time(self) -> float:
        return self.worked * 0.001

    def perf_counter(self) -> float:
        return self.worked * (0.001 + self.waiting_s) + sum(self.pauses)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.mark.parametrize(
    ("waiting_s", "pause_s"), [(0.0, None), (0.001, 0.002), (0.004, 0.008), (3.0, 0.02)]
)
def test_work_pauses_twice_as_long_as_it_waited(
    waiting_s: float, pause_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(waiting_s)
    monkeypatch.setattr(module, "time", clock)
    for _ in throttled(range(3)):
        clock.work()
    assert clock.worked == 3
    assert clock.pauses == ([] if pause_s is None else pytest.approx([pause_s] * 3))
