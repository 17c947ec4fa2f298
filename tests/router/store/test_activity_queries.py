"""Queries of the activity log: pages of entries, savings, and its size limit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from router.domain.activity import (
    ActivityEntry,
    ActivityKind,
    ActivityQuery,
    ClientSavings,
    Outcome,
)
from router.domain.ids import ServerId, WorkspaceId
from router.store.activity_log import SqliteActivityLog
from router.store.activity_table import ActivityTable
from router.store.deferred_writes import DeferredWrites
from tests.support.fakes import FakeClock

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
CALL = ActivityEntry(
    at=NOW,
    request_id="1",
    client="Claude",
    kind=ActivityKind.CALL,
    outcome=Outcome.OK,
    duration_ms=1,
    workspace=WorkspaceId("home"),
    server=ServerId("time"),
    tool="now",
    trace_id="abc",
    input_tokens=7,
)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteActivityLog]:
    log = SqliteActivityLog(
        tmp_path / "activity.sqlite",
        keep_days=30,
        log_details=False,
        clock=FakeClock(NOW),
        deferred_writes=DeferredWrites(),
    )
    yield log
    log.close()


@pytest.mark.proves("META-9")
def test_an_entry_is_read_with_its_trace_and_tokens(log: SqliteActivityLog) -> None:
    log.record(CALL)
    assert log.page(ActivityQuery()).entries == (CALL,)


@pytest.mark.proves("META-9")
@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        (ActivityQuery(), [3, 2, 1, 0]),
        (ActivityQuery(client="Cursor"), [3, 1]),
        (ActivityQuery(only_failed=True), [3]),
        (ActivityQuery(since=NOW + timedelta(minutes=2)), [3, 2]),
        (ActivityQuery(kind=ActivityKind.SEARCH), [2]),
        (ActivityQuery(server=ServerId("other")), []),
        (ActivityQuery(client="Cursor'; DROP TABLE activity; --"), []),
    ],
)
def test_queries_return_matching_entries_newest_first(
    log: SqliteActivityLog, query: ActivityQuery, numbers: list[int]
) -> None:
    for number in range(4):
        entry = replace(CALL, request_id=str(number), at=NOW + timedelta(minutes=number))
        entry = replace(entry, client="Cursor" if number % 2 else "Claude")
        entry = replace(entry, outcome=Outcome.ERROR if number == 3 else Outcome.OK)
        log.record(replace(entry, kind=ActivityKind.SEARCH) if number == 2 else entry)
    assert [int(entry.request_id) for entry in log.page(query).entries] == numbers


def test_pages_have_no_gap(log: SqliteActivityLog) -> None:
    for number in range(25):
        log.record(replace(CALL, request_id=str(number)))
    found: list[int] = []
    before: int | None = None
    while True:
        page = log.page(ActivityQuery(limit=10, before=before))
        found += [int(entry.request_id) for entry in page.entries]
        if (before := page.next) is None:
            break
    assert found == list(range(24, -1, -1))


@pytest.mark.proves("META-9")
def test_savings_are_unloaded_definitions_and_script_data_minus_search_cost(
    log: SqliteActivityLog,
) -> None:
    listing = replace(CALL, kind=ActivityKind.LIST, context_tokens=300, saved_tokens=9700)
    search = replace(CALL, kind=ActivityKind.SEARCH, context_tokens=200, saved_tokens=-200)
    inside = replace(CALL, context_tokens=0, saved_tokens=1000)
    script = replace(CALL, tool="execute", context_tokens=50, saved_tokens=-50)
    cursors = replace(search, client="Cursor")
    for entry in (listing, listing, search, cursors, CALL, inside, inside, script):
        log.record(entry)
    claude, cursor = log.savings(None)
    assert claude == ClientSavings("Claude", 2, 20_000, 600, 200, 1950)
    assert claude.saved_tokens == 21_150
    assert cursor.saved_tokens == -200
    assert log.savings(NOW + timedelta(days=1)) == ()


@pytest.mark.proves("META-9")
def test_the_oldest_entries_are_deleted_at_the_size_limit(tmp_path: Path) -> None:
    table = ActivityTable(tmp_path / "activity.sqlite")
    long = replace(CALL, message="x" * 1000)
    table.insert(replace(long, request_id=str(number)) for number in range(2000))
    table.limit(1 << 20)
    table.prune(NOW - timedelta(days=30), NOW)
    kept = [int(entry.request_id) for entry in table.newest(5000)]
    assert 500 < len(kept) < 1200
    assert kept == list(range(1999, 1999 - len(kept), -1))
    table.close()


JUMP = timedelta(days=3650)


@pytest.fixture
def pruned_at(tmp_path: Path) -> Generator[Callable[..., list[str]]]:
    """Opens a table of entries recorded at `times`, deletes what is a month old at `now`, and
    returns the rest."""
    table = ActivityTable(tmp_path / "times.sqlite")

    def prune(now: datetime, **times: datetime) -> list[str]:
        table.insert(replace(CALL, request_id=name, at=at) for name, at in times.items())
        table.prune(now - timedelta(days=30), now)
        return [entry.request_id for entry in reversed(table.newest(10))]

    yield prune
    table.close()


def test_a_clock_that_jumps_ten_years_ahead_deletes_nothing(
    pruned_at: Callable[..., list[str]],
) -> None:
    wrong = NOW + JUMP
    assert pruned_at(wrong, before=NOW) == ["before"]
    # Used, and started again, while it is wrong.
    assert pruned_at(wrong + timedelta(days=1), wrong=wrong) == ["before", "wrong"]
    assert pruned_at(NOW + timedelta(days=2)) == ["before", "wrong"]


def test_after_a_week_the_clock_is_believed(pruned_at: Callable[..., list[str]]) -> None:
    later = NOW + JUMP
    pruned_at(later, before=NOW, first=later)
    assert pruned_at(later + timedelta(days=8)) == ["first"]


def test_after_a_holiday_old_entries_are_deleted_at_once(
    pruned_at: Callable[..., list[str]],
) -> None:
    assert pruned_at(NOW + timedelta(days=90), before=NOW) == []


def test_entries_made_while_the_clock_was_wrong_are_as_old_as_their_neighbours(
    pruned_at: Callable[..., list[str]],
) -> None:
    """In both directions: set to 1970, and ten years ahead."""
    past, future = datetime(1970, 1, 2, tzinfo=UTC), NOW + JUMP
    names = ["before", "past", "future", "after"]
    hour = timedelta(hours=1)
    made = pruned_at(NOW + hour, before=NOW, past=past, future=future, after=NOW + hour)
    assert made == names
    assert pruned_at(past) == names
    assert pruned_at(NOW + timedelta(days=40), last=NOW + timedelta(days=39)) == ["last"]


def test_a_log_of_an_older_version_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "activity.sqlite"
    table = ActivityTable(path)
    table.insert([replace(CALL, trace_id="", input_tokens=0)])
    table.close()

    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE activity DROP COLUMN trace_id")
        connection.execute("ALTER TABLE activity DROP COLUMN input_tokens")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    table = ActivityTable(path)
    assert table.newest(1) == [replace(CALL, trace_id="", input_tokens=0)]
    table.close()


def test_the_database_and_its_wal_stay_within_the_limit(tmp_path: Path) -> None:
    table = ActivityTable(tmp_path / "activity.sqlite")
    limit = 2 << 20
    table.limit(limit)
    long = replace(CALL, detail="x" * 3000)
    largest = 0
    for _ in range(60):
        table.insert([long] * 50)
        largest = max(largest, sum(path.stat().st_size for path in tmp_path.iterdir()))
    assert limit // 2 < largest <= limit
    table.close()


def test_a_database_larger_than_a_new_limit_shrinks(tmp_path: Path) -> None:
    table = ActivityTable(tmp_path / "activity.sqlite")
    table.insert([replace(CALL, detail="x" * 3000)] * 2000)
    table.limit(1 << 20)
    table.prune(NOW - timedelta(days=30), NOW)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1 << 20
    assert len(table.newest(5000)) > 100
    table.close()
