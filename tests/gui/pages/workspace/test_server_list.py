"""The server list: its rows, its filter, and the actions it requests."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gui.pages.workspace.server_list import ROW_HEIGHT, ServerList
from gui.pages.workspace.server_model import ServerCategory
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.servers import ServerState, ServerStatus
from tests.support.fakes import fake_status

GITHUB = fake_status("GitHub", tool_count=81)
SENTRY = fake_status(
    "Sentry",
    state=ServerState.FAILED,
    tool_count=None,
    failure=Failure(FailureKind.COMMAND_NOT_FOUND, "uvx"),
)
NOTION = fake_status("Notion", enabled=False, state=ServerState.DISABLED)


@pytest.fixture
def servers(qtbot: QtBot) -> ServerList:
    servers = ServerList()
    qtbot.addWidget(servers)
    servers.resize(364, 468)
    servers.set_servers((GITHUB, SENTRY, NOTION))
    servers.show()
    return servers


def names(servers: ServerList) -> list[str]:
    model = servers.view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def click(servers: ServerList, row: int, from_right: int) -> None:
    """Click `from_right` pixels from the right edge of the row."""
    view = servers.view
    rect = view.visualRect(view.model().index(row, 0))
    place = QPoint(rect.right() - from_right, rect.center().y() - 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def type_filter(servers: ServerList, text: str) -> None:
    for field in servers.findChildren(QLineEdit):
        field.setText(text)


def toggles(servers: ServerList) -> list[tuple[ServerRef, bool]]:
    emitted: list[tuple[ServerRef, bool]] = []

    def on_signal(ref: ServerRef, enabled: bool) -> None:
        emitted.append((ref, enabled))

    servers.toggled.connect(on_signal)
    return emitted


def test_a_row_is_56_high_and_the_first_one_is_selected(servers: ServerList) -> None:
    assert names(servers) == ["GitHub", "Sentry", "Notion"]
    assert servers.view.sizeHintForRow(0) == ROW_HEIGHT == 56
    assert servers.current() == GITHUB.ref


@pytest.mark.proves("CARD-2")
def test_clicking_the_switch_of_a_row_requests_the_opposite(servers: ServerList) -> None:
    emitted = toggles(servers)

    click(servers, 0, from_right=30)
    click(servers, 2, from_right=30)

    assert emitted == [(GITHUB.ref, False), (NOTION.ref, True)]


def test_space_switches_the_current_row(servers: ServerList) -> None:
    emitted = toggles(servers)
    servers.select(NOTION.ref)

    QTest.keyClick(servers.view, Qt.Key.Key_Space)

    assert emitted == [(NOTION.ref, True)]


def test_a_row_shows_the_routers_state_not_the_requested_one(servers: ServerList) -> None:
    click(servers, 0, from_right=30)
    index = servers.view.model().index(0, 0)

    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked


def test_the_button_of_a_failed_server_requests_its_action(servers: ServerList) -> None:
    pressed: list[ServerRef] = []
    servers.action_requested.connect(pressed.append)

    click(servers, 1, from_right=80)

    assert pressed == [SENTRY.ref]


def test_the_button_is_hidden_where_the_name_needs_its_space(servers: ServerList) -> None:
    pressed: list[ServerRef] = []
    servers.action_requested.connect(pressed.append)
    servers.resize(servers.minimumSizeHint().width(), servers.height())

    click(servers, 1, from_right=80)

    assert servers.current() == SENTRY.ref
    assert pressed == []


def test_enter_presses_the_button_of_the_current_row(servers: ServerList) -> None:
    servers.select(SENTRY.ref)

    pressed: list[ServerRef] = []
    servers.action_requested.connect(pressed.append)

    QTest.keyClick(servers.view, Qt.Key.Key_Return)

    assert pressed == [SENTRY.ref]


def test_a_click_elsewhere_only_selects(servers: ServerList) -> None:
    emitted = toggles(servers)

    click(servers, 1, from_right=250)

    assert servers.current() == SENTRY.ref
    assert emitted == []


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("git", ["GitHub"]),
        ("UVX", ["Sentry"]),
        ("off", ["Notion"]),
        ("npx hub", ["GitHub"]),
        ("nothing", []),
        ("", ["GitHub", "Sentry", "Notion"]),
    ],
)
def test_the_filter_matches_name_target_and_state(
    servers: ServerList, typed: str, left: list[str]
) -> None:
    type_filter(servers, typed)

    assert names(servers) == left


@pytest.mark.parametrize(
    ("showing", "left"),
    [
        (ServerCategory.ON, ["GitHub", "Sentry"]),
        (ServerCategory.ATTENTION, ["Sentry"]),
        (ServerCategory.OFF, ["Notion"]),
    ],
)
def test_servers_can_be_filtered_by_state(
    servers: ServerList, showing: ServerCategory, left: list[str]
) -> None:
    actions = [a for a in servers.findChildren(type(servers.view.addAction(""))) if a.data()]
    next(action for action in actions if action.data() == showing).trigger()

    assert names(servers) == left


def test_events_of_a_server_update_its_row_and_keep_the_selection(servers: ServerList) -> None:
    servers.select(SENTRY.ref)
    fixed = fake_status("Sentry", tool_count=7)

    servers.upsert(fixed)
    servers.upsert(fake_status("Linear"))
    servers.remove(GITHUB.ref)

    assert names(servers) == ["Sentry", "Notion", "Linear"]
    assert servers.current() == SENTRY.ref
    assert fixed in servers.servers()


@pytest.mark.parametrize("status", [GITHUB, SENTRY, NOTION], ids=lambda s: s.name)
def test_the_accessible_text_of_a_row_has_name_state_and_switch(
    servers: ServerList, status: ServerStatus
) -> None:
    model = servers.view.model()
    index = model.index(names(servers).index(status.name), 0)
    on = Qt.CheckState.Checked if status.enabled else Qt.CheckState.Unchecked

    assert str(index.data(Qt.ItemDataRole.AccessibleTextRole)).startswith(f"{status.name}, ")
    assert index.data(Qt.ItemDataRole.CheckStateRole) == on
    assert index.flags() & Qt.ItemFlag.ItemIsUserCheckable


def test_a_failed_server_explains_itself_in_its_tooltip(servers: ServerList) -> None:
    tip = str(servers.view.model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole))

    assert "Command “uvx” not found" in tip
    assert "It comes with uv" in tip


def test_all_rows_can_be_painted(servers: ServerList) -> None:
    for state in ServerState:
        servers.upsert(fake_status(f"In {state}", state=state))

    assert not servers.grab().isNull()
