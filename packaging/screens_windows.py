"""Screens for `screenshots.py`: the pages of the main window in their states."""

from __future__ import annotations

from collections.abc import Iterator

from demo_desk import FILES, PERSONAL, TRACKER
from PySide6.QtWidgets import QLabel, QTableView, QWidget
from screens_live import Desk, settled, until, until_apps_are_listed

from gui.link.bridge import Bridge
from gui.link.commands import Commands
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.widgets.theme import theme
from router.domain.ids import ServerId, ServerRef, ToolKey, WorkspaceId

SENTRY = ServerRef(PERSONAL, ServerId("sentry"))
EVERYTHING = ServerRef(PERSONAL, ServerId("everything"))
QUERY = "save a note to a file"
_COLUMNS = 2


def window_screens(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    yield "main", _main(desk)
    small = desk.window()
    small.resize(1100, 700)
    yield "main-small", small
    yield "failed-server", _showing(desk, SENTRY)
    yield "held-tools", _showing(desk, TRACKER)
    configuration = _showing(desk, FILES)
    configuration.pages.workspace.detail.show_configuration()
    yield "configuration", configuration
    for place, name in ((Page.ATTENTION, "needs"), (Page.APPS, "apps")):
        made = desk.window()
        made.go_to(place)
        until_apps_are_listed(made)
        yield name, made
    yield "activity", _activity(desk)
    yield "playground", _playground(desk)
    yield "logs", _logs(desk)
    yield "undo", _undo(desk)
    desk.do(desk.router.servers.set_enabled(EVERYTHING, True))
    yield "empty", _empty(desk)
    desk.do(desk.router.workspaces.switch(PERSONAL))
    starting = MainWindow(theme(), Commands(), Bridge())
    starting.show()
    yield "starting", starting


def _main(desk: Desk) -> MainWindow:
    """With a tool in view that has something to say."""
    made = _showing(desk, FILES)
    view = made.pages.workspace.detail.tools.view()
    names = [view.model().index(row, 0).data() for row in range(view.model().rowCount())]
    view.setCurrentIndex(view.model().index(names.index("edit_file"), 0))
    return made


def _showing(desk: Desk, ref: ServerRef) -> MainWindow:
    made = desk.window()
    made.select_server(ref)
    return made


def _activity(desk: Desk) -> MainWindow:
    made = desk.window()
    made.go_to(Page.ACTIVITY)
    settled(made)
    made.pages.activity.findChildren(QTableView)[0].selectRow(0)
    return made


def _playground(desk: Desk) -> MainWindow:
    made = desk.window()
    made.go_to(Page.PLAYGROUND)
    page = made.pages.playground
    page.ask(QUERY)
    until(lambda: sum("·" in each.text() for each in page.findChildren(QLabel)) >= _COLUMNS)
    return made


def _logs(desk: Desk) -> MainWindow:
    """Of a server that was used, and so has something to tell."""
    desk.do(
        desk.router.tools.try_out(PERSONAL, ToolKey(FILES.server, "list_allowed_directories"), {})
    )
    made = _showing(desk, FILES)
    made.pages.workspace.detail.show_logs()
    return made


def _undo(desk: Desk) -> MainWindow:
    """A server was switched off, which can be taken back."""
    made = _showing(desk, FILES)
    made.pages.workspace.servers.toggled.emit(EVERYTHING, False)
    until(made.undo_bar.isVisible)
    return made


def _empty(desk: Desk) -> MainWindow:
    """A workspace without servers, on a computer where others have some."""
    desk.do(desk.router.workspaces.switch(WorkspaceId("sandbox")))
    return desk.window()
