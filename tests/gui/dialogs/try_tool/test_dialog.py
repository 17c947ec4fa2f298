"""The details of a server: trying a tool, prompts and resources, its stderr."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.dialogs.try_tool.dialog import TryToolDialog, result_text
from gui.dialogs.try_tool.group_fields import ArgumentsForm
from gui.dialogs.try_tool.schema import MAX_DEPTH, ShapeKind, shape_of
from gui.dialogs.try_tool.values import value_of
from gui.link.commands import Commands
from gui.main_window.main_window import MainWindow
from gui.widgets.theme import Theme
from router.api.events import ServerStatusChanged
from router.catalog.tool_definition import parameters
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject
from router.domain.servers import LogLine, PromptResourceLists, PromptResourceView
from router.domain.tools import ToolView
from tests.gui.driver import (
    ACME,
    GITHUB,
    PERSONAL,
    SCHEMA,
    focused,
    open_window,
    press,
    sample_router,
    texts,
    tool,
)
from tests.support.fakes import FakeRouter, SentCommand, run_now


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.state.result = {"content": [{"type": "text", "text": "it is done"}]}
    return made


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    return open_window(router, app_theme, qtbot)


def with_parameters() -> ToolView:
    return tool("create_issue")._replace(parameters=parameters(SCHEMA))


@pytest.fixture
def dialog(router: FakeRouter, gui_loop: object, qtbot: QtBot) -> TryToolDialog:
    made = TryToolDialog(router, Commands(run_now), PERSONAL, with_parameters(), None)
    made.open()
    qtbot.add_widget(made, before_close_func=_keep_alive)
    return made


def _keep_alive(dialog: object) -> None:
    assert isinstance(dialog, TryToolDialog)
    if Shiboken.isValid(dialog):
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)


def field(dialog: TryToolDialog, name: str) -> QWidget:
    """The field with this accessible name."""
    fields = (*dialog.findChildren(QLineEdit), *dialog.findChildren(QPlainTextEdit))
    every = (*fields, *dialog.findChildren(QComboBox))
    return next(each for each in every if each.accessibleName() == name and each.isVisible())


def fill(dialog: TryToolDialog, **values: str) -> None:
    for name, text in values.items():
        QTest.keyClicks(field(dialog, name.replace("__", ".").replace("_0", "[0]")), text)


def sent(router: FakeRouter) -> JsonObject:
    name, (_, _, arguments) = router.commands[-1].name, router.commands[-1].arguments
    assert name == "tools.try_out"
    assert isinstance(arguments, dict)
    return cast(JsonObject, arguments)


def run(dialog: TryToolDialog, qtbot: QtBot) -> None:
    press(dialog, "Run")
    qtbot.waitUntil(lambda: dialog.result_text() == "it is done")


def test_typed_values_reach_the_tool_with_their_schema_types(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    large = "90071992547409931234"
    fill(dialog, owner="12", count=large, share="1e3", draft="t", state="3", maybe="-7")
    run(dialog, qtbot)
    assert sent(router) == {
        "owner": "12",
        "count": int(large),
        "share": 1000.0,
        "draft": True,
        "state": 3,
        "maybe": -7,
    }


def test_lists_and_objects_have_fields_of_their_own(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    press(dialog, "Add value to labels")
    press(dialog, "Add value to edits")
    fill(dialog, owner="acme", labels_0="a bug", edits_0__old="x", place__x="1")
    fill(dialog, extra='{"deep": [1]}', since="2026-02-28")
    run(dialog, qtbot)
    assert sent(router) == {
        "owner": "acme",
        "since": "2026-02-28",
        "labels": ["a bug"],
        "place": {"x": 1},
        "edits": [{"old": "x"}],
        "extra": {"deep": [1]},
    }


def test_an_added_value_can_be_removed(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    press(dialog, "Add value to labels")
    fill(dialog, owner="acme", labels_0="bug")
    press(dialog, "Remove labels[0]")
    run(dialog, qtbot)
    assert sent(router) == {"owner": "acme"}


def test_the_variant_of_a_value_is_chosen_first(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    box = field(dialog, "target")
    assert isinstance(box, QComboBox)
    assert [box.itemText(i) for i in range(box.count())] == ["", "Branch", "Number"]
    box.setCurrentText("Number")
    number = next(e for e in dialog.findChildren(QLineEdit) if e.accessibleName() == "target")
    QTest.keyClicks(number, "7")
    fill(dialog, owner="acme")
    run(dialog, qtbot)
    assert sent(router) == {"owner": "acme", "target": 7}


def test_a_text_may_have_several_lines_and_enter_runs_the_tool(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    owner = field(dialog, "owner")
    low = owner.height()
    fill(dialog, owner="one")
    QTest.keyClick(owner, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    fill(dialog, owner="two")
    assert owner.height() > low
    QTest.keyClick(owner, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.result_text() == "it is done")
    assert sent(router) == {"owner": "one\ntwo"}


def test_a_default_is_shown_and_left_to_the_server(dialog: TryToolDialog) -> None:
    box = field(dialog, "draft")
    assert isinstance(box, QComboBox)
    assert box.currentText() == "Default (false)"


def test_a_missing_argument_is_named_and_nothing_runs(
    router: FakeRouter, dialog: TryToolDialog
) -> None:
    press(dialog, "Run")
    assert "owner is required" in dialog.error()
    assert router.commands == []
    assert focused() is field(dialog, "owner")


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("count", "many", "count is not a whole number."),
        ("count", "1.5", "count is not a whole number."),
        ("share", "inf", "share is not a number."),
        ("since", "31.1.2026", "since is not a valid date"),
        ("extra", "{1", "extra is not valid JSON: "),
        ("place__name", "here", "place.x is required."),
    ],
)
def test_invalid_arguments_are_reported_before_the_tool_runs(
    router: FakeRouter, dialog: TryToolDialog, name: str, text: str, error: str
) -> None:
    fill(dialog, owner="acme", **{name: text})
    press(dialog, "Run")
    assert dialog.error().startswith(error)
    assert router.commands == []


def test_a_failing_tool_shows_its_error(
    router: FakeRouter, dialog: TryToolDialog, qtbot: QtBot
) -> None:
    router.failures["tools.try_out"] = InvalidInput("It is broken.", "Fix it.")
    fill(dialog, owner="acme")
    press(dialog, "Run")
    qtbot.waitUntil(lambda: dialog.error() == "It is broken. Fix it.")


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({}, ShapeKind.JSON),
        ({"type": "array"}, ShapeKind.JSON),
        ({"type": ["string", "integer"]}, ShapeKind.JSON),
        ({"const": 1}, ShapeKind.CHOICE),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, ShapeKind.CHOICE),
        ({"allOf": [{"type": "integer"}], "description": "x"}, ShapeKind.INTEGER),
        ({"properties": {"a": {}}}, ShapeKind.OBJECT),
        ({"type": "string[]"}, ShapeKind.JSON),
        ({"type": 3, "enum": "x", "anyOf": {}}, ShapeKind.JSON),
    ],
)
def test_every_schema_has_a_field(schema: JsonObject, kind: ShapeKind) -> None:
    assert shape_of(schema).kind is kind


def test_a_recursive_schema_becomes_a_json_field_at_some_depth() -> None:
    deep: JsonObject = {"type": "string"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"in": deep}}
    shape = shape_of(deep)
    depth = 0
    while shape.members:
        shape, depth = shape.members[0].shape, depth + 1
    assert (shape.kind, depth) == (ShapeKind.JSON, MAX_DEPTH)


def test_a_large_number_can_be_entered(qtbot: QtBot) -> None:
    values = [2**63, -(2**80), 1]
    form = ArgumentsForm(parameters({"properties": {"id": {"enum": values}}}))
    qtbot.addWidget(form)
    [choice] = form.findChildren(QComboBox)
    for place, value in enumerate(values, 1):
        choice.setCurrentIndex(place)
        assert form.values() == {"id": value}


def test_a_number_too_long_to_parse_is_reported() -> None:
    with pytest.raises(InvalidInput, match="count is not a whole number"):
        value_of("count", shape_of({"type": "integer"}), "9" * 5000)


def test_a_result_without_text_is_shown_raw() -> None:
    assert '"image"' in result_text({"content": [{"type": "image", "data": "x"}]})
    assert '"a": 1' in result_text({"structuredContent": {"a": 1}})


def test_try_it_opens_the_form_of_the_tool(window: MainWindow) -> None:
    press(window, "Try it…")
    (dialog,) = window.findChildren(TryToolDialog)
    assert "create_issue" in dialog.windowTitle()
    dialog.close()


def go_to_tab(window: MainWindow, name: str) -> None:
    (bar,) = window.pages.workspace.detail.findChildren(QTabBar)
    names = [bar.accessibleTabName(i) or bar.tabText(i) for i in range(bar.count())]
    bar.setCurrentIndex(next(i for i, each in enumerate(names) if each.startswith(name)))


def test_prompts_and_resources_have_tabs_of_their_own(
    router: FakeRouter, window: MainWindow
) -> None:
    router.state.prompts_and_resources[GITHUB.ref] = PromptResourceLists(
        (PromptResourceView("review", "Review", "Look at a change", "number"),),
        (PromptResourceView("readme", "readme", "", "repo://readme"),),
    )
    router.emit(ServerStatusChanged(GITHUB))
    go_to_tab(window, "Prompts, 1")
    assert "Look at a change" in texts(window.pages.workspace.detail)
    go_to_tab(window, "Resources, 1")
    assert "repo://readme" in texts(window.pages.workspace.detail)


def test_the_log_is_live_while_visible(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    go_to_tab(window, "Logs")
    line = LogLine(datetime(2026, 1, 1, tzinfo=UTC), "out of paper")
    router.state.logs[GITHUB.ref] = (line,)
    qtbot.waitUntil(lambda: "out of paper" in window.pages.workspace.detail.log.text())


def test_a_log_line_stays_selected_while_others_arrive(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    lines = [LogLine(datetime(2026, 1, 1, tzinfo=UTC), f"line {number}") for number in range(4)]
    router.state.logs[GITHUB.ref] = tuple(lines[:2])
    go_to_tab(window, "Logs")
    view = window.pages.workspace.detail.log.findChildren(QPlainTextEdit)[0]
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    cursor.select(QTextCursor.SelectionType.LineUnderCursor)
    view.setTextCursor(cursor)
    router.state.logs[GITHUB.ref] = tuple(lines[1:])  # The oldest is gone, two are new.
    qtbot.waitUntil(lambda: "line 3" in window.pages.workspace.detail.log.text())
    assert [f"line {n}" in window.pages.workspace.detail.log.text() for n in range(4)] == [True] * 4
    press(window.pages.workspace.detail, "Copy the selection or the whole log")
    assert QApplication.clipboard().text().endswith("line 0")


def test_a_workspace_is_renamed_in_place(router: FakeRouter, window: MainWindow) -> None:
    window.sidebar.rename(ACME)
    (field,) = window.sidebar.findChildren(QLineEdit)
    QTest.keyClicks(field, "Work")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert router.commands[-1] == SentCommand("workspaces.rename", (ACME, "Work"))


def test_removing_a_workspace_can_be_undone(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    window.sidebar.workspace_removed.emit(router.workspaces.list()[1])
    qtbot.waitUntil(lambda: "Removed Acme" in texts(window))
    press(window, "Undo")
    assert router.commands[-1] == SentCommand("workspaces.restore", (ACME,))
