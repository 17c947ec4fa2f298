"""The user's actions in the main window, as commands to the router."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
)
from pytestqt.qtbot import QtBot

from gui.main_window.main_window import MainWindow
from gui.text.errors import Action
from gui.widgets.sidebar_row import SidebarRow
from gui.widgets.theme import Theme
from router.api.apps import FoundServer, FoundServers
from router.api.events import ServerStatusChanged
from router.config.server import ServerConfig
from router.domain.errors import ConfigError, ToolboothError
from router.domain.ids import ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.servers import ServerState
from router.domain.workspaces import Exposure, Optimization, WorkspaceSummary
from tests.gui.driver import (
    CONFIG,
    GITHUB,
    PERSONAL,
    SENTRY,
    WAITING,
    focused,
    open_window,
    press,
    sample_router,
    texts,
)
from tests.support.fakes import FakeRouter, SentCommand, fake_status
from tests.support.timeouts import WAIT_MS


@pytest.fixture
def router() -> FakeRouter:
    return sample_router()


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    return open_window(router, app_theme, qtbot)


@pytest.mark.proves("CARD-2", "META-4")
def test_the_switch_in_the_header_turns_context_optimization_off_and_on(
    window: MainWindow, router: FakeRouter
) -> None:
    toggle = window.pages.workspace.header.toggle

    QTest.mouseClick(toggle, Qt.MouseButton.LeftButton)
    assert not toggle.isChecked()
    QTest.mouseClick(toggle, Qt.MouseButton.LeftButton)

    assert router.commands == [
        SentCommand("projects.set_options", (PERSONAL, None, choice, Exposure.SEARCH))
        for choice in (None, Optimization.BM25)
    ]
    assert toggle.isChecked()


def test_a_failed_action_is_explained_and_the_switch_reverts(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    router.failures["projects.set_options"] = ToolboothError("Disk full.", "Make room.")
    toggle = window.pages.workspace.header.toggle

    QTest.mouseClick(toggle, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: "Disk full." in texts(window.banners), timeout=WAIT_MS)
    assert "Make room." in texts(window.banners)
    assert toggle.isChecked()


class Browser(QObject):
    """Records the URLs that would be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []

    @Slot(QUrl)
    def open(self, page: QUrl) -> None:
        self.pages.append(page.toString())


@pytest.fixture
def browser() -> Iterator[Browser]:
    browser = Browser()
    schemes = ("https", "javascript", "file")
    for scheme in schemes:
        # The type stub wants bytes, which the binding refuses.
        QDesktopServices.setUrlHandler(scheme, browser, "open")  # pyright: ignore[reportArgumentType]
    yield browser
    for scheme in schemes:
        QDesktopServices.unsetUrlHandler(scheme)


def test_signing_in_opens_the_authorization_url(
    window: MainWindow, router: FakeRouter, browser: Browser, qtbot: QtBot
) -> None:
    window.pages.workspace.detail.action_requested.emit(GITHUB.ref, Action.SIGN_IN)

    qtbot.waitUntil(lambda: browser.pages == ["https://auth.example/authorize"], timeout=WAIT_MS)
    assert router.commands == [SentCommand("sign_ins.begin", (GITHUB.ref,))]


def test_shell_metacharacters_stay_part_of_the_url(
    window: MainWindow, router: FakeRouter, browser: Browser, qtbot: QtBot
) -> None:
    url = "https://auth.example/authorize?a=$(touch%20x);id&b=$IFS'id'"
    router.state.sign_in = replace(router.state.sign_in, authorization_url=url)

    window.pages.workspace.detail.action_requested.emit(GITHUB.ref, Action.SIGN_IN)

    qtbot.waitUntil(lambda: len(browser.pages) == 1, timeout=WAIT_MS)
    assert QUrl(browser.pages[0]) == QUrl(url)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "file:///etc/passwd", "https:", "https://auth.example/?a=`id`|id"],
)
def test_signing_in_opens_web_pages_only(
    window: MainWindow, router: FakeRouter, browser: Browser, qtbot: QtBot, url: str
) -> None:
    router.state.sign_in = replace(router.state.sign_in, authorization_url=url)

    window.pages.workspace.detail.action_requested.emit(GITHUB.ref, Action.SIGN_IN)

    refusal = "Couldn’t open the sign-in page."
    qtbot.waitUntil(lambda: refusal in texts(window.banners), timeout=WAIT_MS)
    assert browser.pages == []


