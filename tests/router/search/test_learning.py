"""What is kept of searches: which words, how many, for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from router.domain.search import Learned
from router.search.learning import (
    MAX_LESSONS,
    MAX_MISSES,
    experiences,
    telling_words,
    with_lesson,
    with_miss,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WORDS = ("create", "issue")


def test_only_telling_words_are_kept_without_order_or_numbers() -> None:
    words = telling_words(["Please create an issue for order 4711", "create the issue"])
    assert words == ("create", "issue", "order")


def test_repeated_use_counts_for_more_and_old_use_for_less() -> None:
    learned = with_lesson(Learned(), WORDS, "github:create_issue", NOW)
    learned = with_lesson(learned, WORDS, "github:create_issue", NOW)
    [fresh] = experiences(learned, NOW)
    [old] = experiences(learned, NOW + timedelta(days=60))
    assert fresh.strength == pytest.approx(0.75)
    assert old.strength == pytest.approx(1 - 0.5**0.5)


def test_what_is_long_unused_is_forgotten() -> None:
    learned = with_lesson(Learned(), WORDS, "a:b", NOW)
    learned = with_lesson(learned, ("other",), "a:c", NOW + timedelta(days=365))
    assert [lesson.tool for lesson in learned.lessons] == ["a:c"]


def test_lessons_and_misses_are_bounded() -> None:
    learned = Learned()
    for number in range(MAX_LESSONS + 50):
        at = NOW + timedelta(seconds=number)
        learned = with_miss(with_lesson(learned, (f"w{number}",), "a:b", at), (f"w{number}",), at)
    assert (len(learned.lessons), len(learned.misses)) == (MAX_LESSONS, MAX_MISSES)
    assert learned.lessons[-1].words == (f"w{MAX_LESSONS + 49}",)


def test_a_search_of_empty_words_teaches_nothing() -> None:
    assert with_lesson(Learned(), telling_words(["the of 12"]), "a:b", NOW) == Learned()
