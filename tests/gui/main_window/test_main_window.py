"""The main window: shows the router's state and events, and can be used by keyboard."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.main_window import MainWindow
from gui.pages.workspace.server_detail import CONFIGURATION
from gui.widgets.search_field import SearchField
from gui.widgets.theme import Theme
from router.api.events import (
    ActivityRecorded,
    ConfigAccepted,
    ConfigRejected,
    DiscoveryProgressed,
    ListenerStateChanged,
    ServerRemoved,
    ServerStatusChanged,
    SettingsApplied,
    StorageStateChanged,
    TokensChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.config.settings import Settings
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.ids import ServerId
from router.domain.servers import DiscoveryStatus, DiscoveryStep
from tests.gui.driver import (
    ACME,
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
    tool,
)
from tests.support.fakes import FakeRouter, SentCommand, fake_status, run_now
from tests.support.timeouts import WAIT_MS


@pytest.fixture
def router() -> FakeRouter:
    return sample_router()


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    return open_window(router, app_theme, qtbot)


def test_until_the_router_is_ready_the_window_says_that_it_is_starting(
    app_theme: Theme, qtbot: QtBot
) -> None:
    window = MainWindow(app_theme, Commands(run_now), EventBridge())
    qtbot.addWidget(window)
    window.show()

    assert "Starting…" in texts(window)
    assert "Router starting…" in texts(window)
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.proves("CARD-2")
def test_the_window_shows_the_active_workspace(window: MainWindow) -> None:
    shown = texts(window)

    assert "3 servers · 2 tools ready · 0 apps connected" in shown
    assert "1 failing · 1 pending" in shown
    assert "tokens instead of 48,300" in shown
    assert "97.6% less" in shown
    assert "127.0.0.1:3717/mcp" in shown
    assert "create_issue" in shown


def test_a_workspace_without_servers_offers_to_add_one(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    press(window.sidebar, "Acme, 0 servers")

    assert router.commands == [SentCommand("workspaces.switch", (ACME,))]
    assert "No servers in this workspace yet" in texts(window)
    with qtbot.waitSignal(window.add_server_requested, timeout=WAIT_MS):
        press(window.pages.empty, "Add server")

    new = fake_status("Time", workspace=ACME)
    router.state.configs[new.ref] = CONFIG
    router.emit(ServerStatusChanged(new))
    assert "Time" in texts(window.pages.workspace)


def test_no_value_of_a_variable_is_ever_shown(window: MainWindow) -> None:
    window.pages.workspace.detail.tabs.setCurrentIndex(CONFIGURATION)

    assert "API_KEY" in texts(window.pages.workspace.detail)
    assert "planted-secret" not in texts(window)


def test_a_rejected_file_is_named_with_line_and_reason_until_it_is_fixed(
    window: MainWindow,
    router: FakeRouter,
) -> None:
    path = Path("/data/workspace.json")

    router.emit(ConfigRejected(path, 12, "Expecting ',' delimiter"))
    assert "/data/workspace.json, line 12: Expecting ',' delimiter" in texts(window.banners)

    router.emit(ConfigAccepted(path))
    assert not window.banners.isVisible()


def test_what_cannot_be_saved_is_reported_until_it_is(
    window: MainWindow, router: FakeRouter
) -> None:
    router.emit(StorageStateChanged("Can't write /data/a: No space left on device."))
    shown = texts(window.banners)
    assert "Some changes aren’t saved yet" in shown
    assert "No space left on device" in str(shown)

    router.emit(StorageStateChanged(""))
    assert not window.banners.isVisible()


def test_a_port_in_use_is_reported_with_a_link_to_the_settings(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    failed = ListenerState(ListenerPhase.FAILED, message="Port 3717 is taken.")

    router.emit(ListenerStateChanged(failed))

    assert "Port 3717 is taken." in texts(window.banners)
    assert "Router not running" in texts(window.sidebar)
    with qtbot.waitSignal(window.settings_requested, timeout=WAIT_MS):
        press(window.banners, "Settings…")
    router.emit(ListenerStateChanged(ListenerState(ListenerPhase.LISTENING, "http://x/mcp")))
    assert not window.banners.isVisible()


def test_the_steps_of_a_discovery_are_shown_live_and_the_status_at_the_end(
    window: MainWindow,
    router: FakeRouter,
) -> None:
    working = fake_status(
        "GitHub", discovery=DiscoveryStatus.DISCOVERING, step=DiscoveryStep.STARTING
    )
    router.emit(ServerStatusChanged(working))

    def step() -> DiscoveryStep | None:
        status = window.pages.workspace.status(GITHUB.ref)
        assert status is not None
        return status.step

    router.emit(DiscoveryProgressed(GITHUB.ref, DiscoveryStep.DISCOVERING))
    assert step() is DiscoveryStep.DISCOVERING
    router.emit(DiscoveryProgressed(GITHUB.ref, DiscoveryStep.COMPLETE))
    assert step() is DiscoveryStep.DISCOVERING
    router.emit(ServerStatusChanged(GITHUB))
    router.emit(DiscoveryProgressed(GITHUB.ref, DiscoveryStep.CACHING))
    assert step() is None


def test_the_window_stays_correct_after_every_other_event(
    window: MainWindow, router: FakeRouter
) -> None:
    router.state.tools[GITHUB.ref] = (tool("brand_new"),)
    router.state.servers[PERSONAL] = (GITHUB, WAITING)
    entry = ActivityEntry(
        at=datetime(2026, 3, 10, tzinfo=UTC),
        request_id="1",
        client="Cursor",
        kind=ActivityKind.CALL,
        outcome=Outcome.OK,
        duration_ms=1,
        server=ServerId("github"),
        tool="brand_new",
    )

    for event in (
        ToolsChanged(PERSONAL, GITHUB.id, 1),
        ServerRemoved(SENTRY.ref),
        ActivityRecorded(entry),
        TokensChanged(),
        SettingsApplied(Settings()),
        WorkspacesChanged(PERSONAL),
        WorkspaceSwitched(PERSONAL),
    ):
        router.emit(event)
    window.pages.workspace.activity.model.flush()

    assert "2 servers · 2 tools ready" in texts(window)
    assert "brand_new" in texts(window.pages.workspace.detail)
    assert window.pages.workspace.activity.model.rowCount() == 1


def test_events_of_another_workspace_are_not_shown(window: MainWindow, router: FakeRouter) -> None:
    router.emit(ServerStatusChanged(fake_status("Foreign", workspace=ACME)))

    assert "Foreign" not in [status.name for status in window.pages.workspace.servers.servers()]


def test_keyboard_shortcuts_work(window: MainWindow, router: FakeRouter, qtbot: QtBot) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    window.activateWindow()

    QTest.keyClick(window, Qt.Key.Key_R, control)
    QTest.keyClick(window, Qt.Key.Key_2, control)
    QTest.keyClick(window, Qt.Key.Key_9, control)
    with qtbot.waitSignals(
        [window.add_server_requested, window.settings_requested], timeout=WAIT_MS
    ):
        QTest.keyClick(window, Qt.Key.Key_N, control)
        QTest.keyClick(window, Qt.Key.Key_Comma, control)

    assert router.commands == [
        SentCommand("discovery.refresh", (PERSONAL, None)),
        SentCommand("workspaces.switch", (ACME,)),
    ]


def test_control_f_filters_the_focused_pane_and_escape_clears_it(window: MainWindow) -> None:
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(focused(), "sentry")
    assert window.pages.workspace.servers.view.model().rowCount() == 1

    QTest.keyClick(focused(), Qt.Key.Key_Escape)
    assert window.pages.workspace.servers.view.model().rowCount() == 3

    window.pages.workspace.detail.tools.focus_rows()
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert isinstance(focused(), QLineEdit)
    assert window.pages.workspace.detail.tools.isAncestorOf(focused())


def test_f6_cycles_through_the_panes(window: MainWindow) -> None:
    window.activateWindow()
    panes = (
        window.sidebar,
        window.pages.workspace.servers,
        window.pages.workspace.detail,
        window.pages.workspace.activity,
    )
    visited: list[QWidget] = []
    for _ in range(5):
        QTest.keyClick(window, Qt.Key.Key_F6)
        visited.extend(pane for pane in panes if pane.isAncestorOf(focused()))

    assert visited == [*panes, panes[0]]


def test_every_control_has_an_accessible_name(window: MainWindow) -> None:
    kinds = (QAbstractButton, QLineEdit, QAbstractItemView, QComboBox)
    controls = [w for kind in kinds for w in window.findChildren(kind)]
    nameless = [
        control
        for control in controls
        if not control.accessibleName()
        and not (isinstance(control, QPushButton) and control.text())
        and control.parent() not in controls
    ]

    assert controls
    assert nameless == []


def test_a_theme_change_repaints_the_whole_open_window(
    window: MainWindow, app_theme: Theme, router: FakeRouter, qtbot: QtBot
) -> None:
    window.grab()
    app_theme.set_mode("dark")
    fresh = MainWindow(app_theme, Commands(run_now), EventBridge())
    qtbot.addWidget(fresh)
    fresh.attach(router)
    fresh.show()

    # How many event loop turns a layout needs depends on the font.
    qtbot.waitUntil(lambda: pictured(window) == pictured(fresh))


def pictured(window: MainWindow) -> QImage:
    QApplication.processEvents()
    return window.grab().toImage()


def test_the_parts_of_the_window_have_their_designed_sizes(window: MainWindow) -> None:
    window.resize(1360, 900)
    page = window.pages.workspace
    heights = (page.header.height(), page.savings.height())
    assert (window.sidebar.width(), heights) == (228, (68, 104))
    both = page.servers.width() + page.detail.width()
    assert page.servers.width() / both == pytest.approx(0.34, abs=0.01)
    assert page.detail.tools.width() == 316
    assert {f.height() for f in page.findChildren(SearchField) if f.isVisible()} == {32}
