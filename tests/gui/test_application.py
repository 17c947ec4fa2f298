"""The whole application, around a fake router in the real thread."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import enumerate as all_threads
from typing import TypeAlias

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.application import Application, DesktopApplication
from gui.desktop.close_to_tray import CloseToTray
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.router_thread import HostedRouter
from gui.widgets.buttons import Toggle
from gui.widgets.theme import theme
from router.api.events import ServerStatusChanged, WindowRequested
from router.config.settings import Settings
from router.domain.errors import Conflict
from router.domain.ids import WorkspaceId
from router.domain.servers import ServerState
from tests.support.fakes import FakeHostedRouter, SentCommand, fake_status
from tests.support.timeouts import WAIT_MS

PERSONAL = WorkspaceId("personal")
TRANSLATIONS = Path(__file__).parents[2] / "packaging" / "translations.py"


class RunningApplication:
    """An application, and how often it asked Qt's loop to end."""

    def __init__(self, app: DesktopApplication, router: FakeHostedRouter) -> None:
        self.router = router
        self.ends = 0

        async def open_router() -> HostedRouter:
            return router

        self.application = Application(app, open_router, Settings(), stop_loop=self._end)
        self.application.start(hidden=False)

    @property
    def ready(self) -> bool:
        """Whether the router has reached window and tray."""
        return self.application.tray.menu.actions()[0].text().startswith("Router running")

    def choose(self, text: str) -> None:
        next(each for each in self.application.tray.menu.actions() if each.text() == text).trigger()

    def _end(self) -> None:
        self.ends += 1


Start: TypeAlias = Callable[[FakeHostedRouter], RunningApplication]


@pytest.fixture
def start(qapp: DesktopApplication, gui_loop: object, qtbot: QtBot) -> Iterator[Start]:
    started: list[RunningApplication] = []

    def start(router: FakeHostedRouter) -> RunningApplication:
        started.append(RunningApplication(qapp, router))
        return started[-1]

    yield start
    for running in started:
        running.application.shut_down()
        running.application.quit()
        running.application.language.forget()
        Shiboken.delete(running.application.windows.main)
        Shiboken.delete(running.application)
    theme().set_mode("system")


def press(parent: QWidget, text: str) -> None:
    next(each for each in parent.findChildren(QPushButton) if each.text() == text).click()


def shown_button(parent: QWidget, text: str) -> bool:
    return any(b.text() == text and b.isVisible() for b in parent.findChildren(QPushButton))


def texts(parent: QWidget) -> list[str]:
    return [label.text() for label in parent.findChildren(QLabel)]


@pytest.mark.proves("CARD-1")
def test_the_window_opens_before_the_router_and_then_shows_its_state(
    start: Start, qtbot: QtBot
) -> None:
    router = FakeHostedRouter()
    router.state.servers[PERSONAL] = (fake_status("GitHub"),)
    running = start(router)
    assert running.application.windows.main.isVisible()
    assert not running.ready
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    shown = running.application.windows.main.pages.workspace.servers.servers()
    assert [server.name for server in shown] == ["GitHub"]


@pytest.mark.proves("CARD-1")
def test_router_events_reach_window_and_tray(start: Start, qtbot: QtBot) -> None:
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    servers = (fake_status("GitHub"), fake_status("Slack"))
    running.router.state.servers[PERSONAL] = servers
    for status in servers:
        running.router.emit(ServerStatusChanged(status))
    headline = "Router running · 2 of 2 servers ready"
    qtbot.waitUntil(
        lambda: running.application.tray.menu.actions()[0].text() == headline, timeout=WAIT_MS
    )
    assert running.application.windows.main.pages.workspace.servers.servers() == servers


def test_shutting_down_stops_the_router_and_its_thread(start: Start, qtbot: QtBot) -> None:
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.application.shut_down()
    assert running.router.lifecycle == [("start", "router"), ("stop", "router")]
    assert "router" not in [thread.name for thread in all_threads()]


def test_a_router_that_cannot_start_is_explained_and_ends_the_application(
    start: Start, qtbot: QtBot
) -> None:
    running = start(FakeHostedRouter(Conflict("Another Toolbooth has this folder.", "Quit it.")))
    main = running.application.windows.main
    qtbot.waitUntil(lambda: bool(main.findChildren(QMessageBox)), timeout=WAIT_MS)
    box = main.findChildren(QMessageBox)[0]
    assert (box.text(), box.informativeText()) == (
        "Another Toolbooth has this folder.",
        "Quit it.",
    )
    assert "Router not running" in texts(main.sidebar)
    assert "The router is not running" in texts(main)
    assert not {"Starting…", "Router starting…"} & set(texts(main))
    press(box, "Close")
    assert running.ends == 1
    assert running.application.exit_code == 1


def test_quitting_says_that_it_stops_the_servers(start: Start, qtbot: QtBot) -> None:
    router = FakeHostedRouter()
    router.state.servers[PERSONAL] = (fake_status("GitHub"), fake_status("Slack"))
    running = start(router)
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.choose("Quit Toolbooth")
    box = running.application.windows.main.findChildren(QMessageBox)[0]
    assert box.informativeText().startswith("This stops all servers (2 running).")
    assert running.ends == 0
    press(box, "Quit")
    assert running.ends == 1


