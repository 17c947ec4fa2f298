"""The table of activity in its database file: schema and statements. Knows no threads.

Times are whole microseconds since 1970, so that they sort, group and come back exactly.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from router.model import ActivityEntry, ActivityKind, Outcome, WorkspaceId
from router.store.activity_totals import EPOCH, QUARTER
from router.store.files import private_folder

_MICROSECOND = timedelta(microseconds=1)
_BEYOND_REPAIR = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_COLUMNS = (
    "at_us, request_id, client, kind, outcome, duration_ms, workspace, project, server, tool, "
    "detail, result_count, context_tokens, saved_tokens, message"
)
_MIGRATIONS = (
    """
    CREATE TABLE activity (
        at_us INTEGER NOT NULL, request_id TEXT NOT NULL, client TEXT NOT NULL,
        kind TEXT NOT NULL, outcome TEXT NOT NULL, duration_ms REAL NOT NULL,
        workspace TEXT, project TEXT, server TEXT, tool TEXT,
        detail TEXT, result_count INTEGER,
        context_tokens INTEGER NOT NULL, saved_tokens INTEGER NOT NULL, message TEXT
    );
    CREATE INDEX activity_at ON activity (at_us);
    """,
)


class TableError(Exception):
    """The database can't do what was asked. `broken`: this file never will."""

    def __init__(self, message: str, *, broken: bool) -> None:
        super().__init__(message)
        self.broken = broken


class ActivityTable:
    """Every method raises `TableError` and nothing else."""

    def __init__(self, path: Path | None) -> None:
        """Open the database at `path`, made if missing; None keeps it in memory."""
        with _translated():
            self._connection = _connect(path)
            try:
                _migrate(self._connection)
            except BaseException:
                self._connection.close()
                raise

    def insert(self, entries: Iterable[ActivityEntry]) -> None:
        marks = ", ".join("?" * len(_COLUMNS.split(",")))
        with _translated(), self._connection:
            self._connection.executemany(
                f"INSERT INTO activity ({_COLUMNS}) VALUES ({marks})",  # noqa: S608 - our own names
                map(_row, entries),
            )

    def newest(self, count: int) -> list[ActivityEntry]:
        """The newest entries, newest first."""
        query = f"SELECT {_COLUMNS} FROM activity ORDER BY at_us DESC, rowid DESC LIMIT ?"  # noqa: S608
        with _translated():
            return [_entry(row) for row in self._connection.execute(query, (count,))]

    def totals(self, since: datetime) -> list[tuple[WorkspaceId, int, int, int]]:
        """For each workspace and quarter of an hour: tokens saved and requests answered."""
        query = """
            SELECT workspace, at_us / ?, SUM(saved_tokens), COUNT(*) FROM activity
            WHERE at_us >= ? AND workspace IS NOT NULL AND kind != ? GROUP BY 1, 2
        """
        values = (QUARTER // _MICROSECOND, _micros(since), ActivityKind.REFUSED.value)
        with _translated():
            return self._connection.execute(query, values).fetchall()

    def prune(self, before: datetime) -> None:
        with _translated(), self._connection:
            self._connection.execute("DELETE FROM activity WHERE at_us < ?", (_micros(before),))

    def close(self) -> None:
        self._connection.close()


def move_aside(path: Path, now: datetime) -> Path:
    """Rename the database and what SQLite keeps beside it, so that a new one can begin."""
    aside = path.with_name(f"{path.name}.broken-{now:%Y%m%dT%H%M%S%f}")
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return sqlite3.connect(":memory:", check_same_thread=False)
    private_folder(path.parent)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite would ask the umask instead.
    path.chmod(0o600)
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(_MIGRATIONS):
        raise TableError("it was written by a newer Toolbooth", broken=True)
    for number, script in enumerate(_MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        raise TableError(str(error), broken=code in _BEYOND_REPAIR) from error
    except (OSError, OverflowError) as error:
        raise TableError(str(error), broken=False) from error


def _micros(at: datetime) -> int:
    return (at - EPOCH) // _MICROSECOND


def _row(entry: ActivityEntry) -> tuple[object, ...]:
    return (
        _micros(entry.at),
        _storable(entry.request_id),
        _storable(entry.client),
        entry.kind.value,
        entry.outcome.value,
        entry.duration_ms,
        _storable(entry.workspace),
        _storable(entry.project),
        _storable(entry.server),
        _storable(entry.tool),
        _storable(entry.detail),
        entry.result_count,
        entry.context_tokens,
        entry.saved_tokens,
        _storable(entry.message),
    )


def _storable(text: str | None) -> str | None:
    """Clients may send half a surrogate pair, which SQLite does not take."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _entry(row: tuple[Any, ...]) -> ActivityEntry:
    at_us, request_id, client, kind, outcome, *rest = row
    try:
        at = EPOCH + at_us * _MICROSECOND
        return ActivityEntry(at, request_id, client, ActivityKind(kind), Outcome(outcome), *rest)
    except (ValueError, TypeError, OverflowError) as error:
        raise TableError(f"an entry means nothing: {error}", broken=True) from error
