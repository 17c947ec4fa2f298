"""When a failed server may be started again, with an injected clock and random source."""

from __future__ import annotations

import pytest

from router.upstream.restart_policy import BREAKER_AFTER, LONGEST_PAUSE_S, RestartPolicy


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def supervised(time: Time, chance: float = 0.0) -> RestartPolicy:
    return RestartPolicy(time, lambda: chance)


def serve(restart_policy: RestartPolicy, time: Time, uptime_s: float, results: int) -> None:
    restart_policy.ready()
    time.now += uptime_s
    for _ in range(results):
        restart_policy.succeeded()


def test_pauses_grow_from_one_second_to_sixty_seconds(time: Time) -> None:
    restart_policy = supervised(time)
    pauses = [restart_policy.failed() for _ in range(BREAKER_AFTER + 2)]
    assert pauses[0] == 1
    assert pauses == sorted(pauses)
    assert pauses[BREAKER_AFTER - 1 :] == [LONGEST_PAUSE_S] * 3


def test_jitter_lengthens_a_pause_up_to_sixty_seconds(time: Time) -> None:
    without_jitter, with_jitter = supervised(time, 0.0), supervised(time, 1.0)
    assert with_jitter.failed() == pytest.approx(1.2 * without_jitter.failed())
    assert max(with_jitter.failed() for _ in range(9)) == LONGEST_PAUSE_S


def test_the_breaker_opens_after_five_failures_and_says_so_once(time: Time) -> None:
    restart_policy = supervised(time)
    seen: list[tuple[bool, bool]] = []
    for _ in range(6):
        restart_policy.failed()
        seen.append((restart_policy.breaker_open, restart_policy.breaker_just_opened))
    assert seen == [(False, False)] * 4 + [(True, True), (True, False)]


def test_the_first_crash_of_a_working_server_causes_no_pause(time: Time) -> None:
    restart_policy = supervised(time)
    restart_policy.ready()
    assert restart_policy.failed() == 0
    restart_policy.ready()
    assert restart_policy.failed() > 1


@pytest.mark.parametrize(("uptime_s", "results"), [(10, 0), (0.1, 20)])
def test_ten_seconds_or_twenty_results_make_up_for_all_failures(
    time: Time, uptime_s: float, results: int
) -> None:
    restart_policy = supervised(time)
    for _ in range(BREAKER_AFTER):
        restart_policy.failed()
    serve(restart_policy, time, uptime_s, results)
    assert restart_policy.failed() == 0
    assert not restart_policy.breaker_open


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize(("uptime_s", "results"), [(8, 150), (8, 8), (8, 0), (0.5, 19)])
def test_crashes_after_service_never_delay_a_start_by_two_seconds(
    time: Time, uptime_s: float, results: int
) -> None:
    restart_policy = supervised(time, chance=1.0)
    for _ in range(100):
        serve(restart_policy, time, uptime_s, results)
        assert restart_policy.failed() < 2


def test_a_server_that_crashes_soon_after_each_start_is_a_crash_loop(time: Time) -> None:
    restart_policy = supervised(time)
    opened = 0
    for _ in range(20):
        serve(restart_policy, time, uptime_s=0.2, results=1)
        restart_policy.failed()
        opened += restart_policy.breaker_just_opened
    assert restart_policy.breaker_open
    assert opened == 1


def test_a_pause_ends_with_time_or_by_the_user(time: Time) -> None:
    restart_policy = supervised(time)
    restart_policy.failed()
    assert restart_policy.pause_left_s == 1
    time.now += 1
    assert restart_policy.pause_left_s == 0
    restart_policy.failed()
    restart_policy.reset()
    assert restart_policy.pause_left_s == 0
    assert restart_policy.failed() == 1
