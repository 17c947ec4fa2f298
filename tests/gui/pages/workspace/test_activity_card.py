"""The activity list: live, filtered, paused, and with few updates however busy the router is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from gui.components.activity.model import KEPT, ActivityCategory, ActivityFilter, Column
from gui.pages.workspace.activity_card import ActivityCard
from gui.widgets.buttons import Segmented
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.ids import ServerId
from tests.support.timeouts import WAIT_MS

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def entry(
    number: int, kind: ActivityKind = ActivityKind.CALL, outcome: Outcome = Outcome.OK
) -> ActivityEntry:
    return ActivityEntry(
        at=START + timedelta(seconds=number),
        request_id=str(number),
        client="Cursor",
        kind=kind,
        outcome=outcome,
        duration_ms=9,
        server=ServerId("github"),
        tool=f"tool_{number}",
        result_count=number,
    )


@pytest.fixture
def activity(qtbot: QtBot) -> ActivityCard:
    activity = ActivityCard()
    qtbot.addWidget(activity)
    activity.resize(1080, 214)
    activity.show()
    return activity


def summaries(activity: ActivityCard) -> list[str]:
    model = activity.model
    return [str(model.index(row, Column.WHAT).data()) for row in range(model.rowCount())]


def press(activity: ActivityCard, text: str) -> None:
    button = next(b for b in activity.findChildren(QPushButton) if b.text() == text)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def shows(activity: ActivityCard, text: str) -> bool:
    return any(label.text() == text for label in activity.findChildren(QLabel))


@pytest.mark.proves("CARD-1")
def test_new_entries_appear_on_top(activity: ActivityCard, qtbot: QtBot) -> None:
    activity.model.set_entries([entry(0)])

    activity.model.add_soon(entry(1))
    activity.model.add_soon(entry(2))

    qtbot.waitUntil(lambda: len(summaries(activity)) == 3, timeout=WAIT_MS)
    assert summaries(activity) == ["github · tool_2", "github · tool_1", "github · tool_0"]


def test_a_burst_reaches_the_table_at_most_ten_times_a_second(
    activity: ActivityCard, qtbot: QtBot
) -> None:
    insertions: list[None] = []
    activity.model.rowsInserted.connect(lambda: insertions.append(None))

    for number in range(200):
        activity.model.add_soon(entry(number))
    assert insertions == []

    qtbot.waitUntil(lambda: len(summaries(activity)) == 200, timeout=WAIT_MS)
    assert len(insertions) == 1


def test_only_the_newest_are_kept(activity: ActivityCard) -> None:
    for number in range(KEPT + 40):
        activity.model.add_soon(entry(number))
    activity.model.flush()

    assert len(summaries(activity)) == KEPT
    assert summaries(activity)[0] == f"github · tool_{KEPT + 39}"


def test_a_pause_holds_entries_back_and_counts_them(activity: ActivityCard) -> None:
    activity.model.set_entries([entry(0)])
    QTest.mouseClick(activity.pausing.button, Qt.MouseButton.LeftButton)
    assert shows(activity, "Paused")

    activity.model.add_soon(entry(1))
    activity.model.add_soon(entry(2))
    activity.model.flush()

    assert summaries(activity) == ["github · tool_0"]
    assert shows(activity, "Paused, 2 new")

    QTest.mouseClick(activity.pausing.button, Qt.MouseButton.LeftButton)
    assert summaries(activity)[0] == "github · tool_2"
    assert shows(activity, "Live")


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ("Searches", ["Search → 3 tools"]),
        ("Calls", ["github · tool_2", "github · tool_0"]),
        ("Errors", ["github · tool_2"]),
        ("All", ["github · tool_2", "Search → 3 tools", "github · tool_0"]),
    ],
)
def test_activity_can_be_filtered_by_kind(
    activity: ActivityCard, choice: str, left: list[str]
) -> None:
    activity.model.set_entries(
        [entry(2, outcome=Outcome.ERROR), entry(3, ActivityKind.SEARCH), entry(0)]
    )

    press(activity, "Calls")
    press(activity, choice)

    assert summaries(activity) == left


def test_new_entries_pass_the_filter_too(activity: ActivityCard) -> None:
    press(activity, "Searches")

    activity.model.add_soon(entry(1))
    activity.model.add_soon(entry(2, ActivityKind.SEARCH))
    activity.model.flush()

    assert summaries(activity) == ["Search → 2 tools"]


def test_every_cell_has_an_accessible_text(activity: ActivityCard) -> None:
    activity.model.set_entries([entry(0, outcome=Outcome.ERROR)])
    model = activity.model
    encode_arguments = [
        model.index(0, c).data(Qt.ItemDataRole.AccessibleTextRole) for c in range(7)
    ]

    assert all(encode_arguments)
    assert encode_arguments[-1] == "Failed"


def test_an_empty_list_says_what_will_appear(activity: ActivityCard) -> None:
    assert any("appear here" in label.text() for label in activity.findChildren(QLabel))
    assert not activity.grab().isNull()


def test_known_entries_are_not_shown_twice(activity: ActivityCard) -> None:
    activity.model.set_entries([entry(2), entry(1)])
    for number in (2, 3):
        activity.model.add_soon(entry(number))
    activity.model.flush()
    assert summaries(activity) == ["github · tool_3", "github · tool_2", "github · tool_1"]


@pytest.mark.parametrize("showing", ActivityCategory)
def test_every_category_can_be_chosen_and_shows_some_entries(
    activity: ActivityCard, showing: ActivityCategory
) -> None:
    entries = [entry(0, kind, outcome) for kind in ActivityKind for outcome in Outcome]
    assert any(map(ActivityFilter(showing).passes, entries))
    choice = activity.findChild(Segmented)
    assert isinstance(choice, Segmented)
    assert len(choice.findChildren(QPushButton)) == len(ActivityCategory)