def test_with_no_server_running_quitting_asks_nothing(start: Start, qtbot: QtBot) -> None:
    router = FakeHostedRouter()
    router.state.servers[PERSONAL] = (fake_status("GitHub", state=ServerState.IDLE),)
    running = start(router)
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.choose("Quit Toolbooth")
    assert running.ends == 1


def test_the_theme_follows_the_settings(start: Start, qtbot: QtBot) -> None:
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.application.windows.open_settings(PageName.GENERAL)
    press(running.application.windows.main.findChildren(SettingsDialog)[0], "Dark")
    qtbot.waitUntil(lambda: theme().mode == "dark", timeout=WAIT_MS)


def test_changes_made_at_the_same_time_are_all_kept(start: Start, qtbot: QtBot) -> None:
    router = FakeHostedRouter()
    running = start(router)
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    windows = running.application.windows
    windows.open_settings(PageName.GENERAL)
    dialog = windows.main.findChildren(SettingsDialog)[0]
    press(dialog, "Dark")
    next(
        each for each in dialog.findChildren(Toggle) if each.accessibleName() == "Start hidden"
    ).click()
    qtbot.waitUntil(lambda: router.settings.current().start_hidden, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: router.settings.current().welcome_shown, timeout=WAIT_MS)
    assert router.settings.current().theme == "dark"


def test_a_language_change_recreates_the_windows_in_place(start: Start, qtbot: QtBot) -> None:
    subprocess.run([sys.executable, str(TRANSLATIONS), "compile"], check=True)
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    before = running.application.windows
    before.open_settings(PageName.GENERAL)
    press(before.main.findChildren(SettingsDialog)[0], "日本語")
    qtbot.waitUntil(lambda: running.application.windows is not before, timeout=WAIT_MS)
    main = running.application.windows.main
    dialog = main.findChildren(SettingsDialog)[0]
    assert main.isVisible()
    assert (dialog.isVisible(), dialog.current_page()) == (True, PageName.GENERAL)
    assert dialog.windowTitle() == "設定"
    assert running.application.tray.menu.actions()[0].text().startswith("ルーター稼働中")
    qtbot.waitUntil(lambda: shown_button(dialog, "元に戻す"), timeout=WAIT_MS)
    press(dialog, "元に戻す")
    qtbot.waitUntil(lambda: running.application.windows.main is not main, timeout=WAIT_MS)
    [dialog] = running.application.windows.main.findChildren(SettingsDialog)
    assert dialog.windowTitle() == "Settings"


def test_a_second_start_shows_the_window_unless_started_hidden(start: Start, qtbot: QtBot) -> None:
    running = start(FakeHostedRouter())
    running.application.windows.main.hide()
    running.application.second_start(["--hidden"])
    assert not running.application.windows.main.isVisible()
    running.application.second_start([])
    assert running.application.windows.main.isVisible()


def test_a_second_start_event_shows_the_window(start: Start, qtbot: QtBot) -> None:
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.application.windows.main.hide()
    running.router.emit(WindowRequested(()))
    qtbot.waitUntil(running.application.windows.main.isVisible, timeout=WAIT_MS)


def test_without_a_tray_the_menu_is_in_the_window_and_a_hint_is_shown_once(
    start: Start, qtbot: QtBot
) -> None:
    running = start(FakeHostedRouter())
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.application.tray.missing.emit()
    main = running.application.windows.main
    assert running.application.tray.menu.menuAction() in main.menuBar().actions()
    assert "Tray icons are not available on this desktop" in texts(main.banners)
    qtbot.waitUntil(lambda: running.router.settings.current().close_hint_shown, timeout=WAIT_MS)
    main.banners.clear("tray")
    running.application.tray.missing.emit()
    assert main.banners.subjects() == ()


@pytest.mark.parametrize("has_tray", [True, False])
def test_closing_hides_to_the_tray_or_minimises_without_one(has_tray: bool, qtbot: QtBot) -> None:
    window, hidden = QWidget(), list[bool]()
    qtbot.addWidget(window)
    closing = CloseToTray(lambda: has_tray)
    closing.hidden.connect(lambda: hidden.append(True))
    closing.watch(window)
    window.show()
    window.close()
    assert window.isVisible() is not has_tray
    assert window.isMinimized() is not has_tray
    assert hidden == [True] * has_tray
    closing.closing_allowed = True
    window.close()
    assert not window.isVisible()


def test_a_quit_from_the_system_really_quits(start: Start, qapp: DesktopApplication) -> None:
    running = start(FakeHostedRouter())
    qapp.quitting.emit()
    event = QCloseEvent()
    QApplication.sendEvent(running.application.windows.main, event)
    assert event.type() == QEvent.Type.Close
    assert event.isAccepted()


def test_the_tray_commands_the_router_in_its_thread(start: Start, qtbot: QtBot) -> None:
    router = FakeHostedRouter()
    running = start(router)
    qtbot.waitUntil(lambda: running.ready, timeout=WAIT_MS)
    running.choose("Refresh tools")
    qtbot.waitUntil(
        lambda: SentCommand("discovery.refresh", (PERSONAL, None)) in router.commands,
        timeout=WAIT_MS,
    )
