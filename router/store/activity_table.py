"""The table of activity in its database file: schema and statements. Knows no threads.

Times are whole microseconds since 1970, so that they sort, group and come back exactly.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields
from datetime import datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

import resources
from router.domain.activity import (
    ActivityEntry,
    ActivityKind,
    ActivityQuery,
    ActivityQueryResult,
    ClientSavings,
    Outcome,
)
from router.domain.ids import WorkspaceId
from router.runtime.clock import is_doubtful
from router.store.activity_totals import EPOCH, QUARTER
from router.store.files import private_folder

log = logging.getLogger(__name__)

_MICROSECOND = timedelta(microseconds=1)
_MAX_ROW = 2**63 - 1
_SHM_BYTES = 32 << 10
_CORRUPTION_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_FIELDS = [field.name for field in fields(ActivityEntry)]
_values = attrgetter(*_FIELDS)
_COLUMNS = ", ".join(["at_us", *_FIELDS[1:]])
"""Those of the fields of `ActivityEntry`, in their order."""
_MIGRATIONS = ("migration_1.sql", "migration_2.sql")
"""In `resources/activity`; the version of a database is the number of those applied."""


class TableError(Exception):
    """A statement failed. `broken`: the file itself is unusable."""

    def __init__(self, message: str, *, broken: bool) -> None:
        super().__init__(message)
        self.broken = broken


@contextmanager
def _translate_errors() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        raise TableError(str(error), broken=code in _CORRUPTION_CODES) from error
    except OSError as error:
        raise TableError(error.strerror or str(error), broken=False) from error
    except OverflowError as error:
        raise TableError(str(error), broken=False) from error


class ActivityTable:
    """Every method raises `TableError` and nothing else."""

    @_translate_errors()
    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open the database at `path`, created if missing. `read_only` needs no place on the disk,
        and knows nothing of what is still in the WAL."""
        self._connection = _connect_read_only(path) if read_only else _connect(path)
        self._max_bytes: int | None = None
        self._transaction_bytes = 1 << 20

    @_translate_errors()
    def limit(self, max_bytes: int) -> None:
        """Keep the database with its WAL files within `max_bytes`, from the next insert or pruning
        on. An eighth of that is for the WAL: some transactions of `_transaction_bytes`."""
        wal_bytes = max_bytes // 32
        pages = max(wal_bytes // self._pragma("page_size"), 1)
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
        self._connection.execute(f"PRAGMA journal_size_limit = {wal_bytes}")
        self._max_bytes = max_bytes - 4 * wal_bytes - _SHM_BYTES
        self._transaction_bytes = wal_bytes // 2

    @_translate_errors()
    def insert(self, entries: Iterable[ActivityEntry]) -> None:
        placeholders = ", ".join("?" * len(_FIELDS))
        for rows in _chunks(map(_row, entries), self._transaction_bytes):
            with self._connection:
                self._connection.executemany(
                    f"INSERT INTO activity ({_COLUMNS}) VALUES ({placeholders})",  # noqa: S608 - our own names
                    rows,
                )
            self._make_room()

    @_translate_errors()
    def newest(self, count: int) -> list[ActivityEntry]:
        """The entries recorded last, the last first."""
        query = f"SELECT {_COLUMNS} FROM activity ORDER BY rowid DESC LIMIT ?"  # noqa: S608
        return [_entry(row) for row in self._connection.execute(query, (count,))]

    @_translate_errors()
    def totals(self, since: datetime) -> list[tuple[WorkspaceId, int, int, int]]:
        """For each workspace and quarter of an hour: tokens saved and requests answered."""
        query = """
            SELECT workspace, at_us / ?, SUM(saved_tokens), COUNT(*) FROM activity
            WHERE at_us >= ? AND workspace IS NOT NULL AND kind != ? GROUP BY 1, 2
        """
        values = (QUARTER // _MICROSECOND, _micros(since), ActivityKind.REFUSED.value)
        return self._connection.execute(query, values).fetchall()

    @_translate_errors()
    def prune(self, before: datetime, now: datetime) -> None:
        """Delete entries older than `before`, and shrink a file that is larger than the limit.

        The clock may have been wrong: an entry is at least as new as those recorded before it, and
        one from the future is as old as those after it. If it seems wrong now, nothing is deleted.
        """
        ages = resources.read_text("activity", "ages.sql")
        bounds = {"before": _micros(before), "now": _micros(now)}
        newest, last_row, oldest_kept, first_kept_row = self._connection.execute(
            ages, bounds
        ).fetchone()
        if newest is not None:
            began = now if oldest_kept is None else _time(oldest_kept)
            if is_doubtful(now, began=began, last=_time(newest)):
                log.warning("The clock seems to be wrong: no old activity is deleted for now")
            else:
                self._delete(bounds, last_row, first_kept_row)
        self._make_room()
        if self._max_bytes is not None and self._bytes() > self._max_bytes:
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _delete(self, bounds: Mapping[str, int], last_row: int, first_kept_row: int | None) -> None:
        with self._connection:
            self._connection.execute(
                "DELETE FROM activity WHERE at_us < :before AND rowid < :first_kept_row "
                "OR at_us > :now AND rowid < :last_row",
                {**bounds, "last_row": last_row, "first_kept_row": first_kept_row or _MAX_ROW},
            )

    def _make_room(self) -> None:
        """Delete the oldest entries, some at a time, until a tenth of the limit is free. A file
        does not shrink by that, but its free pages are used again."""
        if self._max_bytes is None or self._used_bytes() <= self._max_bytes * 0.95:
            return
        while self._used_bytes() > self._max_bytes * 0.85:
            with self._connection:
                dropped = self._connection.execute(
                    "DELETE FROM activity WHERE rowid IN (SELECT rowid FROM activity "
                    "ORDER BY rowid LIMIT (SELECT COUNT(*) / 50 + 1 FROM activity))"
                )
            if not dropped.rowcount:
                return

    def _used_bytes(self) -> int:
        return self._bytes() - self._pragma("freelist_count") * self._pragma("page_size")

    def _bytes(self) -> int:
        return self._pragma("page_count") * self._pragma("page_size")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    @_translate_errors()
    def page(self, query: ActivityQuery) -> ActivityQueryResult:
        conditions = _conditions(query)
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"SELECT rowid, {_COLUMNS} FROM activity {where} ORDER BY rowid DESC LIMIT ?"  # noqa: S608
        rows = self._connection.execute(sql, (*conditions.values(), query.limit)).fetchall()
        more = rows[-1][0] if len(rows) == query.limit else None
        return ActivityQueryResult(tuple(_entry(row[1:]) for row in rows), more)

    @_translate_errors()
    def savings(self, since: datetime | None) -> tuple[ClientSavings, ...]:
        """For a listing, `saved_tokens` are those of the tools it left out; for a call, those of
        results that stayed in a script."""
        kinds: dict[str, str] = {kind: kind.value for kind in ActivityKind}
        values = {**kinds, "since": _micros(since) if since else 0}
        query = resources.read_text("activity", "savings.sql")
        return tuple(ClientSavings(*row) for row in self._connection.execute(query, values))

    def close(self) -> None:
        self._connection.close()


def move_aside(path: Path, now: datetime) -> Path:
    """Rename the database and its WAL files, so that a new one can be created."""
    aside = path.with_name(f"{path.name}.broken-{now:%Y%m%dT%H%M%S%f}")
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _connect(path: Path) -> sqlite3.Connection:
    private_folder(path.parent)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite would apply the umask.
    path.chmod(0o600)
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        _check_version(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(_MIGRATIONS):
        raise TableError("it was written by a newer version of Toolbooth", broken=False)
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    version = _check_version(connection)
    for number, file in enumerate(_MIGRATIONS[version:], start=version + 1):
        script = resources.read_text("activity", file)
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


def _conditions(query: ActivityQuery) -> dict[str, object]:
    """SQL conditions, each with its parameter."""
    wanted = {
        "at_us >= ?": None if query.since is None else _micros(query.since),
        "client = ?": query.client,
        "server = ?": query.server,
        "kind = ?": None if query.kind is None else query.kind.value,
        "outcome != ?": Outcome.OK.value if query.only_failed else None,
        "rowid < ?": query.before,
    }
    return {condition: value for condition, value in wanted.items() if value is not None}


def _micros(at: datetime) -> int:
    return (at - EPOCH) // _MICROSECOND


def _time(micros: int) -> datetime:
    return EPOCH + micros * _MICROSECOND


def _row(entry: ActivityEntry) -> tuple[object, ...]:
    at, *others = _values(entry)
    return (_micros(at), *map(_valid_utf8, others))


def _chunks(
    rows: Iterable[tuple[object, ...]], max_bytes: int
) -> Iterator[list[tuple[object, ...]]]:
    chunk: list[tuple[object, ...]] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += sum(len(value) if isinstance(value, str) else 8 for value in row)
        if size > max_bytes:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _valid_utf8(value: object) -> object:
    """Clients may send lone surrogates, which SQLite rejects."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _entry(row: tuple[Any, ...]) -> ActivityEntry:
    at_us, request_id, client, kind, outcome, *rest = row
    try:
        at = _time(at_us)
        return ActivityEntry(at, request_id, client, ActivityKind(kind), Outcome(outcome), *rest)
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(f"an entry is malformed: {error}", broken=True) from error
