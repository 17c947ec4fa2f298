"""The tray's menu: shows a view, emits what the user chooses.

Plain actions only, because tray hosts on D-Bus draw the menu themselves and know nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QMenu

from gui.text.marks import Mark
from gui.tray.view import TrayView, optimization_name
from gui.widgets import fonts
from gui.widgets.icons import icon, pixmap
from gui.widgets.palette import Token
from gui.widgets.theme import theme
from gui.widgets.tooltip import set_tooltip
from router.domain.workspaces import Optimization, WorkspaceSummary

_MARK_ICONS: dict[Mark, tuple[str, Token]] = {
    Mark.READY: ("circle-check", "ok"),
    Mark.WORKING: ("loader-circle", "accent"),
    Mark.ATTENTION: ("triangle-alert", "warn"),
    Mark.FAILED: ("circle-x", "err"),
    Mark.OFF: ("circle", "off"),
}
_ICON_SIZE = 16


class TrayMenu(QMenu):
    """Filled again by each `show_view`."""

    window_requested = Signal()
    server_requested = Signal(object)
    """With the `ServerRef` of a server that needs attention."""
    url_copied = Signal()
    refresh_requested = Signal()
    workspace_chosen = Signal(str)
    optimization_chosen = Signal(object)
    """With an `Optimization`, or None for off."""
    settings_requested = Signal()
    quit_requested = Signal()

    def show_view(self, view: TrayView) -> None:
        self.clear()
        self._add_status(view)
        self.addSeparator()
        self._add_commands(view)
        if view.running:
            self.addSeparator()
            self._add_workspaces(view.workspaces)
            self.addSeparator()
            self._add_optimization(view.optimization)
        self.addSeparator()
        self._add(self.tr("Settings…"), "settings", self.settings_requested.emit, view.running)
        quit_action = self._add(self.tr("Quit Toolbooth"), "power", self.quit_requested.emit)
        set_tooltip(quit_action, self.tr("Stops all servers"))

    def _add_status(self, view: TrayView) -> None:
        headline = self.addAction(_mark_icon(view.mark), _plain(view.headline))
        headline.setEnabled(False)
        for problem in view.problems:
            line = self.addAction(_mark_icon(problem.mark), _plain(problem.text))
            line.triggered.connect(partial(self.server_requested.emit, problem.ref))
        if view.more_problems:
            more = self.addAction(self.tr("%n more…", "", view.more_problems))
            more.triggered.connect(self.window_requested)

    def _add_commands(self, view: TrayView) -> None:
        opening = self._add(self.tr("Open Toolbooth"), "app-window", self.window_requested.emit)
        opening.setFont(fonts.semibold())
        self.setDefaultAction(opening)
        has_url = view.url is not None
        self._add(self.tr("Copy MCP URL"), "copy", self.url_copied.emit, has_url)
        self._add(self.tr("Refresh tools"), "refresh-cw", self.refresh_requested.emit, view.running)

    def _add_workspaces(self, workspaces: tuple[WorkspaceSummary, ...]) -> None:
        self.addAction(self.tr("Workspace")).setEnabled(False)
        group = QActionGroup(self)
        for workspace in workspaces:
            action = _add_choice(self, group, _plain(workspace.name), workspace.active)
            action.triggered.connect(partial(self.workspace_chosen.emit, workspace.id))

    def _add_optimization(self, current: Optimization | None) -> None:
        title = self.tr("Context Optimization: {name}").format(name=optimization_name(current))
        submenu = self.addMenu(icon("sparkles"), title)
        group = QActionGroup(submenu)
        for choice in (None, *Optimization):
            action = _add_choice(submenu, group, optimization_name(choice), choice is current)
            action.triggered.connect(partial(self.optimization_chosen.emit, choice))

    def _add(
        self, text: str, icon_name: str, chosen: Callable[[], object], enabled: bool = True
    ) -> QAction:
        action = self.addAction(icon(icon_name), text)
        action.triggered.connect(lambda: chosen())
        action.setEnabled(enabled)
        return action


def _add_choice(menu: QMenu, group: QActionGroup, text: str, chosen: bool) -> QAction:
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(chosen)
    action.setFont(fonts.semibold() if chosen else fonts.ui_font())
    group.addAction(action)
    return action


def _mark_icon(mark: Mark) -> QIcon:
    """In its colour even on a line that can't be chosen."""
    name, token = _MARK_ICONS[mark]
    picture = QIcon()
    for scale in (1.0, 2.0):
        image = pixmap(name, _ICON_SIZE, theme().palette.color(token), scale)
        picture.addPixmap(image, QIcon.Mode.Normal)
        picture.addPixmap(image, QIcon.Mode.Disabled)
    return picture


def _plain(text: str) -> str:
    """`text` with no character taken for a keyboard mark."""
    return text.replace("&", "&&")
