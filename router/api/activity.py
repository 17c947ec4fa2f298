"""Activity: what clients did, and the context tokens that saved."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from router.domain.activity import (
    ActivityEntry,
    ActivityQuery,
    ActivityQueryResult,
    ClientSavings,
    Savings,
)
from router.domain.ids import WorkspaceId


class ActivityPort(Protocol):
    def recent(self) -> tuple[ActivityEntry, ...]:
        """The newest entries, newest first."""
        ...

    def savings(self, workspace: WorkspaceId) -> Savings: ...
    async def page(self, query: ActivityQuery) -> ActivityQueryResult:
        """Entries of the activity log, also those that are no longer in memory."""
        ...

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]: ...
