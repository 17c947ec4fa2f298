"""Building an index leaves the interpreter to whoever else wants it."""

from __future__ import annotations

import pytest

from router.search import considerate as module
from router.search.considerate import considerate


class Clock:
    """Work takes a millisecond of the processor each, and `waiting_s` more by the clock."""

    def __init__(self, waiting_s: float) -> None:
        self.waiting_s = waiting_s
        self.worked = 0
        self.rests: list[float] = []

    def work(self) -> None:
        self.worked += 1

    def thread_time(self) -> float:
        return self.worked * 0.001

    def perf_counter(self) -> float:
        return self.worked * (0.001 + self.waiting_s) + sum(self.rests)

    def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)


@pytest.mark.parametrize(
    ("waiting_s", "rest_s"), [(0.0, None), (0.001, 0.002), (0.004, 0.008), (3.0, 0.02)]
)
def test_work_rests_twice_as_long_as_others_made_it_wait(
    waiting_s: float, rest_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(waiting_s)
    monkeypatch.setattr(module, "time", clock)
    for _ in considerate(range(3)):
        clock.work()
    assert clock.worked == 3
    assert clock.rests == ([] if rest_s is None else pytest.approx([rest_s] * 3))
