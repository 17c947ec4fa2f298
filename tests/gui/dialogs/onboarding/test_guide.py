"""The onboarding guide: only missing steps, nothing without a click, all steps done at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.dialogs.onboarding.choices import import_choices
from gui.dialogs.onboarding.dialog import GuideDialog, Step
from gui.dialogs.onboarding.guide import Guide, missing_steps
from gui.dialogs.onboarding.steps import Steps
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.main_window import MainWindow
from gui.widgets.theme import Theme
from router.api.apps import App, AppId, AppState, FoundServer, FoundServers, Prompt
from router.api.events import ActivityRecorded, ServerStatusChanged
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.clients import TokenSummary
from router.domain.ids import TokenId
from router.domain.servers import ServerState
from tests.gui.driver import PERSONAL, WAITING, bridge_from, press, texts
from tests.support.fakes import FakeRouter, SentCommand, run_now

NOTES = ServerConfig(command="npx", args=("notes",))
KEY = Prompt("key", "API key", secret=True)
FOUND = (
    FoundServer("notes", "Cursor", Path("/c"), NOTES),
    FoundServer("my notes", "Zed", Path("/z"), NOTES),
    FoundServer("search", "VS Code", Path("/v"), ServerConfig(command="s"), (KEY,)),
)


@pytest.fixture
def router() -> FakeRouter:
    made = FakeRouter()
    made.apps.findings = FoundServers(FOUND)
    made.apps.apps = (
        App(AppId("cursor"), "Cursor", Path("/c"), AppState.FOUND),
        App(AppId("zed"), "Zed", Path("/z"), AppState.FOUND),
        App(AppId("c"), "C", Path("/c"), AppState.FOUND),
    )
    return made


@pytest.fixture
def guide(router: FakeRouter, gui_loop: object) -> Iterator[GuideDialog]:
    choices = import_choices(FOUND, ())
    dialog = GuideDialog(router, Commands(run_now), bridge_from(router), choices, tuple(Step), None)
    dialog.open()
    yield dialog
    if Shiboken.isValid(dialog):
        dialog.close()


def call(kind: ActivityKind) -> ActivityRecorded:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return ActivityRecorded(ActivityEntry(now, "1", "Cursor", kind, Outcome.OK, 3.0))


def test_the_same_server_of_two_apps_is_offered_once() -> None:
    choices = import_choices(FOUND, ())
    assert [choice.ticked for choice in choices] == [True, False, True]
    assert choices[1].note == "Same as in Cursor"


def test_an_existing_server_is_not_checked() -> None:
    choices = import_choices(FOUND, [NOTES])
    assert [choice.ticked for choice in choices] == [False, False, True]


def test_only_missing_steps_are_shown() -> None:
    rest = (Step.CONNECT, Step.CHECK)
    assert missing_steps(FOUND, any_server=False, any_call=False) == tuple(Step)
    assert missing_steps(FOUND, any_server=True, any_call=False) == rest
    assert missing_steps((), any_server=False, any_call=False) == rest
    assert missing_steps(FOUND, any_server=False, any_call=True) == (Step.IMPORT,)
    assert missing_steps(FOUND, any_server=True, any_call=True) == ()


def test_one_click_closes_the_guide(guide: GuideDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(guide.rejected):
        press(guide, "Skip for now")


def test_servers_that_cannot_be_imported_are_reported(guide: GuideDialog) -> None:
    guide.show_problems(["~/.cursor/mcp.json: “odd” is no server."])
    assert "“odd” is no server." in texts(guide)
    guide.show_problems([])
    assert "“odd” is no server." not in texts(guide)


def test_a_skipped_step_is_not_checked_off(guide: GuideDialog, qtbot: QtBot) -> None:
    [head] = guide.findChildren(Steps)
    press(guide, "Skip this step")
    assert head.done() == frozenset()
    press(guide, "Back")
    press(guide, "Import 2 servers")
    qtbot.waitUntil(lambda: head.done() == frozenset({0}))


def test_an_app_connected_by_hand_counts_as_connected(
    router: FakeRouter, gui_loop: object, qtbot: QtBot
) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    router.state.tokens = (TokenSummary(TokenId("t"), "My script", None, None, now, None, now),)
    router.apps.apps = ()
    dialog = GuideDialog(router, Commands(run_now), bridge_from(router), (), (Step.CHECK,), None)
    dialog.open()
    qtbot.waitUntil(lambda: "Restart My script" in texts(dialog))
    dialog.close()


def test_checked_servers_are_imported_with_the_answers(
    guide: GuideDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    field = next(f for f in guide.findChildren(QLineEdit) if f.accessibleName() == "API key")
    assert field.echoMode() == QLineEdit.EchoMode.Password
    field.setText("planted")
    press(guide, "Import 2 servers")
    qtbot.waitUntil(lambda: guide.current_step() is Step.CONNECT)
    assert router.commands[-1].arguments == (PERSONAL, (FOUND[0], FOUND[2]), {"key": "planted"})


def test_checked_apps_are_connected_and_the_first_call_completes_the_step(
    guide: GuideDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    guide.skip_step()
    qtbot.waitUntil(lambda: "Zed" in texts(guide))
    third = next(t for t in guide.findChildren(QCheckBox) if t.accessibleName() == "Connect C")
    third.setChecked(False)
    press(guide, "Connect 2 apps")
    qtbot.waitUntil(lambda: guide.current_step() is Step.CHECK)
    assert [c.name for c in router.commands] == ["apps.plan", "apps.connect"] * 2
    assert "Waiting for the first call" in texts(guide)
    router.emit(call(ActivityKind.REFUSED))
    assert "Waiting for the first call" in texts(guide)
    router.emit(call(ActivityKind.CALL))
    assert "It works: Cursor is connected" in texts(guide)
    with qtbot.waitSignal(guide.accepted):
        press(guide, "Done")


def test_the_guide_opens_by_itself_once(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = MainWindow(app_theme, Commands(run_now), EventBridge())
    qtbot.addWidget(window)
    guide = Guide(router, Commands(run_now), EventBridge(), window)
    guide.welcome()
    qtbot.waitUntil(lambda: bool(window.findChildren(GuideDialog)))
    assert router.settings.current().welcome_shown
    guide.welcome()
    assert [c.name for c in router.commands] == ["settings.update"]


def test_the_guide_does_not_open_for_an_existing_setup(
    app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    router = FakeRouter()
    router.state.settings = Settings(welcome_shown=True)
    window = MainWindow(app_theme, Commands(run_now), EventBridge())
    qtbot.addWidget(window)
    Guide(router, Commands(run_now), EventBridge(), window).welcome()
    assert window.findChildren(GuideDialog) == []


def test_imported_commands_are_approved_before_the_check(
    router: FakeRouter, gui_loop: object, qtbot: QtBot
) -> None:
    router.state.servers[PERSONAL] = (WAITING,)
    router.state.configs[WAITING.ref] = ServerConfig(
        command="npx", args=("-y", "notes"), env={"NOTES_KEY": "planted"}
    )
    dialog = GuideDialog(router, Commands(run_now), bridge_from(router), (), (Step.CHECK,), None)
    dialog.open()
    shown = texts(dialog)
    assert "Command: npx -y notes" in shown
    assert "Environment variables: NOTES_KEY" in shown
    assert "planted" not in shown
    press(dialog, f"Approve {WAITING.name}")
    assert router.commands[-1] == SentCommand("servers.grant_consent", (WAITING.ref,))
    approved = replace(WAITING, state=ServerState.IDLE)
    router.state.servers[PERSONAL] = (approved,)
    router.emit(ServerStatusChanged(approved))
    assert "Waiting for your approval" not in texts(dialog)
    dialog.close()
