"""What clients did: the newest entries and the totals in memory, all of it in a SQLite file.

A request never waits for the disk: `record` hands the entry to a thread that writes in batches. The
request never fails because of this log: what can't be written stays in memory, to be written later.
"""

from __future__ import annotations

import errno
import logging
import os
import queue
import shutil
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TypeVar

from router.domain.activity import ActivityEntry, ActivityQuery, ActivityQueryResult, ClientSavings
from router.domain.errors import ToolboothError, sentence
from router.domain.ids import WorkspaceId
from router.runtime.clock import Clock
from router.store.activity_table import ActivityTable, TableError, move_aside
from router.store.activity_totals import KEPT, ActivityTotals
from router.store.deferred_writes import DeferredWrites

log = logging.getLogger(__name__)

T = TypeVar("T")

_NEWEST = 500
_QUEUE_SIZE = 10_000
_BATCH_SIZE = 500
_PRUNE_EVERY = timedelta(days=1)
_TRANSACTION_SIZE = 50
_FULL_BYTES = 64 * 1024
_DEFAULT_MB = 64
_MB = 1024 * 1024
_WAKE_EVERY_S = 3600
_CLOSE_TIMEOUT_S = 5
_BATCH_WINDOW_S = 0.2
"""How long the writer collects a batch: waking for each entry would slow the loop."""


