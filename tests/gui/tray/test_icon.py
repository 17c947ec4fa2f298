"""The tray: its menu from the router's state, its icon, and what happens without a tray."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.tray.icon import Tray
from gui.tray.view import tray_view
from gui.widgets.icons import TrayState
from router.api.events import ServerStatusChanged
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.servers import DiscoveryStatus, ServerState
from router.domain.workspaces import Exposure, WorkspaceSummary
from tests.gui.driver import bridge_from
from tests.support.fakes import FakeRouter, SentCommand, fake_status, run_now
from tests.support.timeouts import WAIT_MS

PERSONAL, ACME = WorkspaceId("personal"), WorkspaceId("acme")
FAILED = {
    "state": ServerState.FAILED,
    "tool_count": None,
    "failure": Failure(FailureKind.COMMAND_NOT_FOUND, "uvx"),
}


@pytest.fixture
def router() -> FakeRouter:
    router = FakeRouter()
    router.state.workspaces = (
        WorkspaceSummary(PERSONAL, "Personal", 3, active=True),
        WorkspaceSummary(ACME, "Acme & Sons", 0, active=False),
    )
    router.state.servers[PERSONAL] = (
        fake_status("GitHub"),
        fake_status("Slack", state=ServerState.NEEDS_SIGN_IN),
        fake_status("Sentry", **FAILED),
        fake_status("Notion", enabled=False, state=ServerState.DISABLED),
    )
    return router


@pytest.fixture
def tray(router: FakeRouter, gui_loop: object) -> Tray:
    tray = Tray(Commands(run_now), bridge_from(router))
    tray.attach(router)
    return tray


def texts(menu: QMenu) -> list[str]:
    return ["—" if action.isSeparator() else action.text() for action in menu.actions()]


def action(menu: QMenu, text: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == text)


@pytest.mark.proves("CARD-4")
def test_the_menu_shows_status_and_actions(tray: Tray) -> None:
    assert texts(tray.menu) == [
        "Router running · 1 of 3 servers ready",
        "Sign in to Slack…",
        "Sentry failed to start…",
        "—",
        "Open Toolbooth",
        "Copy MCP URL",
        "Refresh tools",
        "—",
        "Workspace",
        "Personal",
        "Acme && Sons",
        "—",
        "Context Optimization: BM25",
        "—",
        "Settings…",
        "Quit Toolbooth",
    ]
    assert not tray.menu.actions()[0].isEnabled()
    assert action(tray.menu, "Personal").isChecked()
    assert not action(tray.menu, "Acme && Sons").isChecked()


def test_before_the_router_is_ready_the_menu_offers_only_what_works(gui_loop: object) -> None:
    menu = Tray(Commands(), EventBridge()).menu
    assert texts(menu)[0] == "Router starting…"
    assert not action(menu, "Refresh tools").isEnabled()
    assert not action(menu, "Copy MCP URL").isEnabled()
    assert action(menu, "Quit Toolbooth").isEnabled()
    assert "Workspace" not in texts(menu)


@pytest.mark.proves("CARD-4")
def test_the_menu_refreshes_tools(tray: Tray, router: FakeRouter) -> None:
    action(tray.menu, "Refresh tools").trigger()
    assert router.commands == [SentCommand("discovery.refresh", (PERSONAL, None))]


@pytest.mark.proves("CARD-4")
def test_the_menu_switches_workspaces(tray: Tray, router: FakeRouter) -> None:
    action(tray.menu, "Acme && Sons").trigger()
    assert router.commands == [SentCommand("workspaces.switch", (ACME,))]
    tray.refresh()
    assert action(tray.menu, "Acme && Sons").isChecked()


@pytest.mark.proves("META-4")
def test_the_menu_sets_the_optimization(tray: Tray, router: FakeRouter) -> None:
    submenu = action(tray.menu, "Context Optimization: BM25").menu()
    assert isinstance(submenu, QMenu)
    enabled = {choice.text(): choice.isEnabled() for choice in submenu.actions()}
    assert enabled == {"Off": True, "BM25": True, "Hybrid": True, "Cloud": True}
    action(submenu, "Off").trigger()
    assert router.commands == [
        SentCommand("projects.set_options", (PERSONAL, None, None, Exposure.SEARCH))
    ]
    tray.refresh()
    assert "Context Optimization: Off" in texts(tray.menu)


@pytest.mark.proves("CARD-6")
def test_the_menu_copies_the_url(tray: Tray) -> None:
    action(tray.menu, "Copy MCP URL").trigger()
    assert QGuiApplication.clipboard().text() == "http://127.0.0.1:3717/mcp"


def test_a_server_that_needs_attention_has_an_entry_that_opens_it(tray: Tray) -> None:
    chosen: list[ServerRef] = []
    tray.menu.server_requested.connect(chosen.append)
    action(tray.menu, "Sign in to Slack…").trigger()
    assert chosen == [fake_status("Slack").ref]


def test_an_open_menu_is_updated_only_after_it_closes(
    tray: Tray, router: FakeRouter, qtbot: QtBot
) -> None:
    tray.menu.aboutToShow.emit()
    opened = texts(tray.menu)
    ready = fake_status("Slack")
    router.state.servers[PERSONAL] = (fake_status("GitHub"), ready)
    router.emit(ServerStatusChanged(ready))
    assert texts(tray.menu) == opened
    tray.menu.aboutToHide.emit()
    qtbot.waitUntil(
        lambda: texts(tray.menu)[0] == "Router running · 2 of 2 servers ready", timeout=WAIT_MS
    )


def test_the_menu_is_up_to_date_even_without_open_and_close_signals(
    tray: Tray, router: FakeRouter
) -> None:
    tray.menu.aboutToShow.emit()
    router.state.servers[PERSONAL] = ()
    tray.menu.aboutToShow.emit()
    assert texts(tray.menu)[0] == "Router running · no servers turned on"


@pytest.mark.parametrize(
    ("phase", "changes", "state"),
    [
        (ListenerPhase.LISTENING, {}, TrayState.READY),
        (ListenerPhase.LISTENING, {"discovery": DiscoveryStatus.DISCOVERING}, TrayState.WORKING),
        (ListenerPhase.STARTING, {}, TrayState.WORKING),
        (ListenerPhase.LISTENING, FAILED, TrayState.ATTENTION),
        (ListenerPhase.FAILED, FAILED, TrayState.STOPPED),
        (ListenerPhase.STOPPED, {}, TrayState.STOPPED),
    ],
)
def test_the_icon_shows_the_most_severe_state(
    phase: ListenerPhase, changes: dict[str, Any], state: TrayState
) -> None:
    router = FakeRouter()
    router.state.listener = ListenerState(phase)
    router.state.servers[PERSONAL] = (fake_status("GitHub", **changes),)
    assert tray_view(router).state is state


def test_more_problems_than_fit_are_counted(router: FakeRouter) -> None:
    router.state.servers[PERSONAL] = tuple(fake_status(f"s{n}", **FAILED) for n in range(8))
    view = tray_view(router)
    assert (len(view.problems), view.more_problems) == (5, 3)


def test_a_missing_tray_is_signalled_after_a_delay(
    tray: Tray, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.tray.icon.RETRY_MS", 1)
    monkeypatch.setattr("gui.tray.icon.GIVE_UP_MS", 3)
    icon = Tray(Commands(), EventBridge())
    assert not icon.is_available()
    with qtbot.waitSignal(icon.missing, timeout=WAIT_MS):
        icon.show()
    icon.hide()


@pytest.mark.qt_log_ignore("systemTrayWindowChanged")  # of a platform without trays
def test_each_loss_of_the_tray_is_signalled(
    tray: Tray, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("RETRY_MS", 1), ("LATER_MS", 1), ("GIVE_UP_MS", 3)):
        monkeypatch.setattr(f"gui.tray.icon.{name}", value)
    here, looked = True, list[bool]()

    def look() -> bool:
        looked.append(here)
        return here

    monkeypatch.setattr("gui.tray.icon.QSystemTrayIcon.isSystemTrayAvailable", look)
    icon = Tray(Commands(), EventBridge())
    icon.show()
    assert icon.is_available()
    for _ in range(2):
        with qtbot.waitSignal(icon.missing, timeout=WAIT_MS):
            here = False
        here = True
        qtbot.waitUntil(lambda: looked[-1], timeout=WAIT_MS)
    icon.hide()
