"""The part of a fake router that is about activity of the past."""

from __future__ import annotations

from datetime import datetime

from router.activity import ActivityPage, ActivityQuery, ClientSavings


class FakeActivity:
    async def activity(self, query: ActivityQuery) -> ActivityPage:
        return ActivityPage(())

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        return ()
