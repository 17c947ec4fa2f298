"""A typed fake of the facet about activity."""

from __future__ import annotations

from datetime import datetime

from router.domain.activity import (
    ActivityEntry,
    ActivityQuery,
    ActivityQueryResult,
    ClientSavings,
    Savings,
)
from router.domain.ids import WorkspaceId
from tests.support.fake_state import FakeContext


class FakeActivity:
    """`ActivityPort`: recent entries from the state, pages from `logged`, the newest first."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self.logged: tuple[ActivityEntry, ...] = ()

    def recent(self) -> tuple[ActivityEntry, ...]:
        return self._state.activity

    def savings(self, workspace: WorkspaceId) -> Savings:
        return self._state.savings.get(workspace, Savings(0, 0, 0, 0, (0,) * 24))

    async def page(self, query: ActivityQuery) -> ActivityQueryResult:
        entries = self.logged[query.before or 0 :]
        rest = (query.before or 0) + query.limit if len(entries) > query.limit else None
        return ActivityQueryResult(entries[: query.limit], rest)

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        return ()
