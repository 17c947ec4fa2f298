"""The main window and the dialogs over it, all in one language: for another one they are made anew.

Passes the router to each when there is one; until then dialogs can't be asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from shiboken6 import Shiboken

from gui.bridge import Bridge
from gui.commands import Commands
from gui.look.theme import theme
from gui.onboarding.guiding import Guide
from gui.projects.dialog import ProjectsDialog
from gui.scripts.dialog import ScriptsDialog
from gui.server.dialog import ServerDialog
from gui.server.links import read_link
from gui.settings.changes import SettingsChanges
from gui.settings.dialog import PageName, SettingsDialog
from gui.window.main_window import MainWindow
from gui.window.places import Place
from router.api.events import Event
from router.api.router import RouterPort
from router.domain.errors import Conflict, ToolboothError
from router.domain.ids import ServerRef, WorkspaceId


class Windows(QObject):
    def __init__(self, commands: Commands, bridge: Bridge) -> None:
        super().__init__()
        self._commands = commands
        self._bridge = bridge
        self._router: RouterPort | None = None
        self._settings: SettingsDialog | None = None
        self._changes: SettingsChanges | None = None
        self._guide: Guide | None = None
        self._by_link: ServerDialog | None = None
        self._projects: ProjectsDialog | None = None
        self.main = MainWindow(theme(), commands)
        self.main.add_server_requested.connect(self.add_server)
        self.main.snippet_brought.connect(self.add_pasted)
        self.main.edit_server_requested.connect(self.edit_server)
        self.main.settings_requested.connect(self._open_settings)
        self.main.scripts_requested.connect(self.open_scripts)
        self.main.projects_requested.connect(self.open_projects)
        self.main.tokens_requested.connect(lambda: self.open_settings(PageName.APPS))

    def attach(self, router: RouterPort) -> None:
        for _ in self.attaching(router):
            pass

    def attaching(self, router: RouterPort) -> Generator[None]:
        """The same in steps, between which the window can live."""
        self._router = router
        yield from self.main.attaching(router)
        self._guide = Guide(router, self._commands, self.main)
        self._guide.imported.connect(lambda: self.main.go_to(Place.WORKSPACE))
        self.main.guide_requested.connect(self._guide.start)
        self.main.import_requested.connect(self._guide.offer)

    def welcome(self) -> None:
        """At the first start, lead through what is missing."""
        if self._guide is not None:
            self._guide.welcome()

    def handle(self, events: Sequence[Event]) -> None:
        self.main.handle(events)
        if self._settings is not None:
            self._settings.on_events(events)
        if self._guide is not None:
            self._guide.handle(events)
        if self._projects is not None:
            self._projects.on_events(events)

    def replace(self, old: Windows) -> None:
        """Stand where `old` stood, showing what it showed; `old` goes away."""
        if old._router is not None:
            self.attach(old._router)
        self._changes = old._changes
        self.main.setGeometry(old.main.geometry())
        if old.main.isVisible():
            self.main.show()
        if old._settings is not None and old._settings.isVisible():
            self.open_settings(old._settings.current_page())
        old.main.hide()
        old.main.deleteLater()
        old.deleteLater()

    def show(self) -> None:
        """Bring the main window to the front."""
        if self.main.isMinimized():
            self.main.showNormal()
        self.main.show()
        if QGuiApplication.platformName() != "offscreen":
            self.main.raise_()
        self.main.activateWindow()

    def show_error(self, error: ToolboothError) -> None:
        self.main.show_error(error)

    def show_server(self, ref: ServerRef) -> None:
        self.show()
        self._select(ref)

    def show_needs(self) -> None:
        """What waits for the person, in front of them."""
        self.show()
        self.main.go_to(Place.NEEDS_YOU)

    def add_menu(self, menu: QMenu) -> None:
        """Offer the tray's menu inside the window, for a desktop without a tray."""
        menu.setTitle("Toolbooth")
        self.main.menuBar().addMenu(menu)

    def add_server(self) -> None:
        if self._router is not None:
            self._server_dialog(self._router).open()

    def add_pasted(self, text: str) -> None:
        """Offer to add what a text describes; the dialog says so where it describes nothing."""
        if self._router is not None:
            dialog = self._server_dialog(self._router)
            dialog.paste.paste(text)
            dialog.open()

    def open_link(self, link: str) -> None:
        """Offer to add the server a link describes. Only the person's own click adds or runs it."""
        if self._router is None:
            return
        self.show()
        try:
            read_link(link)
            if self._by_link is not None and Shiboken.isValid(self._by_link):
                raise Conflict(
                    self.tr("A link is open already."),
                    self.tr("Decide about that server first, then open the other link again."),
                )
        except ToolboothError as error:
            self.show_error(error)
            return
        self._by_link = self._server_dialog(self._router)
        self._by_link.take_link(link)
        self._by_link.open()

    def edit_server(self, ref: ServerRef) -> None:
        if self._router is None:
            return
        name = next((s.name for s in self._router.servers.list(ref.workspace) if s.ref == ref), "")
        dialog = self._server_dialog(self._router)
        dialog.edit(ref, name)
        dialog.open()

    def open_scripts(self) -> None:
        """The scripts of the workspace that the window shows."""
        if self._router is not None:
            workspace = self._router.workspaces.active()
            ScriptsDialog(self._router, self._commands, workspace, self.main).open()

    def open_projects(self, workspace: WorkspaceId) -> None:
        if self._router is None:
            return
        self._projects = ProjectsDialog(self._router, self._commands, workspace, self.main)
        self._projects.finished.connect(self._forget_projects)
        self._projects.open()

    def _forget_projects(self) -> None:
        self._projects = None

    def open_settings(self, page: PageName | None = None) -> None:
        if self._router is None:
            return
        if self._settings is None:
            self._changes = self._changes or SettingsChanges(self._router, self._commands)
            self._settings = SettingsDialog(self._router, self._commands, self.main, self._changes)
        self.show()
        self._settings.open_at(page)

    def _open_settings(self) -> None:
        self.open_settings()

    def _server_dialog(self, router: RouterPort) -> ServerDialog:
        dialog = ServerDialog(router, self._commands, router.workspaces.active(), self.main)
        dialog.saved.connect(self._select)
        return dialog

    def _select(self, ref: ServerRef) -> None:
        self._bridge.flush()  # The window may not have heard of a new server yet.
        self.main.select_server(ref)
