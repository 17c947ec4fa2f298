"""Other apps in the window: connected after a preview of the change, and undone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QDialog, QWidget
from pytestqt.qtbot import QtBot

from gui.components.apps.app_row import AppAction, app_row, found_sentence, in_order
from gui.components.apps.connect_dialogs import ManualSetupDialog, PlanDialog, diff_html
from gui.dialogs.onboarding.dialog import GuideDialog
from gui.dialogs.settings.dialog import SettingsDialog
from gui.link.commands import Commands
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.widgets.palette import LIGHT
from gui.widgets.theme import Theme
from gui.windows import Windows
from router.api.apps import App, AppId, AppState, DiffLine, FoundServer, FoundServers
from router.config.server import ServerConfig
from router.domain.clients import TokenSummary
from router.domain.errors import ConfigError
from router.domain.ids import TokenId
from tests.gui.driver import bridge_from, open_window, press, sample_router, texts
from tests.support.fakes import FakeRouter, run_now

HOME = Path("/home/me")


def app(name: str, state: AppState = AppState.FOUND, **changes: Any) -> App:
    path = HOME / f".{name.lower()}" / "mcp.json"
    return App(AppId(name.lower()), name, path, state, **changes)


def found(name: str, source: str) -> FoundServer:
    return FoundServer(name, source, HOME, ServerConfig(command=name))


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.apps.apps = (app("Codex", AppState.ABSENT), app("Cursor"), app("Zed"))
    return made


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    window = open_window(router, app_theme, qtbot)
    window.go_to(Page.APPS)
    qtbot.waitUntil(lambda: "Cursor" in texts(window))
    return window


def dialog_of(window: QWidget, kind: type[QDialog], qtbot: QtBot) -> QDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(kind)))
    return window.findChildren(kind)[0]


def names(router: FakeRouter) -> list[str]:
    return [command.name for command in router.commands]


def connect(window: MainWindow, name: str, qtbot: QtBot) -> None:
    press(window, f"Connect…: {name}")
    press(dialog_of(window, PlanDialog, qtbot), "Connect")
    qtbot.waitUntil(lambda: has_button(window, f"Disconnect: {name}"))


def has_button(window: MainWindow, name: str) -> bool:
    buttons = window.findChildren(QAbstractButton)
    return any(each.accessibleName() == name and each.isVisible() for each in buttons)


def test_an_app_is_connected_only_after_a_preview(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    press(window, "Connect…: Cursor")
    dialog = dialog_of(window, PlanDialog, qtbot)
    assert "apps.connect" not in names(router)
    press(dialog, "Connect")
    qtbot.waitUntil(lambda: "Connected Cursor" in texts(window))
    assert names(router)[-2:] == ["apps.plan", "apps.connect"]


def test_a_connection_can_be_undone(window: MainWindow, router: FakeRouter, qtbot: QtBot) -> None:
    connect(window, "Cursor", qtbot)
    press(window, "Undo")
    qtbot.waitUntil(lambda: names(router)[-1] == "apps.undo")
    assert next(a for a in router.apps.apps if a.name == "Cursor").state is AppState.FOUND


def test_disconnecting_applies_at_once_and_can_be_undone(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    connect(window, "Zed", qtbot)
    press(window, "Disconnect: Zed")
    qtbot.waitUntil(lambda: "Disconnected Zed" in texts(window))
    press(window, "Undo")
    qtbot.waitUntil(lambda: names(router)[-1] == "apps.undo")


def test_the_sidebar_counts_the_connected_apps(window: MainWindow, qtbot: QtBot) -> None:
    connect(window, "Cursor", qtbot)
    row = next(b for b in window.sidebar.findChildren(QWidget) if "apps" in b.accessibleName())
    qtbot.waitUntil(lambda: row.accessibleName() == "Connected apps, 1")


@pytest.mark.parametrize("kind", [GuideDialog, SettingsDialog])
def test_the_sidebar_counts_what_a_dialog_has_connected(
    kind: type[QDialog], router: FakeRouter, gui_loop: object, qtbot: QtBot
) -> None:
    windows = Windows(Commands(run_now), bridge_from(router))
    qtbot.addWidget(windows.main)
    windows.attach(router)
    pages = windows.main.pages
    (pages.apps.guide_requested if kind is GuideDialog else pages.apps.tokens_requested).emit()
    dialog = dialog_of(windows.main, kind, qtbot)
    router.apps.apps = (app("Cursor", AppState.CONNECTED),)
    dialog.reject()
    rows = windows.main.sidebar.findChildren(QWidget)
    row = next(each for each in rows if "apps" in each.accessibleName())
    qtbot.waitUntil(lambda: row.accessibleName() == "Connected apps, 1")


def test_an_app_that_is_not_installed_is_set_up_by_hand_with_its_own_token(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    press(window, "Set up manually: Codex")
    dialog = dialog_of(window, ManualSetupDialog, qtbot)
    assert "apps.snippet" not in names(router)
    press(dialog, "Create entry")
    qtbot.waitUntil(lambda: names(router)[-1] == "apps.snippet")


def test_the_place_of_the_entry_says_what_will_appear_there(
    window: MainWindow, qtbot: QtBot
) -> None:
    press(window, "Set up manually: Codex")
    box = dialog_of(window, ManualSetupDialog, qtbot).findChild(QAbstractScrollArea)
    assert isinstance(box, QAbstractScrollArea)
    with_hint = box.viewport().grab().toImage()
    box.setProperty("placeholderText", "")
    assert box.viewport().grab().toImage() != with_hint


def test_an_installed_app_can_be_set_up_by_hand_too(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    press(window, "Connect…: Cursor")
    press(dialog_of(window, PlanDialog, qtbot), "Set up manually")
    press(dialog_of(window, ManualSetupDialog, qtbot), "Create entry")
    qtbot.waitUntil(lambda: names(router)[-1] == "apps.snippet")
    assert "apps.connect" not in names(router)


def test_a_preview_says_that_others_can_read_the_file(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    router.apps.open_to_others = True
    press(window, "Connect…: Cursor")
    dialog = dialog_of(window, PlanDialog, qtbot)
    assert "Other users of this computer can read this file" in texts(dialog)


def test_an_app_with_our_old_url_is_updated(
    window: MainWindow, router: FakeRouter, qtbot: QtBot
) -> None:
    router.apps.apps = (app("Cursor", AppState.CONNECTED, outdated=True),)
    window.go_to(Page.WORKSPACE)
    window.go_to(Page.APPS)
    qtbot.waitUntil(lambda: "Outdated URL" in texts(window))
    press(window, "Update…: Cursor")
    press(dialog_of(window, PlanDialog, qtbot), "Connect")
    qtbot.waitUntil(lambda: names(router)[-1] == "apps.connect")


def test_errors_are_shown_on_the_page(window: MainWindow, router: FakeRouter, qtbot: QtBot) -> None:
    router.failures["apps.plan"] = ConfigError(HOME / "mcp.json", 3, "it is broken")
    press(window, "Connect…: Cursor")
    qtbot.waitUntil(lambda: "line 3: it is broken" in texts(window))


@pytest.mark.parametrize(
    ("shown", "action", "badge"),
    [
        (app("Codex", AppState.ABSENT), AppAction.MANUAL_SETUP, ""),
        (app("Cursor"), AppAction.PREVIEW, ""),
        (app("Claude", by_bridge=True), AppAction.PREVIEW, "Uses the built-in bridge"),
        (app("Zed", has_comments=True), AppAction.PREVIEW, "Keeps comments"),
        (app("Cursor", AppState.CONNECTED), AppAction.DISCONNECT, "Connected"),
        (app("Cursor", AppState.UNREADABLE), AppAction.MANUAL_SETUP, "Can’t read file"),
    ],
)
def test_each_state_has_its_action(shown: App, action: AppAction, badge: str) -> None:
    line = app_row(shown, HOME)
    assert (line.action, line.badge) == (action, badge)


def test_installed_apps_come_first() -> None:
    apps = (app("A", AppState.ABSENT), app("B"), app("C", AppState.CONNECTED))
    assert [each.name for each in in_order(apps)] == ["B", "C", "A"]


def test_the_apps_with_found_servers_are_named() -> None:
    two = (found("a", "Cursor"), found("b", "VS Code"), found("c", "Cursor"))
    assert found_sentence(two) == "We found 3 servers in Cursor and VS Code on this computer."
    four = tuple(found(name, name) for name in ("A", "B", "C", "D"))
    assert found_sentence(four) == "We found 4 servers in A, B and 2 other apps on this computer."


def test_a_diff_is_plain_text_and_never_markup() -> None:
    html = diff_html((DiffLine("+", "<img src=x>"),), LIGHT)
    assert "<img" not in html
    assert "+" in html


def test_the_empty_state_offers_the_found_servers(
    app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    router = FakeRouter()
    router.apps.findings = FoundServers((found("a", "Cursor"), found("b", "Cursor")))
    window = open_window(router, app_theme, qtbot)
    qtbot.waitUntil(lambda: "We found 2 servers in Cursor" in texts(window))
    with qtbot.waitSignal(window.import_requested):
        press(window, "Import 2 servers…")


def test_the_header_and_the_sidebar_count_the_same_connected_apps(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    ours, by_hand = TokenId("ours"), TokenId("by-hand")
    router.apps.apps = (app("Cursor", AppState.CONNECTED, token=ours), app("Zed"))
    router.state.tokens = tuple(
        TokenSummary(token, token, None, None, now, None, now) for token in (ours, by_hand)
    )

    window = open_window(router, app_theme, qtbot)

    rows = window.sidebar.findChildren(QAbstractButton)
    qtbot.waitUntil(lambda: "Connected apps, 2" in [row.accessibleName() for row in rows])
    assert "2 apps connected" in texts(window)
