"""Every control of every window has a name, by the interface that screen readers use."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.apps.dialogs import ByHandDialog, PlanDialog
from gui.asking.prompt import PermissionPrompt
from gui.commands import Commands
from gui.look.theme import Theme
from gui.onboarding.choices import import_choices
from gui.onboarding.dialog import GuideDialog, Step
from gui.projects.dialog import ProjectsDialog
from gui.projects.pin_picker import PinPicker
from gui.scripts.dialog import ScriptsDialog
from gui.server.dialog import ServerDialog
from gui.settings.dialog import PageName, SettingsDialog
from gui.trying.dialog import TryDialog
from gui.window.places import Place
from router.clients import ClientApp, ClientId, ClientState, ConnectionPlan, FoundServer, Prompt
from router.lists import Approval
from router.model import Optimization, Parameter, ToolKey
from router.permissions import AskId, Kind, PermissionAsk
from router.ports import PendingTool
from router.settings import ServerConfig
from tests.fakes import FakeRouter, SentCommand, run_now
from tests.gui.driving import ACME, GITHUB, PERSONAL, button, open_window, stocked_router, tool

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
)
APP = ClientApp(ClientId("cursor"), "Cursor", Path("/c"), ClientState.FOUND)
FOUND = FoundServer("a", "Zed", Path("/z"), ServerConfig(command="a"), (Prompt("k", "Key", True),))

ASK = PermissionAsk(
    AskId("1"),
    "Cursor",
    GITHUB.ref,
    "GitHub",
    None,
    Kind.TOOL,
    "fork",
    "{}",
    datetime.now(UTC) + timedelta(minutes=1),
)


@pytest.fixture
def router() -> FakeRouter:
    made = stocked_router()
    made.apps.apps = (APP,)
    made.state.pending = (
        PendingTool(ToolKey(GITHUB.id, "fork"), Approval.PENDING, "", "Fork it", (), ()),
    )
    return made


def nameless(window: QWidget) -> list[str]:
    """The controls a person can meet that say nothing about themselves."""
    controls = [c for kind in CONTROLS for c in window.findChildren(kind) if c.isVisible()]
    return [type(c).__name__ for c in controls if not _is_inner(c) and not _name(c)]


def _is_inner(control: QWidget) -> bool:
    """Parts of another control, which speaks for them."""
    return isinstance(control.parentWidget(), QAbstractSpinBox | QComboBox | QLineEdit)


def _name(control: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)


def unmarked(window: QWidget) -> list[str]:
    """The controls that look the same whether the keyboard is in them or not."""
    reached = [
        control
        for kind in CONTROLS
        for control in window.findChildren(kind)
        if control.isVisible()
        and control.isEnabled()
        and control.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not _is_inner(control)
    ]
    return [_name(control) for control in reached if not _shows_focus(control)]


def _shows_focus(control: QWidget) -> bool:
    control.clearFocus()
    before = control.grab().toImage()
    control.setFocus(Qt.FocusReason.TabFocusReason)
    return control.grab().toImage() != before


@pytest.mark.parametrize("place", list(Place))
def test_the_main_window_shows_where_the_keyboard_is(
    place: Place, router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, look, qtbot)
    window.go_to(place)
    with qtbot.waitActive(window):
        window.activateWindow()
    assert unmarked(window) == []


def test_every_dialog_shows_where_the_keyboard_is(
    router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for dialog in dialogs(router):
        dialog.show()
        with qtbot.waitActive(dialog):
            dialog.activateWindow()
        assert (type(dialog).__name__, unmarked(dialog)) == (type(dialog).__name__, [])
        dialog.close()


@pytest.mark.parametrize("place", list(Place))
def test_the_main_window_names_all_its_controls(
    place: Place, router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, look, qtbot)
    window.go_to(place)
    qtbot.waitUntil(lambda: nameless(window) == [])


def test_the_settings_name_all_their_controls(
    router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(router, Commands(run_now), None)
    qtbot.addWidget(dialog)
    for page in PageName:
        dialog.open_at(page)
        assert (page, nameless(dialog)) == (page, [])


def dialogs(router: FakeRouter) -> Iterator[QWidget]:
    commands = Commands(run_now)
    named = tool("create_issue")._replace(parameters=(Parameter("a", "boolean", True, "b"),))
    yield ServerDialog(router, commands, PERSONAL)
    yield TryDialog(router, commands, PERSONAL, named, None)
    yield PlanDialog(ConnectionPlan(APP.id, "Cursor", APP.path, False, (), ""), None)
    yield ByHandDialog(APP, None)
    prompt = PermissionPrompt()
    prompt.show_ask(ASK, 1)
    yield prompt
    yield ScriptsDialog(router, commands, PERSONAL, None)
    picker = PinPicker(router, PERSONAL, None, None)
    picker.show_pins(())
    yield picker
    for tab in range(4):
        projects = ProjectsDialog(router, commands, PERSONAL, None)
        projects.go_to_tab(tab)
        yield projects
    for step in Step:
        guide = GuideDialog(router, commands, import_choices((FOUND,), ()), (step,), None)
        yield guide


def test_every_dialog_names_all_its_controls(
    router: FakeRouter, look: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for dialog in dialogs(router):
        dialog.show()
        assert (type(dialog).__name__, nameless(dialog)) == (type(dialog).__name__, [])
        dialog.close()


def do_as_a_screen_reader_does(control: QWidget) -> None:
    actions = QAccessible.queryAccessibleInterface(control).actionInterface()
    actions.doAction(actions.actionNames()[0])


def test_a_switch_and_a_choice_obey_a_screen_reader(
    router: FakeRouter, look: Theme, qtbot: QtBot, gui_loop: object
) -> None:
    window = open_window(router, look, qtbot)
    router.commands.clear()
    do_as_a_screen_reader_does(button(window, "Context Optimization"))
    do_as_a_screen_reader_does(button(window, "Context Optimization"))
    do_as_a_screen_reader_does(button(window, "Hybrid"))
    chosen = [command.arguments[2] for command in router.commands]
    assert chosen == [None, Optimization.BM25, Optimization.HYBRID]
    router.commands.clear()
    do_as_a_screen_reader_does(button(window, "Acme, 0 servers"))
    assert router.commands == [SentCommand("switch_workspace", (ACME,))]
