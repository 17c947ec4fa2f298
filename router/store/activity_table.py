"""The table of activity in its database file: schema and statements. Knows no threads.

Times are whole microseconds since 1970, so that they sort, group and come back exactly.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterable
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
from router.store.activity_totals import EPOCH, QUARTER
from router.store.files import private_folder

_MICROSECOND = timedelta(microseconds=1)
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
    except (OSError, OverflowError) as error:
        raise TableError(str(error), broken=False) from error


class ActivityTable:
    """Every method raises `TableError` and nothing else."""

    @_translate_errors()
    def __init__(self, path: Path | None) -> None:
        """Open the database at `path`, created if missing; None keeps it in memory."""
        self._connection = _connect(path)

    @_translate_errors()
    def insert(self, entries: Iterable[ActivityEntry]) -> None:
        placeholders = ", ".join("?" * len(_FIELDS))
        with self._connection:
            self._connection.executemany(
                f"INSERT INTO activity ({_COLUMNS}) VALUES ({placeholders})",  # noqa: S608 - our own names
                map(_row, entries),
            )

    @_translate_errors()
    def newest(self, count: int) -> list[ActivityEntry]:
        """The newest entries, newest first."""
        query = f"SELECT {_COLUMNS} FROM activity ORDER BY at_us DESC, rowid DESC LIMIT ?"  # noqa: S608
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
    def prune(self, before: datetime, max_bytes: int) -> None:
        """Delete older entries, then the oldest tenth until the rest fits into `max_bytes`."""
        with self._connection:
            self._connection.execute("DELETE FROM activity WHERE at_us < ?", (_micros(before),))
        while self._used_bytes() > max_bytes:
            with self._connection:
                dropped = self._connection.execute(
                    "DELETE FROM activity WHERE rowid IN (SELECT rowid FROM activity "
                    "ORDER BY rowid LIMIT (SELECT COUNT(*) / 10 + 1 FROM activity))"
                )
            if not dropped.rowcount:
                return

    def _used_bytes(self) -> int:
        """The size of the pages in use; the file itself never shrinks, free pages are reused."""
        pages, free_pages, page_size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free_pages) * page_size

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


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        private_folder(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite would apply the umask.
        path.chmod(0o600)
    connection = sqlite3.connect(path or ":memory:", check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")  # a database in memory ignores it
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(_MIGRATIONS):
        raise TableError("it was written by a newer Toolbooth", broken=True)
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


def _row(entry: ActivityEntry) -> tuple[object, ...]:
    at, *others = _values(entry)
    return (_micros(at), *map(_valid_utf8, others))


def _valid_utf8(value: object) -> object:
    """Clients may send lone surrogates, which SQLite rejects."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _entry(row: tuple[Any, ...]) -> ActivityEntry:
    at_us, request_id, client, kind, outcome, *rest = row
    try:
        at = EPOCH + at_us * _MICROSECOND
        return ActivityEntry(at, request_id, client, ActivityKind(kind), Outcome(outcome), *rest)
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(f"an entry is malformed: {error}", broken=True) from error