@pytest.mark.proves("CARD-1")
def test_switching_a_server_off_can_be_undone(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    window.pages.workspace.servers.toggled.emit(GITHUB.ref, False)

    qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
    assert "Turned off GitHub" in texts(window.undo_bar)
    press(window.undo_bar, "Undo")

    changes = [(GITHUB.ref, False), (GITHUB.ref, True)]
    assert router.commands == [SentCommand("servers.set_enabled", c) for c in changes]
    assert not window.undo_bar.isVisible()


@pytest.mark.parametrize(("status", "consent"), [(GITHUB, True), (WAITING, False)])
def test_undoing_a_removal_restores_the_consent(
    window: MainWindow, router: FakeRouter, qtbot: QtBot, status: object, consent: bool
) -> None:
    server = GITHUB if status is GITHUB else WAITING
    window.pages.workspace.detail.remove_requested.emit(server.ref)
    qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
    press(window.undo_bar, "Undo")

    assert router.commands == [
        SentCommand("servers.remove", (server.ref,)),
        SentCommand("servers.add", (PERSONAL, server.name, CONFIG, consent)),
    ]


def test_a_restored_server_that_was_disabled_needs_a_new_consent(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    off = fake_status("GitHub", enabled=False, state=ServerState.DISABLED)
    router.emit(ServerStatusChanged(off))
    window.pages.workspace.detail.remove_requested.emit(GITHUB.ref)
    qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
    press(window.undo_bar, "Undo")

    assert router.commands[-1].arguments[-1] is False


def test_consent_is_asked_for_with_the_command_and_never_a_value(
    window: MainWindow, router: FakeRouter
) -> None:
    window.pages.workspace.servers.action_requested.emit(WAITING.ref)
    shown = texts(window.pages.workspace.detail)

    assert "Command: npx -y server" in shown
    assert "Environment variables: API_KEY" in shown
    press(window.pages.workspace.detail, "Approve")
    assert router.commands == [SentCommand("servers.grant_consent", (WAITING.ref,))]


def test_the_button_of_a_server_that_timed_out_retries(
    window: MainWindow, router: FakeRouter
) -> None:
    window.pages.workspace.servers.action_requested.emit(SENTRY.ref)

    assert router.commands == [SentCommand("discovery.refresh", (PERSONAL, SENTRY.id))]


def test_details_of_a_failure_can_be_copied(window: MainWindow) -> None:
    window.select_server(SENTRY.ref)
    press(window.pages.workspace.detail, "Copy details")

    assert "No response within 30 s" in QApplication.clipboard().text()


def test_ticking_and_blocking_a_tool_set_its_permission(
    window: MainWindow, router: FakeRouter
) -> None:
    key = ToolKey(GITHUB.id, "create_issue")

    window.pages.workspace.detail.tools.permitted.emit(key, False)
    press(window.pages.workspace.detail, "Block")

    denied = SentCommand("permissions.set", (PERSONAL, key, Permission.DENY, None))
    assert router.commands == [denied, denied]


def test_a_new_workspace_is_named_in_place_and_opened(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    press(window.sidebar, "New workspace")
    (field,) = window.sidebar.findChildren(QLineEdit)
    QTest.keyClicks(field, "Research")
    QTest.keyClick(field, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: len(router.commands) == 2, timeout=WAIT_MS)
    assert router.commands == [
        SentCommand("workspaces.create", ("Research",)),
        SentCommand("workspaces.switch", (WorkspaceId("research"),)),
    ]


def test_opening_a_workspace_by_keyboard_moves_the_focus_to_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    def summaries(active: str, servers: int = 3) -> list[WorkspaceSummary]:
        names = ("personal", "acme", "new")
        return [WorkspaceSummary(WorkspaceId(n), n, servers, n == active) for n in names]

    sidebar = window.sidebar
    press(sidebar, "New workspace")
    (field,) = sidebar.findChildren(QLineEdit)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert focused().accessibleName().startswith("Personal")
    sidebar.show_workspaces(summaries("new"))
    assert focused().accessibleName().startswith("new")
    acme = next(row for row in sidebar.findChildren(SidebarRow) if row.text() == "acme")
    qtbot.waitUntil(acme.isVisible)
    acme.setFocus()
    sidebar.show_workspaces(summaries("new", servers=4))
    assert focused().accessibleName() == "acme, 4 servers"


def drop(window: MainWindow, what: QUrl | str) -> None:
    """As a desktop does it: drag over the window, then drop."""
    brought = QMimeData()
    if isinstance(what, QUrl):
        brought.setUrls([what])
    else:
        brought.setText(what)
    held = (Qt.DropAction.CopyAction, brought, Qt.MouseButton.LeftButton)
    none = Qt.KeyboardModifier.NoModifier
    # The constructor of QDragEnterEvent differs between Qt 6.11 and 6.12; that of its base doesn't.
    over = QDropEvent(QPointF(9, 9), *held, none, QEvent.Type.DragEnter)
    QApplication.sendEvent(window, over)
    assert over.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), *held, none))


def test_a_snippet_dropped_or_pasted_outside_a_field_is_parsed(window: MainWindow) -> None:
    brought: list[str] = []
    window.snippet_received.connect(brought.append)
    drop(window, "npx -y notes-mcp")
    QApplication.clipboard().setText("uvx mcp-server-time")
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert brought == ["npx -y notes-mcp", "uvx mcp-server-time"]
    window.pages.workspace.servers.focus_filter()
    QTest.keyClick(focused(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert len(brought) == 2, "the field has taken it"


def test_a_dropped_file_of_another_app_is_offered_for_import(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    notes = FoundServer("notes", "mcp.json", Path("mcp.json"), ServerConfig(command="notes"))
    router.apps.findings = FoundServers((notes,))
    offered: list[FoundServers] = []
    window.import_requested.connect(offered.append)
    drop(window, QUrl.fromLocalFile("/x/mcp.json"))
    qtbot.waitUntil(lambda: offered == [FoundServers((notes,))])


def test_a_dropped_file_without_servers_is_refused_with_a_reason(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    router.failures["apps.read_file"] = ConfigError(Path("/x/mcp.json"), 3, "it has no servers")
    drop(window, QUrl.fromLocalFile("/x/mcp.json"))
    qtbot.waitUntil(lambda: "/x/mcp.json, line 3" in texts(window.banners))
