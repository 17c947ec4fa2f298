"""Text of servers and clients is shown as plain text everywhere: as HTML it could load an image,
and one that is a pipe would stop the window for good."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QMenu,
    QTabBar,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

import gui
from gui.components.activity.model import ActivityModel, Column
from gui.link.commands import Commands
from gui.main_window.page import Page
from gui.tray.icon import Tray
from gui.widgets.labels import ElidedLabel
from gui.widgets.theme import Theme
from gui.widgets.tooltip import plain_tooltip
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ToolKey
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval, DiffPart, Finding, FindingKind, WordChange
from router.domain.tools import PendingTool
from router.domain.workspaces import WorkspaceSummary
from tests.gui.all_dialogs import APP, dialogs
from tests.gui.driver import ACME, PERSONAL, bridge_from, open_window, sample_router, tool
from tests.support.fakes import FakeRouter, fake_status, run_now

IMAGE = '<img src="file:///pipe">'
HOSTILE = f"{IMAGE} a<b>b</b> {'words ' * 40}"
NOW = datetime.now(UTC)
TEXT_ROLES = (
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole,
    Qt.ItemDataRole.WhatsThisRole,
)


@pytest.fixture
def router() -> FakeRouter:
    """Everything that another program names or says is HTML with an image."""
    made = sample_router()
    state = made.state
    failure = Failure(FailureKind.OTHER, HOSTILE, HOSTILE)
    ready = fake_status("GitHub", tool_count=2)
    shown = replace(ready, name=HOSTILE, target=HOSTILE)
    broken = replace(
        fake_status("Broken", state=ServerState.FAILED, tool_count=None, failure=failure),
        name=HOSTILE,
        target=HOSTILE,
    )
    state.servers[PERSONAL] = (shown, broken)
    state.configs = {s.ref: next(iter(state.configs.values())) for s in (shown, broken)}
    state.tools[ready.ref] = (
        tool("create")._replace(title=HOSTILE, description=HOSTILE, signature=HOSTILE),
    )
    state.workspaces = (
        WorkspaceSummary(PERSONAL, HOSTILE, 2, active=True),
        WorkspaceSummary(ACME, HOSTILE, 0, active=False),
    )
    finding = Finding(FindingKind.HIDDEN_TEXT, "rule", HOSTILE, HOSTILE)
    difference = (DiffPart(WordChange.ADDED, HOSTILE), DiffPart(WordChange.REMOVED, HOSTILE))
    state.pending = (
        PendingTool(ToolKey(ready.id, "a"), Approval.CHANGED, HOSTILE, HOSTILE, difference, ()),
        PendingTool(ToolKey(ready.id, "b"), Approval.PENDING, "", HOSTILE, (), (finding,)),
    )
    state.activity = tuple(
        ActivityEntry(
            NOW - timedelta(minutes=number),
            str(number),
            HOSTILE,
            kind,
            Outcome.ERROR,
            1.0,
            workspace=PERSONAL,
            server=ready.id,
            tool=HOSTILE,
            detail=HOSTILE,
            message=HOSTILE,
        )
        for number, kind in enumerate(ActivityKind)
    )
    made.apps.apps = (APP, replace(APP, name=HOSTILE))
    return made


def rich_texts(window: QWidget) -> list[str]:
    """Where `window` may show text as HTML that is not ours."""
    return [f"{where}: {text[:60]}" for where, text in _rich(window) if IMAGE in text]


def _rich(window: QWidget) -> Iterator[tuple[str, str]]:
    for widget in (window, *window.findChildren(QWidget)):
        kind = f"{type(widget).__name__} {widget.objectName()}"
        for text in (widget.toolTip(), widget.statusTip(), widget.whatsThis()):
            yield f"{kind} tip", text
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            yield f"{kind} text", widget.text()
        if isinstance(widget, QAbstractItemView | QComboBox):
            yield from ((f"{kind} model", text) for text in _tips(widget.model()))
        if isinstance(widget, QTabBar):
            tabs = range(widget.count())
            yield from ((f"{kind} tab", widget.tabToolTip(tab)) for tab in tabs)
        if not isinstance(widget, QMenu) or widget.toolTipsVisible():
            for action in widget.actions():
                yield f"{kind} action", action.toolTip() + action.statusTip() + action.whatsThis()


def _tips(model: QAbstractItemModel | None) -> Iterator[str]:
    if model is None:
        return
    for row in range(model.rowCount(QModelIndex())):
        column = 0
        while (index := model.index(row, column)).isValid():
            for role in TEXT_ROLES:
                yield str(index.data(role) or "")
            column += 1


def automatic(window: QWidget) -> list[str]:
    """The labels whose text Qt would show as HTML if it looked like it."""
    labels = [label for label in window.findChildren(QLabel) if label.pixmap().isNull()]
    return [
        label.text() or type(label).__name__
        for label in labels
        if label.textFormat() == Qt.TextFormat.AutoText
    ]


@pytest.mark.parametrize("page", list(Page))
def test_no_page_shows_foreign_text_as_html(
    page: Page, router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    window.go_to(page)
    QTest.qWait(0)
    assert (rich_texts(window), automatic(window)) == ([], [])


@pytest.mark.parametrize("tab", range(5))
def test_no_part_of_a_server_shows_foreign_text_as_html(
    tab: int, router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    window.pages.workspace.detail.findChildren(QTabBar)[0].setCurrentIndex(tab)
    QTest.qWait(0)
    assert (rich_texts(window), automatic(window)) == ([], [])


def test_no_dialog_shows_foreign_text_as_html(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for dialog in dialogs(router, HOSTILE):
        dialog.show()
        found = (type(dialog).__name__, rich_texts(dialog), automatic(dialog))
        assert found == (type(dialog).__name__, [], [])
        dialog.close()


def test_a_tooltip_shows_its_text_as_it_is(app_theme: Theme, qtbot: QtBot) -> None:
    """What Qt shows, not what it was given."""
    label = ElidedLabel(HOSTILE)
    qtbot.addWidget(label)
    label.resize(40, 20)
    label.show()
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), label.mapToGlobal(QPoint(1, 1)))
    QApplication.sendEvent(label, event)
    shown = next(w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel"))
    assert isinstance(shown, QLabel)
    assert IMAGE not in shown.text()
    assert "&lt;img" in shown.text()
    QToolTip.hideText()


def test_the_tooltips_of_the_activity_list_are_plain_text() -> None:
    model = ActivityModel()
    entry = ActivityEntry(
        NOW, "1", HOSTILE, ActivityKind.CALL, Outcome.ERROR, 1.0, tool=HOSTILE, message=HOSTILE
    )
    model.set_entries((entry,))
    tips = [model.index(0, c).data(Qt.ItemDataRole.ToolTipRole) for c in range(Column.COUNT)]
    assert any(tips)
    assert not any(IMAGE in str(tip) for tip in tips)


def test_text_without_markup_is_its_own_tooltip() -> None:
    assert plain_tooltip("a > b & c\nd") == "a > b & c\nd"


def test_the_tray_gets_no_markup(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    tray = Tray(Commands(run_now), bridge_from(router))
    tray.attach(router)
    assert rich_texts(tray.menu) == []


def test_html_is_made_where_it_is_escaped_only() -> None:
    """Tooltips and labels are made in one place each; HTML, where the text is escaped."""
    allowed = {
        "setToolTip": {"widgets/tooltip.py", "tray/icon.py"},
        "QLabel": {"widgets/labels.py"},
        "setHtml": {"components/apps/connect_dialogs.py"},
        "RichText": {"pages/attention/page.py"},
        "AutoText": set[str](),
        "QMessageBox": {"widgets/message_box.py"},
        "showMessage": {"tray/icon.py"},
        "QTextDocument": set[str](),
        "QToolTip": set[str](),
        "setStatusTip": set[str](),
        "setWhatsThis": set[str](),
        "insertHtml": set[str](),
        "appendHtml": set[str](),
        "QTextBrowser": set[str](),
        "QErrorMessage": set[str](),
    }
    root = Path(str(gui.__file__)).parent
    for file in sorted(root.rglob("*.py")):
        name = file.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(file.read_text())):
            used = node.attr if isinstance(node, ast.Attribute) else None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                used = node.func.id
            assert used not in allowed or name in allowed[used], (name, used)
