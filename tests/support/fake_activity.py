"""The part of a fake router that is about activity of the past."""

from __future__ import annotations

from datetime import datetime

from router.domain.activity import ActivityEntry, ActivityPage, ActivityQuery, ClientSavings


class FakeActivity:
    """Answers questions to the log from `logged`, the newest first, a page at a time."""

    logged: tuple[ActivityEntry, ...] = ()

    async def activity(self, query: ActivityQuery) -> ActivityPage:
        entries = self.logged[query.before or 0 :]
        rest = (query.before or 0) + query.limit if len(entries) > query.limit else None
        return ActivityPage(entries[: query.limit], rest)

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        return ()
