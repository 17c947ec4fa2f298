"""The Activity page: what apps did, filtered; one entry in full; and its export."""

from __future__ import annotations

import asyncio
import csv
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QTableView
from pytestqt.qtbot import QtBot

from gui.components.activity.model import ActivityCategory, ActivityFilter
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.pages.activity.export import as_text, export
from gui.pages.activity.page import ActivityPage
from gui.widgets.theme import Theme
from router.api.events import ActivityRecorded
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.errors import ToolboothError
from router.domain.ids import ServerId
from tests.gui.driver import open_window, press, sample_router, texts
from tests.support.fakes import FakeRouter

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
CALL = ActivityEntry(
    at=START,
    request_id="req-1",
    client="Cursor",
    kind=ActivityKind.CALL,
    outcome=Outcome.OK,
    duration_ms=18,
    server=ServerId("github"),
    tool="create_issue",
    context_tokens=640,
    input_tokens=31,
    trace_id="trace-1",
)
SEARCH = replace(
    CALL,
    at=START + timedelta(seconds=5),
    request_id="req-2",
    client="Zed",
    kind=ActivityKind.SEARCH,
    server=None,
    tool=None,
    detail="open a ticket",
    result_count=4,
)
FAILED = replace(
    CALL,
    at=START - timedelta(days=3),
    request_id="req-3",
    tool="fork",
    outcome=Outcome.ERROR,
    message="no rights",
)


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.state.activity = (SEARCH, CALL)
    made.activity.logged = (replace(SEARCH, detail=None), CALL, FAILED)
    return made


@pytest.fixture
def page(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> ActivityPage:
    return opened(open_window(router, app_theme, qtbot), qtbot)


def opened(window: MainWindow, qtbot: QtBot) -> ActivityPage:
    press(window, "Open the Activity page")
    page = window.pages.activity
    qtbot.waitUntil(lambda: len(summaries(page)) == 3)
    return page


def table(page: ActivityPage) -> QTableView:
    return page.findChildren(QTableView)[0]


def summaries(page: ActivityPage) -> list[str]:
    model = table(page).model()
    return [str(model.index(row, 3).data()) for row in range(model.rowCount())]


def choose(page: ActivityPage, name: str, value: str) -> None:
    box = next(each for each in page.findChildren(QComboBox) if each.accessibleName() == name)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


@pytest.mark.proves("META-9")
def test_entries_in_memory_and_in_the_log_form_one_list(page: ActivityPage) -> None:
    search, call, failed = summaries(page)
    assert search.startswith("“open a ticket”")  # the log does not have this text
    assert call == "github · create_issue"
    assert failed == "github · fork — no rights"


def test_entries_are_filtered_by_app_server_kind_and_text(page: ActivityPage, qtbot: QtBot) -> None:
    choose(page, "App", "Zed")
    assert len(summaries(page)) == 1
    choose(page, "App", "")
    choose(page, "Server", "github")
    assert len(summaries(page)) == 2
    press(page, "Errors")
    assert summaries(page) == ["github · fork — no rights"]
    press(page, "All")
    choose(page, "Server", "")
    QTest.keyClicks(page.findChildren(QLineEdit)[0], "REQ-1")
    qtbot.waitUntil(lambda: summaries(page) == ["github · create_issue"])
    QTest.keyClicks(page.findChildren(QLineEdit)[0], " nowhere")
    qtbot.waitUntil(lambda: "No matching entries." in texts(page))


def test_one_entry_is_shown_in_full_and_says_that_arguments_are_not_logged(
    page: ActivityPage,
) -> None:
    table(page).selectRow(1)
    shown = texts(page)
    for known in ("create_issue", "Cursor", "req-1", "trace-1", "640", "31", "Not logged."):
        assert known in shown


def test_arguments_are_shown_where_they_are_logged(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    router.state.activity = (SEARCH, replace(CALL, detail='{"title": "Bug"}'))
    page = opened(open_window(router, app_theme, qtbot), qtbot)
    table(page).selectRow(1)
    [arguments] = page.findChildren(QPlainTextEdit)
    assert arguments.toPlainText() == '{"title": "Bug"}'


def test_new_entries_come_on_top_and_the_selection_stays(
    page: ActivityPage, router: FakeRouter, qtbot: QtBot
) -> None:
    table(page).selectRow(1)
    fresh = replace(CALL, at=START + timedelta(minutes=1), request_id="req-9", tool="merge")
    router.emit(ActivityRecorded(fresh))
    qtbot.waitUntil(lambda: summaries(page)[0] == "github · merge")
    assert "req-1" in texts(page)


def test_older_entries_are_loaded_at_the_end_of_the_list(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    router.activity.logged = tuple(
        replace(CALL, at=START - timedelta(minutes=n), request_id=str(n)) for n in range(900)
    )
    window = open_window(router, app_theme, qtbot)
    window.go_to(Page.ACTIVITY)
    page = window.pages.activity
    model = table(page).model()

    def has(count: int) -> None:
        assert model.rowCount() == count

    qtbot.waitUntil(lambda: has(502))
    bar = table(page).verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 500)
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: has(902))


def test_export_writes_the_filtered_entries(router: FakeRouter, tmp_path: Path) -> None:
    file = tmp_path / "activity.jsonl"
    count = asyncio.run(export(router, ActivityFilter(ActivityCategory.CALLS), file))
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert [entry["request_id"] for entry in written] == ["req-1", "req-3"]
    assert count == 2
    with pytest.raises(ToolboothError, match="Couldn’t write the file"):
        asyncio.run(export(router, ActivityFilter(), tmp_path))


def test_a_csv_export_contains_no_formula() -> None:
    wicked = replace(CALL, tool='=HYPERLINK("http://evil")')
    [header, row] = csv.reader(as_text((wicked,), ".csv").splitlines())
    assert dict(zip(header, row, strict=True))["tool"].startswith("'=")
