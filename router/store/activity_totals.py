"""Running totals in memory for the window: tokens saved by hour, and today.

Counted by quarters of an hour, because in every time zone hours and days begin on one.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from router.domain.activity import ActivityEntry, ActivityKind
from router.domain.ids import WorkspaceId

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
QUARTER = timedelta(minutes=15)
KEPT = timedelta(hours=26)
"""Long enough for a day that a change of clocks makes 25 hours long."""

_HOURS = 24
_QUARTERS_PER_HOUR = timedelta(hours=1) // QUARTER
_QUARTERS_KEPT = KEPT // QUARTER


class ActivityTotals:
    """Tokens saved and requests answered, for each workspace and quarter of an hour."""

    def __init__(self) -> None:
        self._quarters: dict[WorkspaceId, dict[int, tuple[int, int]]] = {}

    def count(self, entry: ActivityEntry) -> None:
        """A refused request was not answered and does not count."""
        if entry.workspace is not None and entry.kind is not ActivityKind.REFUSED:
            self.add(entry.workspace, (entry.at - EPOCH) // QUARTER, entry.saved_tokens, 1)

    def add(self, workspace: WorkspaceId, quarter: int, saved: int, requests: int) -> None:
        quarters = self._quarters.setdefault(workspace, {})
        saved_before, requests_before = quarters.get(quarter, (0, 0))
        quarters[quarter] = (saved_before + saved, requests_before + requests)
        if len(quarters) > 2 * _QUARTERS_KEPT:
            self._quarters[workspace] = dict(sorted(quarters.items())[-_QUARTERS_KEPT:])

    def saved_by_hour(self, workspace: WorkspaceId, now: datetime) -> tuple[int, ...]:
        """Tokens saved in each of the last 24 hours, oldest first; the current one is the last."""
        this_hour = now.astimezone().replace(minute=0, second=0, microsecond=0)
        first = (this_hour - EPOCH) // QUARTER - (_HOURS - 1) * _QUARTERS_PER_HOUR
        hours = [0] * _HOURS
        for quarter, (saved, _) in self._quarters.get(workspace, {}).items():
            hour = (quarter - first) // _QUARTERS_PER_HOUR
            if 0 <= hour < _HOURS:
                hours[hour] += saved
        return tuple(hours)

    def today(self, workspace: WorkspaceId, now: datetime) -> tuple[int, int]:
        """Tokens saved and requests answered since local midnight. Entries from the future, made
        while the clock was ahead, do not count."""
        first, last = (_midnight(now) - EPOCH) // QUARTER, (now - EPOCH) // QUARTER
        quarters = self._quarters.get(workspace, {})
        today = [total for quarter, total in quarters.items() if first <= quarter <= last]
        return sum(saved for saved, _ in today), sum(requests for _, requests in today)


def _midnight(now: datetime) -> datetime:
    """Local midnight, with the UTC offset of midnight rather than that of `now`."""
    local = now.astimezone().replace(tzinfo=None)
    return local.replace(hour=0, minute=0, second=0, microsecond=0).astimezone()
