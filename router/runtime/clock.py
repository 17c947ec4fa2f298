"""The current time, timezone-aware in UTC. Passed in as a `Clock`, so that tests can set it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]


_LONGEST_ABSENCE = timedelta(days=365)
_DOUBTED_FOR = timedelta(days=7)


def is_doubtful(now: datetime, *, began: datetime, last: datetime) -> bool:
    """Whether the clock is probably wrong: after `last` nothing happened for more than a year, and
    what happened since then `began` less than a week ago. What would be deleted for its age should
    wait: most clocks are right again by then."""
    return began - last > _LONGEST_ABSENCE and now - began < _DOUBTED_FOR


def utc_now() -> datetime:
    return datetime.now(UTC)
