"""Numbers and times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gui.text import formats

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (640, "640"),
        (999, "999"),
        (1000, "1.0 k"),
        (1234, "1.2 k"),
        (48_300, "48.3 k"),
        (123_456, "123 k"),
        (999_400, "999 k"),
        (999_600, "1.00 M"),
        (2_840_000, "2.84 M"),
        (28_400_000, "28.4 M"),
        (1_200_000_000, "1.20 G"),
        (-1234, "−1.2 k"),
    ],
)
def test_a_short_count_has_three_digits_and_a_unit(count: int, text: str) -> None:
    assert formats.short(count).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_grouped_count_shows_every_digit() -> None:
    assert formats.grouped(1140) == "1,140"
    assert formats.grouped(-48_300) == "−48,300"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0.2, "< 1 ms"),
        (9, "9 ms"),
        (412.4, "412 ms"),
        (999.7, "1.0 s"),
        (1234, "1.2 s"),
        (59_980, "1.0 min"),
        (90_000, "1.5 min"),
    ],
)
def test_a_duration_has_the_unit_that_fits(milliseconds: float, text: str) -> None:
    assert formats.duration(milliseconds).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=2), "2 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=3), "3 h ago"),
        (timedelta(days=3, hours=5), "3 d ago"),
    ],
)
def test_an_age_is_shown_in_its_largest_unit(age: timedelta, text: str) -> None:
    assert formats.ago(NOW - age, NOW) == text


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        (1140, 48_300, "97.6% less"),
        (1, 1_000_000, "99.9% less"),
        (500, 400, None),
        (0, 0, None),
    ],
)
def test_savings_are_never_rounded_up_to_everything(
    now: int, before: int, text: str | None
) -> None:
    assert formats.percent_less(now, before) == text
