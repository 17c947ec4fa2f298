"""The main window: sidebar, banners and pages, and the way from one page to another.

Events reach the parts by their own subscriptions, commands leave through `Actions`. The window only
requests dialogs; it opens none but that for trying a tool.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from gui.components.actions import Actions
from gui.dialogs.try_tool.dialog import TryToolDialog
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.banners import StatusBanners
from gui.main_window.drop_paste import DropPaste
from gui.main_window.keyboard import Keyboard
from gui.main_window.page import Page
from gui.main_window.page_stack import PageStack
from gui.main_window.sidebar import Sidebar
from gui.main_window.undo_bar import UndoBar
from gui.widgets.icons import app_icon
from gui.widgets.layouts import NO_MARGINS, hbox, in_widget, vbox
from gui.widgets.theme import Theme
from gui.widgets.window_size import open_at_size
from router.api.router import RouterPort
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.tools import ToolView


class MainWindow(QMainWindow):
    add_server_requested = Signal()
    snippet_received = Signal(str)
    """A text that may describe a server to add."""
    settings_requested = Signal()
    import_requested = Signal(object)
    """The `FoundServers` to choose from."""
    _router: RouterPort
    _actions: Actions
    """These exist from `attach` on; what needs them is connected there."""

    def __init__(self, theme: Theme, commands: Commands, bridge: EventBridge) -> None:
        super().__init__()
        self._commands = commands
        self._bridge = bridge
        self.sidebar = Sidebar()
        self.banners = StatusBanners(bridge)
        self.pages = PageStack(commands, bridge)
        self._lay_out()
        self.undo_bar = UndoBar(self)
        self.setWindowTitle("Toolbooth")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(980, 620)
        open_at_size(self, 1360, 900)
        self._drop_paste = DropPaste(self)
        self._connect()
        theme.changed.connect(self.update)
        self.sidebar.show_listener(ListenerState(ListenerPhase.STARTING))

    def attach(self, router: RouterPort) -> None:
        """The router is running: show its state."""
        for _ in self.attaching(router):
            pass

    def attaching(self, router: RouterPort) -> Generator[None]:
        """The same in steps, between which the event loop can run."""
        self._router = router
        actions = Actions(self, router, self._commands, self.undo_bar.offer, self._show_failure)
        self._actions = actions
        self._connect_actions(actions)
        self._keyboard = Keyboard(self, actions.refresh_all)
        self.pages.workspace.attach(router, self._bridge, actions)
        self.banners.show_listener(router.endpoint.state())
        yield
        self.pages.attach(router, actions, self.undo_bar.offer)
        self._connect_pages()
        yield
        self.sidebar.attach(router, self._bridge)
        self.pages.go_to(self.sidebar.page)
        self.pages.empty.load(router, self._commands)

    def go_to(self, page: Page) -> None:
        self.sidebar.show_page(page)
        self.pages.go_to(page)

    def show_error(self, error: ToolboothError) -> None:
        self.banners.show_error(error)

    def show_no_router(self, error: ToolboothError) -> None:
        """The router failed to start."""
        self.sidebar.show_listener(ListenerState(ListenerPhase.FAILED))
        self.pages.starting.show_failure(error)

    def select_server(self, ref: ServerRef) -> None:
        """Show `ref` in detail, if it belongs to the active workspace."""
        self.pages.workspace.servers.clear_filter()
        self.pages.workspace.servers.select(ref)

    # Construction

    def _lay_out(self) -> None:
        self.banners.setContentsMargins(20, 16, 20, 0)
        right = vbox(self.banners, (self.pages, 1), spacing=0)
        body = in_widget(hbox(self.sidebar, (right, 1), spacing=0, margins=NO_MARGINS))
        # So that no control has the focus before the user gives it one.
        body.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCentralWidget(body)
        body.setFocus()

    def _connect(self) -> None:
        workspace, empty = self.pages.workspace, self.pages.empty
        self._drop_paste.text_received.connect(self.snippet_received)
        self.banners.settings_requested.connect(self.settings_requested)
        self.sidebar.page_chosen.connect(self.go_to)
        self.sidebar.settings_requested.connect(self.settings_requested)
        workspace.header.add_requested.connect(self.add_server_requested)
        workspace.attention_requested.connect(lambda: self.go_to(Page.ATTENTION))
        workspace.activity.page_requested.connect(lambda: self.go_to(Page.ACTIVITY))
        workspace.detail.try_requested.connect(self._try_tool)
        empty.add_requested.connect(self.add_server_requested)
        empty.import_requested.connect(self.import_requested)
        empty.file_requested.connect(self._choose_file)

    def _connect_actions(self, actions: Actions) -> None:
        self._drop_paste.file_received.connect(self._read_file)
        self.sidebar.workspace_chosen.connect(self._go_to_workspace)
        self.sidebar.workspace_named.connect(actions.create_workspace)
        self.sidebar.workspace_renamed.connect(actions.rename_workspace)
        self.sidebar.workspace_removed.connect(actions.remove_workspace)

    def _connect_pages(self) -> None:
        attention, apps = self.pages.attention, self.pages.apps
        attention.counted.connect(self.sidebar.show_attention_count)
        apps.counted.connect(self.sidebar.show_app_count)
        attention.reload()
        apps.panel.load()

    # Actions

    def _show_failure(self, error: ToolboothError) -> None:
        """Show the error, and set switches back to the state in force."""
        self.show_error(error)
        self.pages.workspace.reload()

    def _go_to_workspace(self, workspace: WorkspaceId) -> None:
        self.go_to(Page.WORKSPACE)
        self._actions.switch_workspace(workspace)

    def _try_tool(self, tool: ToolView | None) -> None:
        if tool is not None:
            workspace = self._router.workspaces.active()
            TryToolDialog(self._router, self._commands, workspace, tool, self).open()

    def _choose_file(self) -> None:
        kinds = "JSON, TOML, YAML (*.json *.jsonc *.toml *.yaml *.yml)"
        dialog = QFileDialog(self, self.tr("Import servers"), str(Path.home()), kinds)
        dialog.fileSelected.connect(self._read_file)
        dialog.open()

    def _read_file(self, path: Path | str) -> None:
        """Offer the servers in `path`; nothing is added before the user has seen them."""
        self._actions.read_file(Path(path), self.import_requested.emit)
