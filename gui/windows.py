"""Opens the main window and its dialogs, all in one language; another language makes new ones.

Dialogs can be opened once the router is attached.
"""

from __future__ import annotations

from collections.abc import Generator

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from shiboken6 import Shiboken

from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.add_server.install_links import read_link
from gui.dialogs.onboarding.guide import Guide
from gui.dialogs.projects.dialog import ProjectsDialog
from gui.dialogs.scripts.dialog import ScriptsDialog
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.bridge import Bridge
from gui.link.commands import Commands
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.widgets.theme import theme
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
        self.main = MainWindow(theme(), commands, bridge)
        self.main.add_server_requested.connect(self.add_server)
        self.main.snippet_received.connect(self.add_pasted)
        self.main.edit_server_requested.connect(self.edit_server)
        self.main.settings_requested.connect(lambda: self.open_settings())
        self.main.scripts_requested.connect(self.open_scripts)
        self.main.projects_requested.connect(self.open_projects)
        self.main.tokens_requested.connect(lambda: self.open_settings(PageName.APPS))

    def attach(self, router: RouterPort) -> None:
        for _ in self.attaching(router):
            pass

    def attaching(self, router: RouterPort) -> Generator[None]:
        """The same in steps, between which the event loop can run."""
        self._router = router
        yield from self.main.attaching(router)
        self._guide = Guide(router, self._commands, self._bridge, self.main)
        self._guide.imported.connect(lambda: self.main.go_to(Page.WORKSPACE))
        self.main.guide_requested.connect(self._guide.start)
        self.main.import_requested.connect(self._guide.offer)

    def welcome(self) -> None:
        """At the first start, open the guide."""
        if self._guide is not None:
            self._guide.welcome()

    def replace(self, old: Windows) -> None:
        """Take the place of `old` on the screen, with the same contents, and delete it."""
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

    def show_server(self, ref: ServerRef) -> None:
        self.show()
        self._select(ref)

    def show_attention(self) -> None:
        """Bring what needs attention to the front."""
        self.show()
        self.main.go_to(Page.ATTENTION)

    def add_menu(self, menu: QMenu) -> None:
        """Show the tray's menu in the window, for a desktop without a tray."""
        menu.setTitle("Toolbooth")
        self.main.menuBar().addMenu(menu)

    def add_server(self) -> None:
        if self._router is not None:
            self._server_dialog(self._router).open()

    def add_pasted(self, text: str) -> None:
        """Open the dialog with a pasted text; it says so if the text describes no server."""
        if self._router is not None:
            dialog = self._server_dialog(self._router)
            dialog.paste.paste(text)
            dialog.open()

    def open_link(self, link: str) -> None:
        """Open the dialog for the server in a link. Only the user's click adds or runs it."""
        if self._router is None:
            return
        self.show()
        try:
            read_link(link)
            if self._by_link is not None and Shiboken.isValid(self._by_link):
                raise Conflict(
                    self.tr("Another link is already open."),
                    self.tr("Finish adding that server first, then open the other link again."),
                )
        except ToolboothError as error:
            self.main.show_error(error)
            return
        self._by_link = self._server_dialog(self._router)
        self._by_link.fill_from_link(link)
        self._by_link.open()

    def edit_server(self, ref: ServerRef) -> None:
        if self._router is None:
            return
        name = next((s.name for s in self._router.servers.list(ref.workspace) if s.ref == ref), "")
        dialog = self._server_dialog(self._router)
        dialog.edit(ref, name)
        dialog.open()

    def open_scripts(self) -> None:
        """The scripts of the active workspace."""
        if self._router is not None:
            workspace = self._router.workspaces.active()
            ScriptsDialog(self._router, self._commands, workspace, self.main).open()

    def open_projects(self, workspace: WorkspaceId) -> None:
        if self._router is not None:
            ProjectsDialog(self._router, self._commands, self._bridge, workspace, self.main).open()

    def open_settings(self, page: PageName | None = None) -> None:
        if self._router is None:
            return
        if self._settings is None:
            self._changes = self._changes or SettingsChanges(self._router, self._commands)
            self._settings = SettingsDialog(
                self._router, self._commands, self._bridge, self.main, self._changes
            )
        self.show()
        self._settings.open_at(page)

    def _server_dialog(self, router: RouterPort) -> ServerDialog:
        dialog = ServerDialog(router, self._commands, router.workspaces.active(), self.main)
        dialog.saved.connect(self._select)
        return dialog

    def _select(self, ref: ServerRef) -> None:
        self._bridge.flush()  # The event about a new server may still be pending.
        self.main.select_server(ref)
