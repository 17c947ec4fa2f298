"""The tools of a server: filter, check boxes, and thousands of rows."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from gui.components.tool_list import ROW_HEIGHT, ToolList
from gui.pages.workspace.tool_detail import ToolDetail
from router.domain.ids import ServerId, ToolKey
from router.domain.permissions import Permission
from router.domain.tools import DataSource, Effect, Parameter, ToolView
from tests.support.timeouts import WAIT_MS

FILTER_STEP_MS = 25


def tool(name: str, description: str = "", permission: Permission = Permission.ALLOW) -> ToolView:
    return ToolView(
        key=ToolKey(ServerId("github"), name),
        title=name,
        description=description,
        signature=f"{name}()",
        parameters=(Parameter("owner", "string", True, "Who owns it"),),
        effect=Effect.WRITES,
        context_tokens=412,
        permission=permission,
        available=True,
        last_seen=None,
        source=DataSource.CACHED,
    )


TOOLS = (
    tool("create_issue", "Open a new issue"),
    tool("list_issues", "List issues by State"),
    tool("delete_repo", "Gone for good", Permission.DENY),
)


@pytest.fixture
def tools(qtbot: QtBot) -> ToolList:
    tools = ToolList()
    qtbot.addWidget(tools)
    tools.resize(316, 360)
    tools.set_tools(TOOLS)
    tools.show()
    return tools


def names(tools: ToolList) -> list[str]:
    model = tools.view().model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def type_filter(tools: ToolList, text: str) -> None:
    for field in tools.findChildren(QLineEdit):
        field.setText(text)


def test_rows_are_46_high_and_the_first_one_is_selected(tools: ToolList) -> None:
    current = tools.current()

    assert tools.view().sizeHintForRow(0) == ROW_HEIGHT == 46
    assert current is not None
    assert current.key.tool == "create_issue"


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("state", ["list_issues"]),
        ("ISSUE new", ["create_issue"]),
        ("issue", ["create_issue", "list_issues"]),
    ],
)
def test_the_filter_is_debounced_and_matches_name_and_description(
    tools: ToolList, qtbot: QtBot, typed: str, left: list[str]
) -> None:
    type_filter(tools, typed)
    assert len(names(tools)) == 3

    qtbot.waitUntil(lambda: names(tools) == left, timeout=WAIT_MS)


def test_clicking_a_check_box_requests_the_opposite(tools: ToolList) -> None:
    emitted: list[tuple[str, bool]] = []

    def on_signal(key: ToolKey, permitted: bool) -> None:
        emitted.append((key.tool, permitted))

    tools.permitted.connect(on_signal)
    view = tools.view()
    for row in (0, 2):
        rect = view.visualRect(view.model().index(row, 0))
        place = QPoint(rect.left() + 24, rect.center().y())
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.keyClick(view, Qt.Key.Key_Space)

    assert emitted == [("create_issue", False), ("delete_repo", True), ("delete_repo", True)]


def test_a_changed_permission_keeps_the_selection(tools: ToolList) -> None:
    tools.view().setCurrentIndex(tools.view().model().index(1, 0))

    tools.set_tools((TOOLS[0], tool("list_issues", permission=Permission.DENY), TOOLS[2]))
    current = tools.current()

    assert current is not None
    assert (current.key.tool, current.permission) == ("list_issues", Permission.DENY)


def test_the_filter_placeholder_shows_the_number_of_tools(tools: ToolList) -> None:
    (field,) = tools.findChildren(QLineEdit)

    assert field.placeholderText() == field.accessibleName() == "Filter 3 tools"


@pytest.mark.proof
def test_a_filter_step_over_5000_tools_takes_less_than_25_ms(tools: ToolList) -> None:
    tools.set_tools([tool(f"tool_{n}", f"Does thing {n} " * 8) for n in range(5000)])
    steps: list[float] = []
    for text in ("t", "th", "thi", "thing 49", "thing", "", "tool_4", "nothing at all", ""):
        type_filter(tools, text)
        # CPU time: what else the machine does is not measured.
        started = time.thread_time()
        tools.apply_filter()
        tools.view().viewport().repaint()
        steps.append((time.thread_time() - started) * 1000)
    # The median, since the garbage of other tests may be collected in any of them; the window
    # benchmark checks the longest.
    assert sorted(steps)[len(steps) // 2] < FILTER_STEP_MS


@pytest.fixture
def detail(qtbot: QtBot) -> ToolDetail:
    detail = ToolDetail()
    qtbot.addWidget(detail)
    detail.resize(390, 360)
    detail.show_tool(TOOLS[0])
    detail.show()
    return detail


def access(detail: ToolDetail, text: str) -> QPushButton:
    return next(b for b in detail.findChildren(QPushButton) if b.text() == text)


@pytest.mark.proves("META-5")
def test_blocking_a_tool_emits_its_key_and_the_permission(detail: ToolDetail) -> None:
    emitted: list[tuple[ToolKey, Permission]] = []

    def on_signal(key: ToolKey, permission: Permission) -> None:
        emitted.append((key, permission))

    detail.permission_chosen.connect(on_signal)

    QTest.mouseClick(access(detail, "Block"), Qt.MouseButton.LeftButton)

    assert emitted == [(TOOLS[0].key, Permission.DENY)]


def test_ask_can_be_chosen(detail: ToolDetail) -> None:
    assert access(detail, "Ask").isEnabled()


def test_the_effective_permission_is_shown(detail: ToolDetail) -> None:
    detail.show_tool(TOOLS[2])

    assert access(detail, "Block").isChecked()
    assert not access(detail, "Allow").isChecked()


@pytest.mark.proves("DISC-7")
def test_a_lookalike_name_is_shown_escaped(tools: ToolList) -> None:
    tools.set_tools((tool("read_file"), tool("re\u0430d_file"), tool("ファイル")))
    assert names(tools) == ["read_file", "re\\u0430d_file", "ファイル"]
