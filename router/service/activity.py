"""The activity log: records what clients do, and answers questions about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from router.api.events import ActivityRecorded
from router.catalog.view import View
from router.config.settings import Settings
from router.domain.activity import (
    ActivityEntry,
    ActivityQuery,
    ActivityQueryResult,
    ClientSavings,
    Savings,
)
from router.domain.ids import WorkspaceId
from router.service.context import ServiceContext
from router.store.activity_log import SqliteActivityLog
from router.store.redaction import Redactor


@dataclass(slots=True)
class Activity:
    """The production implementation of `api.activity.ActivityPort`. Empty until it is opened."""

    _path: Path
    _context: ServiceContext
    _exposed_tokens: Callable[[View], int]
    """What listing the tools of a view costs a client."""
    _log: SqliteActivityLog | None = None

    async def open(self) -> None:
        settings = self._context.settings()
        self._log = await asyncio.to_thread(
            SqliteActivityLog,
            self._path,
            keep_days=settings.activity_days,
            log_details=settings.log_arguments,
            max_mb=settings.activity_mb,
            clock=self._context.clock,
            deferred_writes=self._context.deferred_writes,
        )

    async def close(self) -> None:
        """Write what is still in memory."""
        if self._log is not None:
            await asyncio.to_thread(self._log.close)

    def record(self, entry: ActivityEntry) -> None:
        entry = redacted(entry, self._context.redactor)
        if self._log is not None:
            self._log.record(entry)
        self._context.publish(ActivityRecorded(entry))

    def apply(self, settings: Settings) -> None:
        if self._log is not None:
            self._log.apply(
                keep_days=settings.activity_days,
                log_details=settings.log_arguments,
                max_mb=settings.activity_mb,
            )

    def recent(self) -> tuple[ActivityEntry, ...]:
        return self._log.recent() if self._log else ()

    def savings(self, workspace: WorkspaceId) -> Savings:
        view = self._context.catalogs.catalog(workspace).view(None)
        saved, requests = self._log.saved_today(workspace) if self._log else (0, 0)
        return Savings(
            exposed_tokens=self._exposed_tokens(view),
            full_tokens=view.full_tokens,
            saved_today=saved,
            requests_today=requests,
            hourly=self._log.saved_by_hour(workspace) if self._log else (),
        )

    async def page(self, query: ActivityQuery) -> ActivityQueryResult:
        if self._log is None:
            return ActivityQueryResult(())
        return await asyncio.to_thread(self._log.page, query)

    async def client_savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        if self._log is None:
            return ()
        return await asyncio.to_thread(self._log.savings, since)


def redacted(entry: ActivityEntry, redactor: Redactor) -> ActivityEntry:
    """`entry` without secrets in the texts that came from clients and servers."""
    texts = {"message": entry.message, "detail": entry.detail, "tool": entry.tool}
    changes = {
        name: clean
        for name, text in texts.items()
        if text is not None and (clean := redactor.text(text)) != text
    }
    return replace(entry, **changes) if changes else entry
