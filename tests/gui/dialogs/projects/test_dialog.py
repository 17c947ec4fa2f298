"""The projects of a workspace: every change applies at once and can be undone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from gui.components.pin_picker import PinPicker
from gui.dialogs.projects.dialog import ProjectsDialog
from gui.dialogs.projects.rules_tab import rule_text
from gui.link.commands import Commands
from gui.widgets.theme import Theme
from router.api.events import WorkspacesChanged
from router.config.workspace import PermissionRule, ProjectConfig
from router.domain.errors import ToolboothError
from router.domain.ids import ProjectId, ServerId, ToolKey
from router.domain.permissions import Permission
from router.domain.workspaces import Exposure, Optimization
from tests.gui.driver import GITHUB, PERSONAL, bridge_from, button, press, sample_router, texts
from tests.support.fakes import FakeRouter, run_now

SITE = ProjectId("site")
KEY = ToolKey(GITHUB.id, "create_issue")
OPTIONS, SERVERS, PERMISSIONS, RULES = range(4)


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    run_now(made.projects.put(PERSONAL, SITE, ProjectConfig(name="Site")))
    made.commands.clear()
    return made


@pytest.fixture
def dialog(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> ProjectsDialog:
    dialog = ProjectsDialog(router, Commands(run_now), bridge_from(router), PERSONAL, None)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.open()
    click(dialog, "Site", qtbot)
    return dialog


def click(dialog: ProjectsDialog, name: str, qtbot: QtBot) -> None:
    """Click the button once it is shown."""

    def there() -> list[QAbstractButton]:
        buttons = dialog.findChildren(QAbstractButton)
        named = (b for b in buttons if name in (b.text(), b.accessibleName()))
        return [b for b in named if b.isVisible() and b.isEnabled()]

    qtbot.waitUntil(lambda: bool(there()))
    QTest.mouseClick(there()[0], Qt.MouseButton.LeftButton)


def change(dialog: ProjectsDialog, name: str, qtbot: QtBot) -> None:
    """Click the button, and wait until its change applies."""
    with qtbot.waitSignal(dialog.changes.saved):
        click(dialog, name, qtbot)


def undo(dialog: ProjectsDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.changes.undone):
        click(dialog, "Undo", qtbot)


def config(router: FakeRouter) -> ProjectConfig:
    return router.projects.config(PERSONAL, SITE)


def field(dialog: ProjectsDialog, name: str) -> QLineEdit:
    return next(f for f in dialog.findChildren(QLineEdit) if f.accessibleName() == name)


@pytest.mark.proves("META-4")
def test_exposure_and_strategy_of_a_project_are_chosen_and_undone(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    change(dialog, "Progressive", qtbot)
    qtbot.waitUntil(lambda: config(router).exposure is Exposure.PROGRESSIVE)
    change(dialog, "Direct", qtbot)
    qtbot.waitUntil(lambda: config(router).optimization is None)
    qtbot.waitUntil(lambda: not button(dialog, "BM25").isEnabled())
    for _ in range(2):
        undo(dialog, qtbot)
    qtbot.waitUntil(lambda: config(router).exposure is Exposure.SEARCH)
    assert config(router).optimization is Optimization.HYBRID
    change(dialog, "BM25", qtbot)
    qtbot.waitUntil(lambda: config(router).optimization is Optimization.BM25)


def test_a_search_tool_can_be_offered_beside_progressive_discovery(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    toggle = button(dialog, "Search tool with Progressive")
    assert not toggle.isEnabled()
    change(dialog, "Progressive", qtbot)
    qtbot.waitUntil(toggle.isEnabled)
    change(dialog, "Search tool with Progressive", qtbot)
    qtbot.waitUntil(lambda: config(router).offer_search)
    undo(dialog, qtbot)
    qtbot.waitUntil(lambda: not config(router).offer_search)
    assert not toggle.isChecked()


def test_a_project_has_the_servers_the_user_chooses(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.go_to_tab(SERVERS)
    change(dialog, "All servers of the workspace", qtbot)
    every = tuple(status.id for status in router.servers.list(PERSONAL))
    qtbot.waitUntil(lambda: config(router).servers == every)
    change(dialog, "Sentry", qtbot)
    qtbot.waitUntil(lambda: ServerId("sentry") not in (config(router).servers or every))
    for _ in range(2):
        undo(dialog, qtbot)
    qtbot.waitUntil(lambda: config(router).servers is None)


@pytest.mark.proves("META-5")
def test_a_tool_is_allowed_asked_for_or_blocked_in_one_project(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.go_to_tab(PERMISSIONS)
    assert "Uses the project’s rules" in texts(dialog)
    change(dialog, "Ask", qtbot)
    qtbot.waitUntil(lambda: config(router).permissions == {str(KEY): Permission.ASK})
    qtbot.waitUntil(lambda: "Set for this tool only." in texts(dialog))
    change(dialog, "Use rules", qtbot)
    qtbot.waitUntil(lambda: config(router).permissions == {})
    view = next(v for v in dialog.findChildren(QAbstractItemView) if v.accessibleName() == "Tools")
    QTest.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: config(router).permissions == {str(KEY): Permission.DENY})


def test_rules_are_added_reordered_and_removed(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.go_to_tab(RULES)
    field(dialog, "Tools, by name").setText("write_*")
    change(dialog, "Add rule", qtbot)
    first = PermissionRule(permission=Permission.ASK, tool="write_*")
    qtbot.waitUntil(lambda: config(router).rules == (first,))
    effects = next(
        box for box in dialog.findChildren(QComboBox) if box.accessibleName() == "Tool type"
    )
    effects.setCurrentIndex(2)
    click(dialog, "Block", qtbot)
    change(dialog, "Add rule", qtbot)
    second = PermissionRule(permission=Permission.DENY, tool="*", destructive=True)
    qtbot.waitUntil(lambda: config(router).rules == (first, second))
    change(dialog, "Move up", qtbot)
    qtbot.waitUntil(lambda: config(router).rules == (second, first))
    change(dialog, "Remove rule", qtbot)
    qtbot.waitUntil(lambda: config(router).rules == (first,))
    undo(dialog, qtbot)
    qtbot.waitUntil(lambda: config(router).rules == (second, first))


def test_a_rule_describes_what_it_matches() -> None:
    rule = PermissionRule(
        permission=Permission.DENY, server="git", tool="push", arguments={"force": True}
    )
    assert rule_text(rule) == "git · push with force = True"


def test_creating_renaming_and_removing_projects_can_be_undone(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    new = field(dialog, "New project name")
    new.setText("Docs")
    with qtbot.waitSignal(dialog.changes.saved):
        QTest.keyClick(new, Qt.Key.Key_Return)
    names = lambda: [each.name for each in router.projects.list(PERSONAL)][1:]  # noqa: E731
    qtbot.waitUntil(lambda: names() == ["Site", "Docs"])
    qtbot.waitUntil(lambda: field(dialog, "Project name").text() == "Docs")
    name = field(dialog, "Project name")
    name.setText("Handbook")
    with qtbot.waitSignal(dialog.changes.saved):
        name.editingFinished.emit()
    qtbot.waitUntil(lambda: names() == ["Site", "Handbook"])
    change(dialog, "Remove project", qtbot)
    qtbot.waitUntil(lambda: names() == ["Site"])
    for _ in range(3):
        undo(dialog, qtbot)
    qtbot.waitUntil(lambda: names() == ["Site"])
    created = [command.name for command in router.commands]
    assert created.count("projects.remove") == 2


def test_tools_are_pinned_for_a_project(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    click(dialog, "Choose…", qtbot)
    [picker] = dialog.findChildren(PinPicker)
    view = next(v for v in picker.findChildren(QAbstractItemView) if v.accessibleName() == "Tools")
    QTest.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: config(router).pinned == (str(KEY),))
    qtbot.waitUntil(lambda: "1 pinned tools, 100 tokens" in texts(picker))
    press(picker, "Done")
    assert "create_issue" in texts(dialog)


def test_a_refused_change_is_reported_and_the_current_value_shown(
    dialog: ProjectsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    router.failures["projects.put"] = ToolboothError("The disk is full.", "Make room.")
    click(dialog, "Progressive", qtbot)
    qtbot.waitUntil(lambda: "The disk is full. Make room." in texts(dialog))
    assert button(dialog, "Search").isChecked()


def test_a_project_removed_elsewhere_disappears(dialog: ProjectsDialog, router: FakeRouter) -> None:
    router.state.projects[PERSONAL] = router.projects.list(PERSONAL)[:1]
    router.emit(WorkspacesChanged(PERSONAL))
    assert field(dialog, "Project name").text() == "Workspace defaults"
