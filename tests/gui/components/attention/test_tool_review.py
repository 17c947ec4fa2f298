"""Pending, changed and suspicious tools are marked and decided where tools are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from pytestqt.qtbot import QtBot

from gui.components.attention.tool_review import cuts_text, tool_badge, tool_notice
from gui.main_window.main_window import MainWindow
from gui.text.marks import Tone
from gui.widgets.theme import Theme
from router.api.events import ServerStatusChanged
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval, Cut, CutKind, Finding, FindingKind
from tests.gui.driver import GITHUB, SENTRY, open_window, press, sample_router, texts, tool
from tests.support.fakes import FakeRouter, SentCommand

FINDING = Finding(FindingKind.POISONING, "rule", "description", "ignore all")
CHANGED = tool("create_issue")._replace(approval=Approval.CHANGED, findings=(FINDING,))
NEW = tool("fork")._replace(approval=Approval.PENDING)


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.state.tools[GITHUB.ref] = (CHANGED, NEW, tool("list_issues"))
    return made


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    return open_window(router, app_theme, qtbot)


def encode_arguments(model: QAbstractItemModel) -> list[str]:
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def test_an_approved_unchanged_tool_has_no_mark() -> None:
    assert tool_badge(tool("list_issues")) is None
    assert tool_notice(tool("list_issues")) is None


def test_suspicious_takes_precedence_over_new() -> None:
    assert tool_badge(NEW) == ("New", Tone.ACCENT)
    assert tool_badge(NEW._replace(approval=Approval.CHANGED)) == ("Changed", Tone.WARN)
    assert tool_badge(CHANGED) == ("Suspicious", Tone.ERR)


def test_rows_mark_tools_that_need_approval(window: MainWindow) -> None:
    rows = encode_arguments(window.pages.workspace.detail.tools.view().model())
    assert [row.split(", ")[1] for row in rows] == ["Suspicious", "New", "Does list_issues"]


def test_a_tool_is_approved_in_its_detail_view(router: FakeRouter, window: MainWindow) -> None:
    assert "Changed: hidden from apps" in texts(window.pages.workspace.detail)
    assert "“ignore all”" in texts(window.pages.workspace.detail)
    press(window.pages.workspace.detail, "Approve")
    assert router.commands[-1] == SentCommand("tools.approve", (GITHUB.ref, ("create_issue",)))


def test_findings_of_an_approved_tool_can_be_dismissed(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    router.state.tools[GITHUB.ref] = (CHANGED._replace(approval=Approval.APPROVED),)
    window = open_window(router, app_theme, qtbot)
    press(window.pages.workspace.detail, "Dismiss")
    assert router.commands[-1] == SentCommand("tools.dismiss", (GITHUB.ref, ("create_issue",)))


def test_lists_that_could_not_be_read_are_mentioned_below_the_tools(
    router: FakeRouter, window: MainWindow
) -> None:
    router.emit(ServerStatusChanged(replace(GITHUB, unread=(("resources", "database down"),))))
    shown_text = "Its resources could not be listed: database down"
    assert shown_text in texts(window.pages.workspace.detail)


def test_a_suspicious_tool_that_was_approved_offers_nothing_to_approve() -> None:
    notice = tool_notice(CHANGED._replace(approval=Approval.APPROVED))
    assert notice is not None
    assert notice.suspicious
    assert not notice.waits


def test_tools_cut_from_a_list_are_mentioned_below_it(
    router: FakeRouter, window: MainWindow
) -> None:
    assert "Parts of the list" not in texts(window.pages.workspace.detail)
    cut = replace(GITHUB, cuts=(Cut(CutKind.TOO_MANY_TOOLS, 7), Cut(CutKind.ICON, 2)))
    router.emit(ServerStatusChanged(cut))
    shown_text = (
        "Parts of the list are not shown: 7 tools over the limit in Settings; 2 icons removed."
    )
    assert shown_text in texts(window.pages.workspace.detail)


@pytest.mark.parametrize("approval", Approval)
def test_a_suspicious_tool_has_a_notice_whatever_its_approval(approval: Approval) -> None:
    notice = tool_notice(CHANGED._replace(approval=approval))
    assert notice is not None
    assert notice.text


def test_every_cut_has_a_text() -> None:
    for kind in CutKind:
        assert "3" in cuts_text((Cut(kind, 3),))


@pytest.mark.proves("DISC-13")
def test_a_server_without_a_list_shows_as_one_entry_with_its_status(
    router: FakeRouter, window: MainWindow
) -> None:
    window.pages.workspace.servers.select(SENTRY.ref)
    assert f"{SENTRY.id}/*" in texts(window.pages.workspace.detail)
    assert "Failed" in texts(window.pages.workspace.detail)
    idle = replace(SENTRY, state=ServerState.IDLE, failure=None)
    router.emit(ServerStatusChanged(idle))
    assert "Not discovered yet" in texts(window.pages.workspace.detail)
