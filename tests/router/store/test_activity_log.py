"""The activity log: it never delays a request, and keeps only what it should."""

from __future__ import annotations

import logging
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from router.domain.activity import ActivityEntry, ActivityKind, ActivityQuery, Outcome
from router.domain.errors import ToolboothError
from router.domain.ids import ProjectId, ServerId, WorkspaceId
from router.store import activity_log
from router.store.activity_log import SqliteActivityLog
from router.store.activity_totals import ActivityTotals
from router.store.deferred_writes import DeferredWrites
from tests.support.fakes import FakeClock

HOME = WorkspaceId("personal")
CALL = ActivityEntry(
    at=datetime(2026, 3, 10, 12, 0, 0, 123457, tzinfo=UTC),
    request_id="r-1",
    client="Claude",
    kind=ActivityKind.CALL,
    outcome=Outcome.ERROR,
    duration_ms=12.5,
    workspace=HOME,
    project=ProjectId("docs"),
    server=ServerId("time"),
    tool="convert",
    detail=None,
    result_count=3,
    context_tokens=120,
    saved_tokens=4000,
    message="No such time zone.",
)
SEARCH = replace(CALL, kind=ActivityKind.SEARCH, detail="secret plans", saved_tokens=-200)

OpenLog = Callable[..., SqliteActivityLog]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "activity.sqlite"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def writes() -> DeferredWrites:
    return DeferredWrites()


@pytest.fixture
def open_log(path: Path, clock: FakeClock, writes: DeferredWrites) -> Iterator[OpenLog]:
    """Opens the log as often as a test restarts; closes what the test left open."""
    opened: list[SqliteActivityLog] = []

    def open_it(*, keep_days: int = 30, log_details: bool = False) -> SqliteActivityLog:
        log = SqliteActivityLog(
            path,
            keep_days=keep_days,
            log_details=log_details,
            clock=clock,
            deferred_writes=writes,
        )
        opened.append(log)
        return log

    yield open_it
    for log in opened:
        log.close()


def rows(path: Path, query: str = "SELECT * FROM activity") -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.proves("META-9")
def test_an_entry_is_known_at_once_and_after_a_restart(open_log: OpenLog) -> None:
    log = open_log()
    log.record(CALL)
    assert log.recent() == (CALL,)
    log.close()
    assert open_log().recent() == (CALL,)


@pytest.mark.proves("META-9")
def test_the_text_of_a_search_is_written_only_if_enabled(open_log: OpenLog, path: Path) -> None:
    log = open_log()
    log.record(SEARCH)
    assert log.recent()[0].detail == "secret plans"
    log.flush()
    assert rows(path, "SELECT detail FROM activity") == [(None,)]
    log.apply(keep_days=30, log_details=True)
    log.record(SEARCH)
    log.close()
    assert b"secret plans" in b"".join(p.read_bytes() for p in path.parent.iterdir())
    assert [entry.detail for entry in open_log().recent()] == ["secret plans", None]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_the_database_and_its_side_files_are_private(open_log: OpenLog, path: Path) -> None:
    path.touch(0o644)
    log = open_log()
    log.record(CALL)
    log.flush()
    names = {file.name for file in path.parent.iterdir()}
    assert names == {"activity.sqlite", "activity.sqlite-wal", "activity.sqlite-shm"}
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


@pytest.mark.proves("REG-5")
def test_recent_are_the_newest_500_newest_first(open_log: OpenLog) -> None:
    log = open_log()
    entries = [replace(CALL, request_id=str(number)) for number in range(600)]
    for entry in entries:
        log.record(entry)
    newest = tuple(reversed(entries[100:]))
    assert log.recent() == newest
    log.close()
    assert open_log().recent() == newest


def test_savings_counted_while_the_clock_was_ahead_are_not_todays(
    open_log: OpenLog, clock: FakeClock
) -> None:
    log = open_log()
    for days_ahead, saved in ((400, 9000), (3, 500), (0, 7)):
        log.record(replace(CALL, at=clock.now + timedelta(days=days_ahead), saved_tokens=saved))
    assert CALL.workspace is not None
    assert log.saved_today(CALL.workspace) == (7, 1)


