"""The main window: puts the parts together, passes news to them and wishes to the router.

Before `attach` it says that the router is starting. Dialogs are not its business: it only asks
for them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, assert_never

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gui.commands import Commands
from gui.failures import Action
from gui.look.icons import app_icon
from gui.look.theme import Theme
from gui.placing import open_at_size
from gui.presenting import present
from gui.trying.dialog import TryDialog
from gui.window.bringing import Bringing
from gui.window.empty_state import EmptyState
from gui.window.keyboard import Keyboard
from gui.window.notices import Notices
from gui.window.other_pages import OtherPages
from gui.window.places import Place
from gui.window.sidebar import Sidebar
from gui.window.starting_page import StartingPage
from gui.window.undo_bar import UndoBar
from gui.window.wishes import Wishes
from gui.window.workspace_page import WorkspacePage
from router.api.events import (
    ActivityRecorded,
    ApprovalsChanged,
    AttentionNeeded,
    ConfigAccepted,
    ConfigRejected,
    DiscoveryProgressed,
    Event,
    ListenerStateChanged,
    ListNotKept,
    PermissionRequested,
    PermissionResolved,
    ServerRemoved,
    ServerStatusChanged,
    SettingsApplied,
    TokensChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.api.router import RouterPort
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.servers import ServerStatus
from router.domain.tools import ToolView

P = ParamSpec("P")


class MainWindow(QMainWindow):
    add_server_requested = Signal()
    snippet_brought = Signal(str)
    """A text that may describe a server to add."""
    edit_server_requested = Signal(object)
    """The `ServerRef` to edit."""
    projects_requested = Signal(str)
    """The `WorkspaceId` whose projects are wanted."""
    scripts_requested = Signal()
    settings_requested = Signal()
    tokens_requested = Signal()
    guide_requested = Signal()
    import_requested = Signal(object)
    """The `Findings` to choose from."""

    def __init__(self, theme: Theme, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self._router: RouterPort | None = None
        self._wishes: Wishes | None = None
        self.sidebar = Sidebar()
        self.banners = Notices()
        self.page = WorkspacePage()
        self.empty = EmptyState()
        self.others: OtherPages | None = None
        self._place = Place.WORKSPACE
        self._starting = StartingPage()
        self._empty_page = QWidget()
        self._pages = QStackedWidget()
        self._lay_out()
        self.undo_bar = UndoBar(self)
        self.setWindowTitle("Toolbooth")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(980, 620)
        open_at_size(self, 1360, 900)
        bringing = Bringing(self)
        bringing.file_brought.connect(self._read_file)
        bringing.text_brought.connect(self.snippet_brought)
        self._connect()
        self._keyboard = Keyboard(self, self._wish(Wishes.refresh_all))
        theme.changed.connect(self.update)
        self.sidebar.show_listener(ListenerState(ListenerPhase.STARTING))

    def attach(self, router: RouterPort) -> None:
        """The router is there: show what it has."""
        for _ in self.attaching(router):
            pass

    def attaching(self, router: RouterPort) -> Generator[None]:
        """The same in steps, between which the window can live."""
        self._router = router
        self._wishes = Wishes(self, router, self._commands, self.undo_bar, self._fail)
        self.page.attach(router)
        self._show_listener(router.listener())
        yield
        self._add_other_pages(router)
        yield
        self._show_workspaces()
        self._look_for_servers(router)

    def go_to(self, place: Place) -> None:
        self._place = place
        self.sidebar.show_place(place)
        self._show_place()
        if place is Place.PLAYGROUND and self.others is not None:
            self.others.playground.focus_filter()  # There is nothing to see before one asks.

    def shown_page(self) -> QWidget:
        return self._pages.currentWidget() or self.page

    def show_error(self, error: ToolboothError) -> None:
        """Say in the window what went wrong."""
        self.banners.show_error(error)

    def show_no_router(self, error: ToolboothError) -> None:
        """There will be none: stop saying that it starts."""
        self.sidebar.show_listener(ListenerState(ListenerPhase.FAILED))
        self._starting.show_failure(error)

    def select_server(self, ref: ServerRef) -> None:
        """Show `ref` in detail, if it is one of the active workspace."""
        self.page.servers.clear_filter()
        self.page.servers.select(ref)

    # Building

    def _lay_out(self) -> None:
        for page in (self._starting, self._empty_page, self.page):
            self._pages.addWidget(page)
        framed = QVBoxLayout(self._empty_page)
        framed.setContentsMargins(20, 20, 20, 20)
        framed.addWidget(self.empty)
        self.banners.setContentsMargins(20, 16, 20, 0)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.banners)
        right.addWidget(self._pages, 1)
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addLayout(right, 1)
        # So that no control has the focus before a person gives it one.
        body.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCentralWidget(body)
        body.setFocus()

    def _connect(self) -> None:
        page, detail = self.page, self.page.detail
        self.banners.settings_requested.connect(self.settings_requested)
        self.sidebar.workspace_chosen.connect(self._go_to_workspace)
        self.sidebar.place_chosen.connect(self.go_to)
        self.sidebar.workspace_named.connect(self._wish(Wishes.create_workspace))
        self.sidebar.workspace_renamed.connect(self._wish(Wishes.rename_workspace))
        self.sidebar.workspace_removed.connect(self._wish(Wishes.remove_workspace))
        self.sidebar.projects_requested.connect(self.projects_requested)
        self.sidebar.scripts_requested.connect(self.scripts_requested)
        self.sidebar.settings_requested.connect(self.settings_requested)
        page.header.add_requested.connect(self.add_server_requested)
        page.header.refresh_requested.connect(self._wish(Wishes.refresh_all))
        page.header.optimization_chosen.connect(self._wish(Wishes.optimize))
        page.activity.page_requested.connect(lambda: self.go_to(Place.ACTIVITY))
        page.servers.toggled.connect(self._toggle)
        page.servers.action_requested.connect(self._act)
        detail.refresh_requested.connect(self._wish(Wishes.refresh))
        detail.edit_requested.connect(self.edit_server_requested)
        detail.remove_requested.connect(self._remove)
        detail.approve_requested.connect(self._wish(Wishes.approve))
        detail.sign_in_requested.connect(self._wish(Wishes.sign_in))
        detail.network_requested.connect(self._wish(Wishes.allow_network))
        detail.patience_requested.connect(self._wish(Wishes.wait_longer))
        detail.review_requested.connect(lambda: self.go_to(Place.NEEDS_YOU))
        detail.permission_chosen.connect(self._wish(Wishes.permit))
        detail.tools_approved.connect(self._wish(Wishes.approve_tools))
        detail.tool_permitted.connect(self._tick)
        detail.try_requested.connect(self._try_tool)
        self.empty.add_requested.connect(self.add_server_requested)
        self.empty.import_requested.connect(self.import_requested)
        self.empty.file_requested.connect(self._choose_file)

    def _add_other_pages(self, router: RouterPort) -> None:
        self.others = OtherPages(router, self._commands, self.sidebar, self)
        self.others.tokens_requested.connect(self.tokens_requested)
        self.others.guide_requested.connect(self.guide_requested)
        self.others.apps_counted.connect(self.page.show_connected)
        self.others.undo_offered.connect(self.undo_bar.offer)
        waiting = self.others.needs
        waiting.consent_given.connect(self._wish(Wishes.approve))
        waiting.sign_in_requested.connect(self._wish(Wishes.sign_in))
        waiting.tools_approved.connect(self._wish(Wishes.approve_tools))
        waiting.tool_blocked.connect(self._wish(Wishes.block_tool))
        self.others.hiding_requested.connect(self._wish(Wishes.hide_tool))
        self.others.pinning_requested.connect(self._wish(Wishes.pin_tool))
        self.others.made.connect(self._pages.addWidget)
        for page in (self.others.needs, self.others.apps):
            self._pages.addWidget(page)

    def _look_for_servers(self, router: RouterPort) -> None:
        """What other applications have, for the empty state to name."""
        self._commands.run(
            self,
            router.apps.find_servers(),
            on_done=self.empty.show_findings,
        )

    # News

    def handle(self, events: Sequence[Event]) -> None:
        """Show what happened."""
        for event in events:
            self._handle(event)
        if self.others is not None:
            self.others.handle(events)

    def _handle(self, event: Event) -> None:
        match event:
            case ServerStatusChanged(status):
                self.page.server_changed(status)
                self._show_workspaces()
            case ServerRemoved(ref):
                self.page.server_removed(ref)
                self._show_workspaces()
            case ToolsChanged(workspace, server):
                self.page.tools_changed(ServerRef(workspace, server))
            case DiscoveryProgressed(ref, step):
                self.page.discovery_progressed(ref, step)
            case ListNotKept(ref, reason):
                self.banners.show_unkept(ref, reason)
            case ActivityRecorded(entry):
                self.page.activity_recorded(entry)
            case ListenerStateChanged(state):
                self._show_listener(state)
            case WorkspaceSwitched() | WorkspacesChanged():
                self.page.reload()
                self._show_workspaces()
            case ConfigRejected(path, line, reason):
                self.banners.show_rejected(path, line, reason)
            case ConfigAccepted(path):
                self.banners.show_accepted(path)
            case (
                SettingsApplied()
                | TokensChanged()
                | AttentionNeeded()
                | PermissionRequested()
                | PermissionResolved()
                | ApprovalsChanged()
            ):
                pass  # What of it the window shows comes with an event of its own.
            case _:
                assert_never(event)

    def _show_workspaces(self) -> None:
        if self._router is not None:
            self.sidebar.show_workspaces(self._router.workspaces())
            self._show_place()

    def _show_place(self) -> None:
        if self.others is None:
            return
        elsewhere = self.others.show(self._place)
        empty = not self.page.servers.servers()
        workspace = self._empty_page if empty else self.page
        self._pages.setCurrentWidget(elsewhere or workspace)

    def _show_listener(self, state: ListenerState) -> None:
        self.sidebar.show_listener(state)
        self.banners.show_listener(state)

    # Wishes

    def _wish(self, wish: Callable[Concatenate[Wishes, P], None]) -> Callable[P, None]:
        """`wish` once there is a router to fulfil it."""

        def pass_on(*args: P.args, **kwargs: P.kwargs) -> None:
            if self._wishes is not None:
                wish(self._wishes, *args, **kwargs)

        return pass_on

    def _fail(self, error: ToolboothError) -> None:
        """Say so, and show again what holds: a switch may have moved in vain."""
        self.show_error(error)
        self.page.reload()

    def _toggle(self, ref: ServerRef, enabled: bool) -> None:
        self._about(ref, lambda wishes, status: wishes.set_enabled(status, enabled))

    def _remove(self, ref: ServerRef) -> None:
        self._about(ref, lambda wishes, status: wishes.remove(status))

    def _about(self, ref: ServerRef, wish: Callable[[Wishes, ServerStatus], None]) -> None:
        status = self.page.status(ref)
        if self._wishes is not None and status is not None:
            wish(self._wishes, status)

    def _act(self, ref: ServerRef) -> None:
        """Do what the button in the server's row says."""
        status = self.page.status(ref)
        offer = present(status).offer if status is not None else None
        if offer is None:
            return
        match offer.action:
            case Action.EDIT:
                self.edit_server_requested.emit(ref)
            case Action.RETRY:
                self._wish(Wishes.refresh)(ref)
            case Action.SIGN_IN:
                self._wish(Wishes.sign_in)(ref)
            case Action.ALLOW_NETWORK:
                self._wish(Wishes.allow_network)(ref)
            case Action.REVIEW:
                self.page.servers.select(ref)
            case Action.REVIEW_TOOLS:
                self.go_to(Place.NEEDS_YOU)
            case _:
                assert_never(offer.action)

    def _try_tool(self, tool: ToolView | None) -> None:
        if self._router is not None and tool is not None:
            workspace = self._router.active_workspace()
            TryDialog(self._router, self._commands, workspace, tool, self).open()

    def _tick(self, key: ToolKey, permitted: bool) -> None:
        self._wish(Wishes.permit)(key, Permission.ALLOW if permitted else Permission.DENY)

    def _go_to_workspace(self, workspace: WorkspaceId) -> None:
        self.go_to(Place.WORKSPACE)
        self._wish(Wishes.switch_workspace)(workspace)

    def _choose_file(self) -> None:
        kinds = "JSON, TOML, YAML (*.json *.jsonc *.toml *.yaml *.yml)"
        dialog = QFileDialog(self, self.tr("Import servers"), str(Path.home()), kinds)
        dialog.fileSelected.connect(self._read_named)
        dialog.open()

    def _read_named(self, path: str) -> None:
        self._read_file(Path(path))

    def _read_file(self, path: Path) -> None:
        """Offer what is in it; nothing is added before the person has seen it."""
        if self._wishes is not None:
            self._wishes.read_file(path, self.import_requested.emit)
