"""The settings dialog: each change applies at once and can be undone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.dialogs.settings.new_token import snippet
from gui.dialogs.settings.optimization_page import OptimizationPage
from gui.dialogs.settings.page import description
from gui.link.commands import Commands
from gui.widgets.buttons import Segmented, Toggle
from gui.widgets.cards import RadioCard
from gui.widgets.number_field import NumberField
from router.api.events import SettingsApplied
from router.config.settings import Settings
from router.domain.activity import Savings
from router.domain.clients import TokenSummary
from router.domain.errors import Conflict
from router.domain.ids import TokenId, WorkspaceId
from router.domain.receipts import IsolationLevel, Protection, Reason, Why
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import Exposure, Optimization, ProjectSummary
from tests.gui.driver import bridge_from, button
from tests.support.fakes import FakeRouter, SentCommand, fake_status, run_now
from tests.support.timeouts import WAIT_MS

PERSONAL = WorkspaceId("personal")


@pytest.fixture
def router() -> FakeRouter:
    router = FakeRouter()
    router.state.servers[PERSONAL] = (fake_status("GitHub", tool_count=81),)
    router.state.savings[PERSONAL] = Savings(1140, 48_300, 0, 0, (0,) * 24)
    used = datetime(2026, 1, 1, tzinfo=UTC)
    router.state.tokens = (
        TokenSummary(TokenId("a1"), "Claude Code", None, None, used, None, None),
        TokenSummary(TokenId("b2"), "Cursor", PERSONAL, None, used, None, used),
    )
    return router


@pytest.fixture
def dialog(router: FakeRouter, gui_loop: object, qtbot: QtBot) -> SettingsDialog:
    dialog = SettingsDialog(router, Commands(run_now), bridge_from(router), None)
    qtbot.addWidget(dialog)
    dialog.open_at(PageName.GENERAL)
    return dialog


def named(parent: QWidget, kind: type[QWidget], name: str) -> QWidget:
    return next(each for each in parent.findChildren(kind) if each.accessibleName() == name)


def press(parent: QWidget, text: str) -> None:
    next(each for each in parent.findChildren(QPushButton) if each.text() == text).click()


def ask_to_revoke(dialog: SettingsDialog) -> None:
    button = named(dialog, QPushButton, "Revoke the token of Cursor")
    assert isinstance(button, QPushButton)
    button.click()


def texts(parent: QWidget) -> list[str]:
    return [each.text() for each in parent.findChildren(QLabel) if each.isVisibleTo(parent)]


@pytest.mark.proves("CARD-2")
def test_a_change_applies_at_once_and_can_be_undone(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    press(named(dialog, Segmented, "Theme"), "Dark")
    qtbot.waitUntil(lambda: router.settings.current().theme == "dark", timeout=WAIT_MS)
    qtbot.waitUntil(
        lambda: "Saved. Connected apps pick this up on their next request." in texts(dialog),
        timeout=WAIT_MS,
    )
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: "Undone." in texts(dialog), timeout=WAIT_MS)
    assert router.settings.current().theme == "system"


def test_undo_keeps_changes_made_elsewhere_meanwhile(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    press(named(dialog, Segmented, "Theme"), "Dark")
    qtbot.waitUntil(lambda: any("Saved" in text for text in texts(dialog)), timeout=WAIT_MS)
    router.state.settings = router.settings.current().model_copy(update={"port": 4000})
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: router.settings.current().theme == "system", timeout=WAIT_MS)
    assert router.settings.current().port == 4000


@pytest.mark.proves("CARD-2", "META-4")
def test_the_toggle_switches_context_optimization_of_the_workspace(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    toggle = named(dialog, Toggle, "Send only the tools an app needs")
    assert isinstance(toggle, Toggle)
    assert toggle.isChecked()
    toggle.click()
    assert router.commands == [
        SentCommand("projects.set_options", (PERSONAL, None, None, Exposure.SEARCH))
    ]
    qtbot.waitUntil(lambda: any("Saved" in text for text in texts(dialog)), timeout=WAIT_MS)
    press(dialog, "Undo")
    qtbot.waitUntil(
        lambda: router.projects.list(PERSONAL)[0].optimization is Optimization.BM25, timeout=WAIT_MS
    )


@pytest.mark.proves("META-4")
def test_every_strategy_can_be_chosen(dialog: SettingsDialog) -> None:
    (page,) = dialog.findChildren(OptimizationPage)
    cards = page.findChildren(RadioCard)
    assert [(card.is_chosen(), card.isEnabled()) for card in cards] == [
        (True, True),
        (False, True),
        (False, True),
    ]


def test_usage_history_can_be_switched_off(dialog: SettingsDialog, router: FakeRouter) -> None:
    dialog.go_to(PageName.OPTIMIZATION)
    toggle = named(dialog, Toggle, "Learn from use")
    assert isinstance(toggle, Toggle)
    assert toggle.isChecked()
    toggle.click()
    assert router.commands[-1] == SentCommand("settings.update", ({"learn_from_use": False},))


def test_the_page_shows_the_measured_savings(dialog: SettingsDialog) -> None:
    dialog.go_to(PageName.OPTIMIZATION)
    shown = texts(dialog)
    assert "Apps get a few tools instead of 81 tool definitions." in shown
    assert "48,300" in shown
    assert "1,140 tokens" in shown


def test_a_project_option_changed_elsewhere_is_shown(
    dialog: SettingsDialog, router: FakeRouter
) -> None:
    router.state.projects[PERSONAL] = (
        ProjectSummary(None, "Unassigned", None, None, Exposure.SEARCH),
    )
    router.emit(SettingsApplied(router.settings.current()))
    toggle = named(dialog, Toggle, "Send only the tools an app needs")
    assert isinstance(toggle, Toggle)
    assert not toggle.isChecked()


def test_a_refused_change_is_explained_and_the_control_reverts(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    router.failures["settings.update"] = Conflict("Port 4000 is taken.", "Choose another.")
    port = named(dialog, NumberField, "Port")
    assert isinstance(port, NumberField)
    port.setValue(4000)
    qtbot.waitUntil(lambda: "Port 4000 is taken. Choose another." in texts(dialog), timeout=WAIT_MS)
    assert port.value() == 3717


def test_enter_in_a_field_commits_the_value_and_clicks_no_button(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.NETWORK)
    port = named(dialog, NumberField, "Port")
    assert isinstance(port, NumberField)
    port.lineEdit().setText("4000")
    QTest.keyClick(port, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: router.settings.current().port == 4000, timeout=WAIT_MS)
    assert dialog.isVisible()
    assert dialog.current_page() is PageName.NETWORK


def test_events_do_not_overwrite_text_being_typed(
    dialog: SettingsDialog, router: FakeRouter
) -> None:
    port = named(dialog, NumberField, "Port")
    assert isinstance(port, NumberField)
    port.lineEdit().setText("40")
    router.emit(SettingsApplied(router.settings.current()))
    assert port.lineEdit().text() == "40"


def test_the_descriptions_are_those_of_the_settings_themselves() -> None:
    assert description("port") == Settings.model_fields["port"].description


@pytest.mark.proves("CARD-6")
def test_a_new_token_is_shown_once_masked_with_a_snippet(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.APPS)
    press(dialog, "New token")
    name = named(dialog, QLineEdit, "App name")
    assert isinstance(name, QLineEdit)
    name.setText("Zed")
    scope = named(dialog, QComboBox, "Access scope")
    assert isinstance(scope, QComboBox)
    scope.setCurrentIndex(1)
    lifetime = named(dialog, QComboBox, "Expires")
    assert isinstance(lifetime, QComboBox)
    lifetime.setCurrentIndex(2)
    press(dialog, "Create token")
    order = ("Zed", PERSONAL, None, None, timedelta(days=30))
    assert router.commands == [SentCommand("tokens.issue", order)]
    field = named(dialog, QLineEdit, "Token")
    assert isinstance(field, QLineEdit)
    qtbot.waitUntil(lambda: field.text() == "tb_zed_secret", timeout=WAIT_MS)
    assert field.echoMode() == QLineEdit.EchoMode.Password
    assert not any("tb_zed_secret" in text for text in texts(dialog))
    press(dialog, "Copy mcp.json snippet")
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied == json.loads(snippet("http://127.0.0.1:3717/mcp", "tb_zed_secret"))
    dialog.accept()
    assert field.text() == ""


def test_revoking_asks_first(dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot) -> None:
    dialog.go_to(PageName.APPS)
    ask_to_revoke(dialog)
    box = dialog.findChildren(QMessageBox)[0]
    assert router.commands == []
    press(box, "Revoke")
    assert router.commands == [SentCommand("tokens.revoke", (TokenId("b2"),))]
    qtbot.waitUntil(lambda: "Cursor" not in texts(dialog), timeout=WAIT_MS)


def test_declining_revokes_nothing(dialog: SettingsDialog, router: FakeRouter) -> None:
    dialog.go_to(PageName.APPS)
    ask_to_revoke(dialog)
    press(dialog.findChildren(QMessageBox)[0], "Cancel")
    assert router.commands == []


def test_the_approval_policy_applies_at_once_and_can_be_undone(
    router: FakeRouter, dialog: SettingsDialog, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.SECURITY)
    QTest.mouseClick(button(dialog, "Ask for every tool"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Saved." in " ".join(texts(dialog)))
    assert router.state.approval is ApprovalPolicy.ASK_ALWAYS
    QTest.mouseClick(button(dialog, "Undo"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: router.state.approval is ApprovalPolicy.ASK_ON_CHANGE)


def test_the_minimum_isolation_level_is_a_setting(
    router: FakeRouter, dialog: SettingsDialog, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.SECURITY)
    QTest.mouseClick(button(dialog, "Confined"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: router.settings.current().isolation.required_level == 2)


def test_list_limits_are_chosen_by_a_preset(
    router: FakeRouter, dialog: SettingsDialog, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.SECURITY)
    assert any("2,000 tools" in text for text in texts(dialog))
    press(named(dialog, Segmented, "Tool list limits"), "Strict")
    qtbot.waitUntil(lambda: router.settings.current().list_limits.preset == "strict")
    qtbot.waitUntil(lambda: any("At most 50 tools" in text for text in texts(dialog)))
    qtbot.waitUntil(lambda: "Saved." in " ".join(texts(dialog)))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: router.settings.current().list_limits.preset == "default")


def test_exposure_is_chosen_and_can_be_undone(
    router: FakeRouter, dialog: SettingsDialog, qtbot: QtBot
) -> None:
    dialog.go_to(PageName.OPTIMIZATION)
    press(named(dialog, Segmented, "How apps reach tools"), "Progressive")
    qtbot.waitUntil(lambda: router.projects.list(PERSONAL)[0].exposure is Exposure.PROGRESSIVE)
    qtbot.waitUntil(lambda: any("five tools" in text for text in texts(dialog)))
    scripts = named(dialog, Toggle, "Scripts with search")
    assert not scripts.isEnabled()
    assert router.projects.list(PERSONAL)[0].optimization is Optimization.BM25
    qtbot.waitUntil(lambda: "Saved." in " ".join(texts(dialog)))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: router.projects.list(PERSONAL)[0].exposure is Exposure.SEARCH)


def test_scripts_can_be_offered_beside_search(router: FakeRouter, dialog: SettingsDialog) -> None:
    dialog.go_to(PageName.OPTIMIZATION)
    toggle = named(dialog, Toggle, "Scripts with search")
    assert isinstance(toggle, Toggle)
    toggle.click()
    assert router.settings.current().offer_execute


def test_the_security_page_shows_the_isolation_level_of_this_computer(
    router: FakeRouter, dialog: SettingsDialog, qtbot: QtBot
) -> None:
    missing = (Reason(Why.NO_BUBBLEWRAP), Reason(Why.READ_FILES, ("2",)))
    router.discovery.current_protection = Protection(
        IsolationLevel.LIMITED, True, 512, missing=missing
    )
    dialog.open_at(PageName.SECURITY)

    def error_is_shown() -> None:
        texts = "\n".join(each.text() for each in dialog.findChildren(QLabel))
        assert "Limited\nFiles: not blocked." in texts
        assert "bubblewrap (bwrap) is not installed." in texts
        assert "Level 2: a sandboxed program could read files." in texts

    qtbot.waitUntil(error_is_shown, timeout=WAIT_MS)


def test_a_failed_undo_can_be_retried(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    press(named(dialog, Segmented, "Theme"), "Dark")
    qtbot.waitUntil(lambda: any("Saved" in text for text in texts(dialog)), timeout=WAIT_MS)
    router.failures["settings.update"] = Conflict("The disk is full.", "Make room.")
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: "The disk is full. Make room." in texts(dialog), timeout=WAIT_MS)
    del router.failures["settings.update"]
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: router.settings.current().theme == "system", timeout=WAIT_MS)
