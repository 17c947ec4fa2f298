"""Scripts in the window: written, tried, saved, and no text lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from gui.dialogs.scripts.dialog import NEW_SCRIPT, ScriptsDialog, trial_text
from gui.link.commands import Commands
from router.domain.errors import InvalidInput
from router.domain.ids import ServerId, ToolKey, WorkspaceId
from router.domain.scripts import SavedScript, ScriptTrial, TrialCall
from tests.support.fakes import FakeRouter, SentCommand, run_now
from tests.support.timeouts import WAIT_MS

PERSONAL = WorkspaceId("personal")
GREET, COUNT = "result('hello')", "result(1)"
EXECUTED = TrialCall(ToolKey(ServerId("files"), "list"), '{"path":"/"}', made=True)
SKIPPED = TrialCall(ToolKey(ServerId("files"), "write"), "{}", made=False)


@pytest.fixture
def router() -> FakeRouter:
    router = FakeRouter()
    for name, text in (("greet", GREET), ("count", COUNT)):
        router.scripts.kept[name] = SavedScript(name, text, "", ())
    return router


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def dialog(router: FakeRouter, window: QWidget, gui_loop: object) -> ScriptsDialog:
    dialog = ScriptsDialog(router, Commands(run_now), PERSONAL, window)
    dialog.open()
    return dialog


def write(dialog: ScriptsDialog, name: str, text: str) -> None:
    dialog.editor.show_script(name, text)
    dialog.editor.changed.emit()


def test_a_new_script_starts_with_an_example_and_is_saved(
    dialog: ScriptsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.start_new()
    assert dialog.editor.text() == NEW_SCRIPT
    write(dialog, "hello", GREET)
    dialog.save()
    assert router.commands == [SentCommand("scripts.save", (PERSONAL, "hello", GREET, None))]
    qtbot.waitUntil(lambda: "scripts:hello" in dialog.editor.message(), timeout=WAIT_MS)
    current = dialog.list.currentItem()
    assert current is not None
    assert current.text() == "hello"


def test_a_script_can_be_changed_and_renamed(
    dialog: ScriptsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.list.setCurrentRow(0)
    assert (dialog.editor.name(), dialog.editor.text()) == ("greet", GREET)
    write(dialog, "welcome", "result(2)")
    dialog.save()
    assert router.commands == [
        SentCommand("scripts.save", (PERSONAL, "welcome", "result(2)", "greet"))
    ]
    qtbot.waitUntil(lambda: dialog.list.count() == 2, timeout=WAIT_MS)


def test_unsaved_text_survives_selecting_another_script(dialog: ScriptsDialog) -> None:
    dialog.list.setCurrentRow(0)
    write(dialog, "greet", "result('changed')")
    dialog.list.setCurrentRow(1)
    assert dialog.editor.text() == COUNT
    dialog.list.setCurrentRow(0)
    assert dialog.editor.text() == "result('changed')"


def test_closing_asks_before_unsaved_text_is_lost(dialog: ScriptsDialog) -> None:
    write(dialog, "new", GREET)
    dialog.close()
    assert dialog.isVisible()
    [message_box] = dialog.findChildren(QMessageBox)
    agree = next(b for b in message_box.buttons() if b.text() == "Close")
    agree.click()
    assert not dialog.isVisible()


def test_a_removed_script_stays_in_the_editor_and_can_be_saved_again(
    dialog: ScriptsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.list.setCurrentRow(0)
    dialog.remove()
    assert router.commands == [SentCommand("scripts.remove", (PERSONAL, "greet"))]
    qtbot.waitUntil(lambda: "Removed" in dialog.editor.message(), timeout=WAIT_MS)
    assert dialog.list.count() == 1
    assert (dialog.editor.name(), dialog.editor.text()) == ("greet", GREET)
    dialog.save()
    assert router.commands[-1] == SentCommand("scripts.save", (PERSONAL, "greet", GREET, None))


def test_a_dry_run_lists_executed_and_skipped_calls(
    dialog: ScriptsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    router.scripts.trial = ScriptTrial("42", None, "on the way\n", (EXECUTED, SKIPPED))
    dialog.list.setCurrentRow(1)
    dialog.editor.set_arguments('{"path": "/"}')
    dialog.try_out()
    assert router.commands == [SentCommand("scripts.try_out", (PERSONAL, COUNT, {"path": "/"}))]
    qtbot.waitUntil(lambda: bool(dialog.editor.output()), timeout=WAIT_MS)
    assert dialog.editor.output() == trial_text(router.scripts.trial)
    assert dialog.try_button.isEnabled()


def test_a_dry_run_is_summarized_in_text() -> None:
    assert trial_text(
        ScriptTrial("42", None, "on the way\n", (EXECUTED, SKIPPED))
    ).splitlines() == [
        'Called files:list with {"path":"/"}',
        "Not called: files:write with {}",
        "Printed:",
        "on the way",
        "Result: 42",
    ]
    assert trial_text(ScriptTrial(None, "It failed.", "", ())) == "It failed."
    assert trial_text(ScriptTrial(None, None, "", ())) == "Result: no result"


def test_a_refused_script_is_reported_and_its_text_kept(
    dialog: ScriptsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    router.failures["scripts.save"] = InvalidInput("That is no name.", "Choose another.")
    write(dialog, "a b", GREET)
    dialog.save()
    qtbot.waitUntil(lambda: dialog.editor.message() == "That is no name. Choose another.")
    assert dialog.editor.text() == GREET
    assert dialog.save_button.isEnabled()
    dialog.editor.set_arguments("[1]")
    dialog.try_out()
    assert "JSON object" in dialog.editor.message()


def test_the_tab_key_indents(dialog: ScriptsDialog) -> None:
    dialog.editor.show_script("x", "")
    text = dialog.editor.findChild(QWidget, "script-text")
    assert isinstance(text, QWidget)
    QTest.keyClick(text, Qt.Key.Key_Tab)
    assert dialog.editor.text() == "  "
