"""Looking closer at a server: trying a tool, prompts and resources, what it writes to stderr."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QTabBar
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.commands import Commands
from gui.look.theme import Theme
from gui.window.arguments_form import value_of
from gui.window.main_window import MainWindow
from gui.window.try_dialog import TryDialog, result_text
from router.details import LogLine, OfferView, ServerOffers
from router.errors import InvalidInput
from router.model import Parameter, ToolView
from tests.fakes import FakeRouter, SentCommand, run_now
from tests.gui.driving import (
    ACME,
    GITHUB,
    PERSONAL,
    open_window,
    press,
    stocked_router,
    texts,
    tool,
)

PARAMETERS = (
    Parameter("owner", "string", True, "Who owns it"),
    Parameter("count", "integer", False, ""),
    Parameter("draft", "boolean", False, ""),
    Parameter("labels", "string[]", False, ""),
)


@pytest.fixture
def router() -> FakeRouter:
    made = stocked_router()
    made.state.result = {"content": [{"type": "text", "text": "it is done"}]}
    return made


@pytest.fixture
def window(router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    return open_window(router, look, qtbot)


def with_parameters() -> ToolView:
    return tool("create_issue")._replace(parameters=PARAMETERS)


@pytest.fixture
def dialog(router: FakeRouter, gui_loop: object, qtbot: QtBot) -> TryDialog:
    made = TryDialog(router, Commands(run_now), PERSONAL, with_parameters(), None)
    made.open()
    qtbot.add_widget(made, before_close_func=_keep_alive)
    return made


def _keep_alive(dialog: object) -> None:
    assert isinstance(dialog, TryDialog)
    if Shiboken.isValid(dialog):
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)


def fill(dialog: TryDialog, **values: str) -> None:
    for field in dialog.findChildren(QLineEdit):
        field.setText(values.get(field.accessibleName(), ""))
    for box in dialog.findChildren(QComboBox):
        box.setCurrentText(values.get(box.accessibleName(), ""))


def test_what_is_typed_reaches_the_tool_in_its_types(
    router: FakeRouter, dialog: TryDialog, qtbot: QtBot
) -> None:
    fill(dialog, owner="acme", count="3", draft="true", labels='["bug"]')
    press(dialog, "Run")
    qtbot.waitUntil(lambda: dialog.result_text() == "it is done")
    arguments = {"owner": "acme", "count": 3, "draft": True, "labels": ["bug"]}
    key = with_parameters().key
    assert router.commands[-1] == SentCommand("try_tool", (PERSONAL, key, arguments))


def test_a_missing_argument_is_named_and_nothing_runs(
    router: FakeRouter, dialog: TryDialog
) -> None:
    press(dialog, "Run")
    assert "owner is required" in dialog.error()
    assert router.commands == []


def test_a_tool_that_fails_says_why(router: FakeRouter, dialog: TryDialog, qtbot: QtBot) -> None:
    router.failures["try_tool"] = InvalidInput("It is broken.", "Mend it.")
    fill(dialog, owner="acme")
    press(dialog, "Run")
    qtbot.waitUntil(lambda: dialog.error() == "It is broken. Mend it.")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("string", "12", "12"), ("integer", "12", 12), ("boolean", "false", False), ("any", "x", "x")],
)
def test_texts_become_values(kind: str, text: str, value: object) -> None:
    assert value_of(Parameter("p", kind, True, ""), text) == value


@pytest.mark.parametrize(("kind", "text"), [("integer", "many"), ("string[]", "[1")])
def test_what_is_of_another_type_is_refused(kind: str, text: str) -> None:
    with pytest.raises(InvalidInput, match="p is not of the type"):
        value_of(Parameter("p", kind, True, ""), text)


def test_a_result_without_text_is_shown_as_it_is() -> None:
    assert '"image"' in result_text({"content": [{"type": "image", "data": "x"}]})
    assert '"a": 1' in result_text({"structuredContent": {"a": 1}})


def test_try_it_opens_the_form_of_the_tool(window: MainWindow) -> None:
    press(window, "Try it…")
    (dialog,) = window.findChildren(TryDialog)
    assert "create_issue" in dialog.windowTitle()
    dialog.close()


def go_to_tab(window: MainWindow, name: str) -> None:
    (bar,) = window.page.detail.findChildren(QTabBar)
    names = [bar.accessibleTabName(i) or bar.tabText(i) for i in range(bar.count())]
    bar.setCurrentIndex(next(i for i, each in enumerate(names) if each.startswith(name)))


def test_prompts_and_resources_have_tabs_of_their_own(
    router: FakeRouter, window: MainWindow
) -> None:
    router.state.offers[GITHUB.ref] = ServerOffers(
        (OfferView("review", "Review", "Look at a change", "number"),),
        (OfferView("readme", "readme", "", "repo://readme"),),
    )
    window.page.server_changed(GITHUB)
    go_to_tab(window, "Prompts, 1")
    assert "Look at a change" in texts(window.page.detail)
    go_to_tab(window, "Resources, 1")
    assert "repo://readme" in texts(window.page.detail)


def test_the_log_is_live_while_it_is_looked_at(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    go_to_tab(window, "Logs")
    line = LogLine(datetime(2026, 1, 1, tzinfo=UTC), "out of paper")
    router.state.logs[GITHUB.ref] = (line,)
    qtbot.waitUntil(lambda: "out of paper" in window.page.detail.log.text())


def test_a_workspace_is_renamed_in_place(router: FakeRouter, window: MainWindow) -> None:
    window.sidebar.rename(ACME)
    (field,) = window.sidebar.findChildren(QLineEdit)
    QTest.keyClicks(field, "Work")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert router.commands[-1] == SentCommand("rename_workspace", (ACME, "Work"))


def test_a_removed_workspace_can_be_taken_back(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    window.sidebar.workspace_removed.emit(router.workspaces()[1])
    qtbot.waitUntil(lambda: "Removed Acme" in texts(window))
    press(window, "Undo")
    assert router.commands[-1] == SentCommand("restore_workspace", (ACME,))