def test_savings_are_counted_by_hour_and_day_for_each_workspace(
    open_log: OpenLog, clock: FakeClock
) -> None:
    log = open_log()
    for hours_ago, saved in ((0, 5), (0, 7), (1, -2), (23, 100), (24, 1000), (60, 9999)):
        log.record(replace(CALL, at=clock.now - timedelta(hours=hours_ago), saved_tokens=saved))
    log.record(replace(CALL, workspace=WorkspaceId("work"), saved_tokens=50))
    log.record(replace(CALL, workspace=None, saved_tokens=50))
    log.record(replace(CALL, kind=ActivityKind.REFUSED, saved_tokens=50))
    by_hour = (100, *(0,) * 21, -2, 12)
    assert log.saved_by_hour(HOME) == by_hour
    assert log.saved_by_hour(WorkspaceId("none")) == (0,) * 24
    assert log.saved_today(WorkspaceId("work")) == (50, 1)
    log.close()
    again = open_log()
    assert again.saved_by_hour(HOME) == by_hour
    assert again.saved_today(WorkspaceId("work")) == (50, 1)
    clock.advance(timedelta(hours=2))
    assert again.saved_by_hour(HOME) == (*(0,) * 20, -2, 12, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no tzset")
@pytest.mark.parametrize(
    ("zone", "now", "yesterday"),
    [
        ("UTC", "2026-03-10T12:00+00:00", "2026-03-09T23:59+00:00"),
        ("JST-9", "2026-03-10T15:10+00:00", "2026-03-10T14:59+00:00"),
        ("NPT-5:45", "2026-03-10T18:20+00:00", "2026-03-10T18:14+00:00"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T10:00+00:00", "2026-03-28T22:59+00:00"),
        ("EST5EDT,M3.2.0,M11.1.0", "2026-11-02T04:59+00:00", "2026-11-01T03:59+00:00"),
    ],
)
def test_today_begins_at_local_midnight(
    monkeypatch: pytest.MonkeyPatch, zone: str, now: str, yesterday: str
) -> None:
    """As POSIX rules, not as names, which a system without a time zone database takes for UTC."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        totals = ActivityTotals()
        before = datetime.fromisoformat(yesterday)
        totals.count(replace(CALL, at=before, saved_tokens=1))
        totals.count(replace(CALL, at=before + timedelta(minutes=1), saved_tokens=10))
        assert totals.today(HOME, datetime.fromisoformat(now)) == (10, 1)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_totals_are_bounded() -> None:
    totals = ActivityTotals()
    last = 2_000_000  # in 2027: before, some time zones had offsets that are no quarter of an hour
    for quarter in range(last - 100_000, last + 1):
        totals.add(HOME, quarter, 1, 1)
    now = (datetime(1970, 1, 1, tzinfo=UTC) + last * timedelta(minutes=15)).astimezone()
    assert sum(totals.saved_by_hour(HOME, now)) == 23 * 4 + now.minute // 15 + 1


def test_old_activity_is_deleted_at_start_and_daily(open_log: OpenLog, clock: FakeClock) -> None:
    log = open_log(keep_days=30)
    old = replace(CALL, at=clock.now - timedelta(days=31), request_id="old")
    log.record(old)
    log.record(CALL)
    log.close()
    log = open_log(keep_days=30)
    assert log.recent() == (CALL,)
    clock.advance(timedelta(days=31))
    fresh = replace(CALL, at=clock.now, request_id="fresh")
    log.record(fresh)
    log.close()
    assert open_log(keep_days=3650).recent() == (fresh,)


@pytest.mark.parametrize("damage", ["no database", "a damaged page", "another schema"])
def test_a_corrupt_database_is_moved_aside_and_replaced(
    open_log: OpenLog, path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    if damage == "no database":
        path.write_bytes(b"this was never a database, but it is long enough to be one" * 10)
    else:
        log = open_log()
        for _ in range(1000):
            log.record(CALL)
        log.close()
        corrupt(path, damage)
    broken = path.read_bytes()
    log = open_log()
    assert log.recent() == ()
    log.record(CALL)
    log.close()
    assert open_log().recent() == (CALL,)
    [aside] = path.parent.glob("activity.sqlite.broken-*[0-9]")
    assert aside.read_bytes() == broken
    assert aside.name in caplog.text


def corrupt(path: Path, damage: str) -> None:
    if damage == "a damaged page":
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xa5" * (len(data) - 4096)
        path.write_bytes(data)
        return
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE activity")


def test_a_database_corrupted_at_run_time_is_replaced(open_log: OpenLog, path: Path) -> None:
    log = open_log()
    log.record(CALL)
    log.flush()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE activity")
    log.record(CALL)
    log.flush()
    log.record(replace(CALL, request_id="after"))
    assert len(log.recent()) == 3
    log.close()
    assert [entry.request_id for entry in open_log().recent()] == ["after", "r-1"]


def test_what_cannot_be_written_is_in_memory_and_written_when_it_can(
    open_log: OpenLog, path: Path, writes: DeferredWrites
) -> None:
    path.mkdir()
    log = open_log()
    log.record(CALL)
    log.flush()
    assert log.recent() == (CALL,)
    assert writes.reason == f"Can't write {path}: Is a directory."
    with pytest.raises(ToolboothError, match=r"Can't read .*activity\.sqlite: "):
        log.page(ActivityQuery())
    path.rmdir()
    writes.retry()
    assert writes.reason == ""
    assert log.page(ActivityQuery()).entries == (CALL,)


def test_a_database_of_a_newer_version_is_left_as_it_is(
    open_log: OpenLog, path: Path, writes: DeferredWrites
) -> None:
    open_log().close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = path.read_bytes()
    log = open_log()
    log.record(CALL)
    log.close()
    assert path.read_bytes() == newer
    assert [file.name for file in path.parent.glob("*.broken*")] == []
    assert "written by a newer version of Toolbooth" in writes.reason


def test_invalid_unicode_breaks_nothing(open_log: OpenLog) -> None:
    log = open_log(log_details=True)
    log.record(replace(SEARCH, detail="half \ud83d", client="\udfff"))
    log.record(replace(CALL, request_id="after"))
    log.close()
    after, search = open_log().recent()
    assert (after.request_id, search.detail, search.client) == ("after", "half ?", "?")


def test_when_the_disk_is_too_slow_entries_are_dropped_with_one_warning(
    open_log: OpenLog,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(activity_log, "_QUEUE_SIZE", 10)
    log = open_log()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        for _ in range(100):
            log.record(CALL)
        connection.rollback()
    log.close()
    assert len(log.recent()) == 100
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert [r.getMessage().split(";")[0] for r in warnings] == [
        "Activity arrives faster than it can be written"
    ]


def test_recording_after_close_is_harmless(open_log: OpenLog) -> None:
    log = open_log()
    log.close()
    log.record(CALL)
    log.flush()
    assert log.recent() == (CALL,)


def test_recording_does_not_wait_for_the_disk(open_log: OpenLog, path: Path) -> None:
    log = open_log()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        for _ in range(1000):  # a blocking call would wait for the rollback
            log.record(CALL)
        connection.rollback()
    log.close()
    assert len(open_log().recent()) == 500
