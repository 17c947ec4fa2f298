"""What usage history keeps of searches: which words, how many, for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from router.domain.search import UsageHistory
from router.search.usage_history import (
    MAX_ABANDONED,
    MAX_USES,
    content_words,
    usage_signals,
    with_abandoned,
    with_use,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WORDS = ("create", "issue")


def test_only_content_words_are_kept_without_order_or_numbers() -> None:
    words = content_words(["Please create an issue for order 4711", "create the issue"])
    assert words == ("create", "issue", "order")


def test_repeated_use_counts_for_more_and_old_use_for_less() -> None:
    history = with_use(UsageHistory(), WORDS, "github:create_issue", NOW)
    history = with_use(history, WORDS, "github:create_issue", NOW)
    [fresh] = usage_signals(history, NOW)
    [old] = usage_signals(history, NOW + timedelta(days=60))
    assert fresh.strength == pytest.approx(0.75)
    assert old.strength == pytest.approx(1 - 0.5**0.5)


def test_a_use_that_is_not_repeated_expires() -> None:
    history = with_use(UsageHistory(), WORDS, "a:b", NOW)
    history = with_use(history, ("other",), "a:c", NOW + timedelta(days=365))
    assert [use.tool for use in history.uses] == ["a:c"]


def test_a_clock_that_jumps_ten_years_ahead_drops_no_use() -> None:
    history = with_use(UsageHistory(), WORDS, "a:b", NOW)
    for day in range(3):  # used while it is wrong
        history = with_use(history, ("other",), "a:c", NOW + timedelta(days=3650 + day))
    assert [use.tool for use in history.uses] == ["a:b", "a:c"]
    right = usage_signals(history, NOW + timedelta(days=1))
    assert all(signal.strength > 0.4 for signal in right)


def test_after_a_week_the_clock_is_believed() -> None:
    history = with_use(UsageHistory(), WORDS, "a:b", NOW)
    for day in (0, 9):
        at = NOW + timedelta(days=3650 + day)
        history = with_use(history, (f"word {day}",), "a:c", at)
    assert [use.tool for use in history.uses] == ["a:c", "a:c"]


def test_uses_and_abandoned_searches_are_bounded() -> None:
    history = UsageHistory()
    for number in range(MAX_USES + 50):
        at = NOW + timedelta(seconds=number)
        history = with_abandoned(with_use(history, (f"w{number}",), "a:b", at), (f"w{number}",), at)
    assert (len(history.uses), len(history.abandoned)) == (MAX_USES, MAX_ABANDONED)
    assert history.uses[-1].words == (f"w{MAX_USES + 49}",)


def test_a_search_of_stop_words_is_not_recorded() -> None:
    assert with_use(UsageHistory(), content_words(["the of 12"]), "a:b", NOW) == UsageHistory()
