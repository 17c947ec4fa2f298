"""Screens for `screenshots.py`: the pages of the main window in their states."""

from __future__ import annotations

from collections.abc import Iterator

from demo_data import FILES, PERSONAL, TRACKER
from demo_router import Demo, settled, until, until_apps_are_listed
from PySide6.QtWidgets import QLabel, QTableView, QWidget

from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.pages.workspace.server_detail import CONFIGURATION, LOGS
from gui.widgets.theme import theme
from router.domain.ids import ServerId, ServerRef, ToolKey, WorkspaceId

SENTRY = ServerRef(PERSONAL, ServerId("sentry"))
EVERYTHING = ServerRef(PERSONAL, ServerId("everything"))
QUERY = "save a note to a file"
_COLUMNS = 2


def window_screens(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    yield "main", _main(demo)
    small = demo.window()
    small.resize(1100, 700)
    yield "main-small", small
    yield "failed-server", _showing(demo, SENTRY)
    yield "pending-tools", _showing(demo, TRACKER)
    configuration = _showing(demo, FILES)
    configuration.pages.workspace.detail.tabs.setCurrentIndex(CONFIGURATION)
    yield "configuration", configuration
    for page in (Page.ATTENTION, Page.APPS):
        made = demo.window()
        made.go_to(page)
        until_apps_are_listed(made)
        yield page, made
    yield "activity", _activity(demo)
    yield "playground", _playground(demo)
    yield "logs", _logs(demo)
    yield "undo", _undo(demo)
    demo.do(demo.router.servers.set_enabled(EVERYTHING, True))
    yield "empty", _empty(demo)
    demo.do(demo.router.workspaces.switch(PERSONAL))
    starting = MainWindow(theme(), Commands(), EventBridge())
    starting.show()
    yield "starting", starting


def _main(demo: Demo) -> MainWindow:
    """With a selected tool."""
    made = _showing(demo, FILES)
    view = made.pages.workspace.detail.tools.view()
    names = [view.model().index(row, 0).data() for row in range(view.model().rowCount())]
    view.setCurrentIndex(view.model().index(names.index("edit_file"), 0))
    return made


def _showing(demo: Demo, ref: ServerRef) -> MainWindow:
    made = demo.window()
    made.select_server(ref)
    return made


def _activity(demo: Demo) -> MainWindow:
    made = demo.window()
    made.go_to(Page.ACTIVITY)
    settled(made)
    made.pages.activity.findChildren(QTableView)[0].selectRow(0)
    return made


def _playground(demo: Demo) -> MainWindow:
    made = demo.window()
    made.go_to(Page.PLAYGROUND)
    page = made.pages.playground
    page.ask(QUERY)
    until(lambda: sum("·" in each.text() for each in page.findChildren(QLabel)) >= _COLUMNS)
    return made


def _logs(demo: Demo) -> MainWindow:
    """Of a server that was used, so that its log is not empty."""
    demo.do(
        demo.router.tools.try_out(PERSONAL, ToolKey(FILES.server, "list_allowed_directories"), {})
    )
    made = _showing(demo, FILES)
    made.pages.workspace.detail.tabs.setCurrentIndex(LOGS)
    return made


def _undo(demo: Demo) -> MainWindow:
    """A server was disabled, which can be undone."""
    made = _showing(demo, FILES)
    made.pages.workspace.servers.toggled.emit(EVERYTHING, False)
    until(made.undo_bar.isVisible)
    return made


def _empty(demo: Demo) -> MainWindow:
    """A workspace without servers."""
    demo.do(demo.router.workspaces.switch(WorkspaceId("sandbox")))
    return demo.window()
