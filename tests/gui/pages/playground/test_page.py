"""The search playground: what an app would find, by each strategy, and why."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.pages.playground.result_column import ResultColumn
from gui.widgets.theme import Theme
from router.domain.ids import ToolKey
from router.domain.permissions import Permission
from router.domain.search import MatchReasons, SearchHit, SearchReply
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from tests.gui.driver import GITHUB, PERSONAL, open_window, press, sample_router, texts
from tests.support.fakes import FakeRouter, SentCommand

KEY = ToolKey(GITHUB.id, "create_issue")
REASONS = MatchReasons(("open",), 0.914, used_before=True)
HIT = SearchHit(
    Tool(KEY, "GitHub", {"description": "Open it"}, "", 10), 0.94, "matches open", reasons=REASONS
)


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.search.replies = {
        Optimization.HYBRID: SearchReply((HIT,), Optimization.HYBRID),
        Optimization.BM25: SearchReply((), Optimization.BM25, note="The index is being built."),
    }
    return made


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    window = open_window(router, app_theme, qtbot)
    window.go_to(Page.PLAYGROUND)
    return window


def ask(window: MainWindow, text: str, qtbot: QtBot) -> None:
    page = window.pages.playground if window.pages else None
    assert page is not None
    QTest.keyClicks(page.findChildren(QLineEdit)[0], text)
    qtbot.waitUntil(lambda: "create_issue" in texts(page))


def test_both_strategies_answer_side_by_side_with_scores_and_reasons(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    ask(window, "open a ticket", qtbot)
    shown = texts(window)
    assert "0.94" in shown
    assert "matches: open · similarity 0.91 · used before for this" in shown
    assert "The index is being built." in shown
    assert "No matching tools." in shown
    assert router.search.asked == [("open a ticket", "bm25", "hybrid")]


def test_the_query_field_has_the_focus(window: MainWindow) -> None:
    assert window.focusWidget() is window.pages.playground.findChildren(QLineEdit)[0]


def test_long_names_leave_the_score_and_the_buttons_visible(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    named = Tool(ToolKey(GITHUB.id, "create_issue"), "a long name " * 12, {}, "", 10)
    hit = SearchHit(named, 0.94, "matches open", reasons=REASONS)
    both = (Optimization.BM25, Optimization.HYBRID)
    router.search.replies = {each: SearchReply((hit,), each) for each in both}
    ask(window, "open", qtbot)
    column = window.findChildren(ResultColumn)[0]
    score = next(each for each in column.findChildren(QLabel) if each.text() == "0.94")
    qtbot.waitUntil(lambda: 0 < score.mapTo(column, score.rect().topRight()).x() < column.width())
    name = next(each for each in column.findChildren(QLabel) if each.text() == "create_issue")
    assert name.width() >= name.sizeHint().width()


def test_one_strategy_can_be_shown_alone(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    ask(window, "open", qtbot)
    press(window.pages.playground, "Hybrid")
    qtbot.waitUntil(lambda: router.search.asked[-1] == ("open", "hybrid"))
    assert "Keyword (BM25)" not in texts(window)


def test_the_cost_of_a_reply_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    ask(window, "open", qtbot)
    assert "2 ms · 1 tools · 640 tokens" in texts(window).replace("\N{NO-BREAK SPACE}", " ")


def test_a_tool_is_pinned_and_that_can_be_undone(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    ask(window, "open", qtbot)
    press(window, "Pin for all apps")
    qtbot.waitUntil(lambda: "Pinned create_issue for all apps" in texts(window))
    assert router.projects.config(PERSONAL, None).pinned == (str(KEY),)
    pinned = "Pinned for all apps. Click to unpin"
    qtbot.waitUntil(lambda: has_button(window, pinned))
    press(window, "Undo")
    assert router.projects.config(PERSONAL, None).pinned == ()
    qtbot.waitUntil(lambda: not has_button(window, pinned))


def has_button(window: MainWindow, name: str) -> bool:
    buttons = window.findChildren(QAbstractButton)
    return any(each.accessibleName() == name and each.isVisible() for each in buttons)


@pytest.mark.parametrize("before", [Permission.ALLOW, Permission.ASK])
def test_a_tool_is_blocked_and_that_can_be_undone(
    window: MainWindow, router: FakeRouter, qtbot: QtBot, before: Permission
) -> None:
    views = router.state.tools[GITHUB.ref]
    router.state.tools[GITHUB.ref] = tuple(v._replace(permission=before) for v in views)
    ask(window, "open", qtbot)
    press(window, "Block for all apps")
    qtbot.waitUntil(lambda: "Blocked create_issue" in texts(window))
    denied = SentCommand("permissions.set", (PERSONAL, KEY, Permission.DENY, None))
    assert router.commands[-1] == denied
    press(window, "Undo")
    assert router.commands[-1].arguments[2] is before
