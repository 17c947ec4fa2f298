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
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.main_window import MainWindow
from gui.main_window.page import Page
from gui.widgets.theme import theme
from router.api.router import RouterPort
from router.domain.errors import Conflict, ToolboothError
from router.domain.ids import ServerRef, WorkspaceId


class Windows(QObject):
    _router: RouterPort
    """Exists from `attach` on; nothing opens a dialog before that."""

    def __init__(self, commands: Commands, bridge: EventBridge) -> None:
        super().__init__()
        self._commands = commands
        self._bridge = bridge
        self._attached = False
        self._settings: SettingsDialog | None = None
        self._changes: SettingsChanges | None = None
        self._guide: Guide | None = None
        self._by_link: ServerDialog | None = None
        self.main = MainWindow(theme(), commands, bridge)

    def attach(self, router: RouterPort) -> None:
        for _ in self.attaching(router):
            pass

    def attaching(self, router: RouterPort) -> Generator[None]:
        """The same in steps, between which the event loop can run."""
        self._router, self._attached = router, True
        self._connect()
        yield from self.main.attaching(router)
        self._guide = Guide(router, self._commands, self._bridge, self.main)
        self._guide.imported.connect(lambda: self.main.go_to(Page.WORKSPACE))
        self._guide.closed.connect(self._list_apps)
        self.main.import_requested.connect(self._guide.offer)
        self.main.pages.apps.guide_requested.connect(self._guide.start)
        self.main.pages.apps.tokens_requested.connect(lambda: self.open_settings(PageName.APPS))

    def _connect(self) -> None:
        self.main.add_server_requested.connect(self.add_server)
        self.main.snippet_received.connect(self.add_pasted)
        self.main.settings_requested.connect(lambda: self.open_settings())
        self.main.sidebar.scripts_requested.connect(self.open_scripts)
        self.main.sidebar.projects_requested.connect(self.open_projects)
        self.main.pages.workspace.edit_requested.connect(self.edit_server)

    def welcome(self) -> None:
        """At the first start, open the guide."""
        if self._guide is not None:
            self._guide.welcome()

    def replace(self, old: Windows) -> None:
        """Take the place of `old` on the screen, with the same contents, and delete it."""
        if old._attached:
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
        self._server_dialog().open()

    def add_pasted(self, text: str) -> None:
        """Open the dialog with a pasted text; it says so if the text describes no server."""
        dialog = self._server_dialog()
        dialog.paste.paste(text)
        dialog.open()

    def open_link(self, link: str) -> None:
        """Open the dialog for the server in a link. Only the user's click adds or runs it."""
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
        self._by_link = self._server_dialog()
        self._by_link.fill_from_link(link)
        self._by_link.open()

    def edit_server(self, ref: ServerRef) -> None:
        name = next((s.name for s in self._router.servers.list(ref.workspace) if s.ref == ref), "")
        dialog = self._server_dialog()
        dialog.edit(ref, name)
        dialog.open()

    def open_scripts(self) -> None:
        """The scripts of the active workspace."""
        workspace = self._router.workspaces.active()
        ScriptsDialog(self._router, self._commands, workspace, self.main).open()

    def open_projects(self, workspace: WorkspaceId) -> None:
        ProjectsDialog(self._router, self._commands, self._bridge, workspace, self.main).open()

    def open_settings(self, page: PageName | None = None) -> None:
        if self._settings is None:
            self._changes = self._changes or SettingsChanges(self._router, self._commands)
            self._settings = SettingsDialog(
                self._router, self._commands, self._bridge, self.main, self._changes
            )
            self._settings.finished.connect(self._list_apps)
        self.show()
        self._settings.open_at(page)

    def _list_apps(self) -> None:
        """A dialog that can connect apps was closed; it lists them only for itself."""
        self.main.pages.apps.panel.load()

    def _server_dialog(self) -> ServerDialog:
        workspace = self._router.workspaces.active()
        dialog = ServerDialog(self._router, self._commands, workspace, self.main)
        dialog.saved.connect(self._select)
        return dialog

    def _select(self, ref: ServerRef) -> None:
        self._bridge.flush()  # The event about a new server may still be pending.
        self.main.select_server(ref)
