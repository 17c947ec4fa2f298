"""Every control of every window has a name in the interface that screen readers use."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

import gui
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.page import Page
from gui.widgets.dialog import ChangesDialog, Dialog
from gui.widgets.theme import Theme
from router.domain.ids import ToolKey
from router.domain.tool_lists import Approval
from router.domain.tools import PendingTool
from router.domain.workspaces import Optimization
from tests.gui.all_dialogs import APP, dialogs
from tests.gui.driver import (
    ACME,
    GITHUB,
    button,
    open_window,
    sample_router,
)
from tests.support.fakes import FakeRouter, SentCommand, run_now

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


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.apps.apps = (APP,)
    made.state.pending = (
        PendingTool(ToolKey(GITHUB.id, "fork"), Approval.PENDING, "", "Fork it", (), ()),
    )
    return made


def nameless(window: QWidget) -> list[str]:
    """The reachable controls without an accessible name."""
    controls = [c for kind in CONTROLS for c in window.findChildren(kind) if c.isVisible()]
    return [type(c).__name__ for c in controls if not _is_inner(c) and not _name(c)]


def _is_inner(control: QWidget) -> bool:
    """Whether it is part of another control that has the name."""
    return isinstance(control.parentWidget(), QAbstractSpinBox | QComboBox | QLineEdit)


def _name(control: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)


def unreachable(window: QWidget) -> list[str]:
    """The controls that only a mouse can reach."""
    controls = [c for kind in CONTROLS for c in window.findChildren(kind) if c.isVisible()]
    return [
        _name(control)
        for control in controls
        if control.isEnabled()
        and not control.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not _is_inner(control)
    ]


def unmarked(window: QWidget) -> list[str]:
    """The controls that look the same with and without the keyboard focus."""
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


@pytest.mark.parametrize("place", list(Page))
def test_the_main_window_shows_the_keyboard_focus(
    place: Page, router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    window.go_to(place)
    with qtbot.waitActive(window):
        window.activateWindow()
    assert unmarked(window) == []


def test_every_dialog_shows_the_keyboard_focus(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for dialog in dialogs(router):
        dialog.show()
        with qtbot.waitActive(dialog):
            dialog.activateWindow()
        assert (type(dialog).__name__, unmarked(dialog)) == (type(dialog).__name__, [])
        dialog.close()


@pytest.mark.parametrize("place", list(Page))
def test_the_main_window_names_all_its_controls(
    place: Page, router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    window.go_to(place)
    qtbot.waitUntil(lambda: nameless(window) == [])
    assert unreachable(window) == []


def test_the_settings_name_all_their_controls(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(router, Commands(run_now), EventBridge(), None)
    qtbot.addWidget(dialog)
    for page in PageName:
        dialog.open_at(page)
        assert (page, nameless(dialog)) == (page, [])


def test_every_dialog_names_all_its_controls(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for dialog in dialogs(router):
        dialog.show()
        assert (type(dialog).__name__, nameless(dialog)) == (type(dialog).__name__, [])
        assert (type(dialog).__name__, unreachable(dialog)) == (type(dialog).__name__, [])
        dialog.close()


def test_every_dialog_is_covered(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    for module in pkgutil.walk_packages(gui.__path__, "gui."):
        if module.name != "gui.__main__":
            importlib.import_module(module.name)
    walked = set[type[QWidget]]()
    for dialog in dialogs(router):
        walked.add(type(dialog))
        dialog.close()
    ours = {kind for kind in _below(QDialog) if kind.__module__.startswith("gui.")}
    assert ours - walked == {Dialog, ChangesDialog}  # Base classes of the others.


def _below(kind: type[QWidget]) -> Iterator[type[QWidget]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


@pytest.mark.parametrize("tab", range(5))
def test_every_part_of_a_server_names_its_controls_and_is_reached_by_keyboard(
    tab: int, router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    window.pages.workspace.detail.findChildren(QTabBar)[0].setCurrentIndex(tab)
    qtbot.waitUntil(lambda: nameless(window) == [])
    assert unreachable(window) == []


def trigger_as_screen_reader(control: QWidget) -> None:
    actions = QAccessible.queryAccessibleInterface(control).actionInterface()
    actions.doAction(actions.actionNames()[0])


def test_a_switch_and_a_choice_can_be_operated_by_a_screen_reader(
    router: FakeRouter, app_theme: Theme, qtbot: QtBot, gui_loop: object
) -> None:
    window = open_window(router, app_theme, qtbot)
    router.commands.clear()
    trigger_as_screen_reader(button(window, "Context Optimization"))
    trigger_as_screen_reader(button(window, "Context Optimization"))
    trigger_as_screen_reader(button(window, "Hybrid"))
    chosen = [command.arguments[2] for command in router.commands]
    assert chosen == [None, Optimization.BM25, Optimization.HYBRID]
    router.commands.clear()
    trigger_as_screen_reader(button(window, "Acme, 0 servers"))
    assert router.commands == [SentCommand("workspaces.switch", (ACME,))]