class SqliteActivityLog:
    """Thread-safe. `close` writes what is queued."""

    def __init__(
        self,
        path: Path,
        *,
        keep_days: int,
        log_details: bool,
        clock: Clock,
        deferred_writes: DeferredWrites,
        max_mb: int = _DEFAULT_MB,
    ) -> None:
        self._path = path
        self._clock = clock
        self.apply(keep_days=keep_days, log_details=log_details, max_mb=max_mb)
        self._deferred_writes = deferred_writes
        self._lock = threading.Lock()
        self._recent: deque[ActivityEntry] = deque(maxlen=_NEWEST)
        self._totals = ActivityTotals()
        self._queue: queue.Queue[ActivityEntry | None] = queue.Queue(_QUEUE_SIZE)
        self._unwritten: deque[ActivityEntry] = deque(maxlen=_QUEUE_SIZE)
        """Changed by `_store` and the writer thread, both while no other write is deferred."""
        self._dropping = False
        self._flush_now = threading.Event()
        self._closed = False
        self._pruned_at = clock()
        self._table: ActivityTable | None = None
        deferred_writes.write(self._path, self._store)
        self._writer = threading.Thread(target=self._write, name="activity", daemon=True)
        self._writer.start()

    def apply(self, *, keep_days: int, log_details: bool, max_mb: int = _DEFAULT_MB) -> None:
        """Apply changed settings; the next pruning removes what exceeds them."""
        self._keep = timedelta(days=keep_days)
        self._max_bytes = max_mb * _MB
        self._log_details = log_details

    def record(self, entry: ActivityEntry) -> None:
        with self._lock:
            self._recent.appendleft(entry)
            self._totals.count(entry)
        if self._closed:
            return
        if entry.detail is not None and not self._log_details:
            entry = replace(entry, detail=None)
        try:
            self._queue.put_nowait(entry)
        except queue.Full:
            if not self._dropping:
                log.warning("Activity arrives faster than it can be written; some is dropped")
            self._dropping = True

    def recent(self) -> tuple[ActivityEntry, ...]:
        """The newest entries, newest first."""
        with self._lock:
            return tuple(self._recent)

    def saved_by_hour(self, workspace: WorkspaceId) -> tuple[int, ...]:
        """Tokens saved in each of the last 24 hours, the current one last."""
        with self._lock:
            return self._totals.saved_by_hour(workspace, self._clock())

    def saved_today(self, workspace: WorkspaceId) -> tuple[int, int]:
        """Tokens saved and requests answered since local midnight."""
        with self._lock:
            return self._totals.today(workspace, self._clock())

    def page(self, query: ActivityQuery) -> ActivityQueryResult:
        """Entries from the disk; blocks. Raises `ToolboothError`."""
        return self._read(lambda table: table.page(query), ActivityQueryResult(()))

    def savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        """Tokens saved for each client since then; blocks. Raises `ToolboothError`."""
        return self._read(lambda table: table.savings(since), ())

    def _read(self, query: Callable[[ActivityTable], T], without_file: T) -> T:
        """Uses its own connection, because the writer's is in use."""
        if not self._closed:
            self.flush()
        try:
            if not self._path.exists():
                return without_file
            with closing(self._reader()) as table:
                return query(table)
        except (TableError, OSError) as error:
            raise ToolboothError(
                sentence("Can't read {path}: {reason}.", path=self._path, reason=self._why(error)),
                "Check the disk and the folder's permissions.",
            ) from error

    def _reader(self) -> ActivityTable:
        """SQLite writes a little to read; on a full or read-only disk we do without."""
        try:
            return ActivityTable(self._path)
        except TableError as error:
            if error.broken:
                raise
            return ActivityTable(self._path, read_only=True)

    def flush(self) -> None:
        """Return when everything recorded so far has been written."""
        self._flush_now.set()
        self._queue.join()
        self._flush_now.clear()

    def close(self) -> None:
        self._closed = True
        self._flush_now.set()
        try:
            self._queue.put(None, timeout=_CLOSE_TIMEOUT_S)
        except queue.Full:
            log.warning("The activity log could not be closed in time")
        self._writer.join(_CLOSE_TIMEOUT_S)

    def _open(self) -> ActivityTable:
        """Raises `TableError`."""
        try:
            return self._load(ActivityTable(self._path))
        except TableError as error:
            if not error.broken:
                raise
            return self._replacement(error)

    def _load(self, table: ActivityTable) -> ActivityTable:
        try:
            table.limit(self._max_bytes)
            self._prune(table)
            with self._lock:
                if not self._recent:
                    self._recent.extend(table.newest(_NEWEST))
                    for workspace, quarter, saved, requests in table.totals(self._clock() - KEPT):
                        self._totals.add(workspace, quarter, saved, requests)
        except TableError:
            table.close()
            raise
        self._table = table
        return table

    def _replacement(self, error: TableError) -> ActivityTable:
        """A new database in place of a broken one, which is kept beside it."""
        try:
            aside = move_aside(self._path, self._clock())
        except OSError as failure:
            raise TableError(failure.strerror or str(failure), broken=False) from failure
        log.warning("The activity log was unusable (%s) and is now %s", error, aside)
        self._table = ActivityTable(self._path)
        return self._table

    def _prune(self, table: ActivityTable) -> None:
        self._pruned_at = self._clock()
        table.prune(self._pruned_at - self._keep, self._pruned_at)

    def _write(self) -> None:
        """Runs on the writer thread, until it gets the None that `close` sends."""
        while True:
            batch = self._next_batch()
            self._take([entry for entry in batch if entry is not None])
            self._dropping = self._dropping and not self._queue.empty()
            for _ in batch:
                self._queue.task_done()
            if None in batch:
                break
        if self._table is not None:
            self._table.close()

    def _take(self, entries: list[ActivityEntry]) -> None:
        def store() -> None:
            self._unwritten.extend(entries)
            entries.clear()
            self._store()

        self._deferred_writes.write(self._path, store)

    def _next_batch(self) -> list[ActivityEntry | None]:
        """Everything queued; empty if nothing arrives for an hour."""
        batch: list[ActivityEntry | None] = []
        with suppress(queue.Empty):
            batch.append(self._queue.get(timeout=_WAKE_EVERY_S))
            self._flush_now.wait(_BATCH_WINDOW_S)
            while len(batch) < _BATCH_SIZE:
                batch.append(self._queue.get_nowait())
        return batch

    def _store(self) -> None:
        """Write what is in memory only. Raises `ToolboothError`."""
        try:
            self._insert(self._table or self._open())
        except TableError as error:
            raise ToolboothError(
                sentence("Can't write {path}: {reason}.", path=self._path, reason=self._why(error)),
                "Check the disk space and the folder's permissions.",
            ) from error

    def _why(self, error: Exception) -> str:
        """SQLite does not always say that the disk is full."""
        with suppress(OSError):
            if shutil.disk_usage(self._path.parent).free < _FULL_BYTES:
                return os.strerror(errno.ENOSPC)
        return str(error)

    def _insert(self, table: ActivityTable) -> None:
        try:
            self._insert_into(table)
        except TableError as error:
            if not error.broken:
                raise
            table.close()
            self._table = None
            self._insert_into(self._replacement(error))

    def _insert_into(self, table: ActivityTable) -> None:
        """In small transactions, which keep the WAL small."""
        table.limit(self._max_bytes)
        while self._unwritten:
            some = list(islice(self._unwritten, _TRANSACTION_SIZE))
            table.insert(some)
            for _ in some:
                self._unwritten.popleft()
        if abs(self._clock() - self._pruned_at) >= _PRUNE_EVERY:
            self._prune(table)
