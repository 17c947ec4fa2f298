"""The sidebar: workspaces, pages, the router's address, settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, get_args

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLineEdit, QMenu, QWidget

from gui.link.event_bridge import EventBridge
from gui.main_window.page import ICONS, Page
from gui.text.marks import listener_text
from gui.widgets import fonts, icons, paint
from gui.widgets.buttons import CopyButton, IconButton
from gui.widgets.cards import Card
from gui.widgets.icons import menu_icon
from gui.widgets.labels import ElidedLabel, label, section_label
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, hbox, in_widget, vbox
from gui.widgets.scroll_area import ScrollColumn
from gui.widgets.sidebar_row import SidebarRow
from gui.widgets.status_mark import StatusMark
from gui.widgets.theme import theme
from gui.widgets.tooltip import set_tooltip
from router.api.events import (
    ListenerStateChanged,
    ServerRemoved,
    ServerStatusChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.api.router import RouterPort
from router.domain.endpoint import ListenerState
from router.domain.ids import WorkspaceId
from router.domain.workspaces import WorkspaceSummary

WIDTH = 228
_Counted: TypeAlias = ServerStatusChanged | ServerRemoved | WorkspaceSwitched | WorkspacesChanged


class Sidebar(QFrame):
    page_chosen = Signal(object)
    """A `Page` other than a workspace."""
    workspace_chosen = Signal(str)
    workspace_named = Signal(str)
    """The name of a workspace to create."""
    workspace_renamed = Signal(str, str)
    """A `WorkspaceId`, and its new name."""
    workspace_removed = Signal(object)
    """The `WorkspaceSummary`."""
    projects_requested = Signal(str)
    """The `WorkspaceId` whose projects to show."""
    scripts_requested = Signal()
    settings_requested = Signal()
    _router: RouterPort
    """Exists from `attach` on."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "sidebar")
        self.setFixedWidth(WIDTH)
        self._rows = vbox(spacing=2)
        self._workspace_rows: dict[WorkspaceId, SidebarRow] = {}
        self.page = Page.WORKSPACE
        self._workspaces: tuple[WorkspaceSummary, ...] = ()
        self._naming = _NameField(self.tr("New workspace name"))
        self._naming.left.connect(self.focus_rows)
        self._router_card = RouterCard()
        self._manage = {
            Page.ATTENTION: self._manage_row(Page.ATTENTION, self.tr("Needs attention")),
            Page.PLAYGROUND: self._manage_row(Page.PLAYGROUND, self.tr("Search playground")),
            Page.APPS: self._manage_row(Page.APPS, self.tr("Connected apps")),
            Page.ACTIVITY: self._manage_row(Page.ACTIVITY, self.tr("Activity")),
        }
        self._lay_out()

    def _lay_out(self) -> None:
        settings = SidebarRow(self.tr("Settings"), "settings", on_click=self.settings_requested)
        set_tooltip(settings, self.tr("Settings (Ctrl+,)"))
        vbox(
            _Brand(),
            self._heading(),
            (self._scrolled_rows(), 1),
            8,
            self._router_card,
            8,
            settings,
            spacing=0,
            margins=(12, 0, 12, 12),
            parent=self,
        )

    def _scrolled_rows(self) -> ScrollColumn:
        manage = section_label(self.tr("Manage"))
        manage.setContentsMargins(10, 0, 0, 8)
        open_scripts = self.scripts_requested
        scripts = SidebarRow(self.tr("Scripts…"), "square-terminal", on_click=open_scripts)
        rows = (self._rows, self._naming, 18, manage, *self._manage.values(), scripts, STRETCH)
        return ScrollColumn(*rows, spacing=2)

    def _heading(self) -> QHBoxLayout:
        add = IconButton("plus", self.tr("New workspace"), size=26, on_click=self._start_naming)
        return hbox(section_label(self.tr("Workspaces")), STRETCH, add, margins=(10, 3, 0, 3))

    def attach(self, router: RouterPort, bridge: EventBridge) -> None:
        """Show the router's workspaces and listener, now and after each change."""
        self._router = router
        bridge.subscribe(self, self._on_workspaces, *get_args(_Counted))
        bridge.subscribe(self, self._on_listener, ListenerStateChanged)
        self.show_listener(router.endpoint.state())
        self.show_workspaces(router.workspaces.list())

    def _on_workspaces(self, _: object) -> None:
        self.show_workspaces(self._router.workspaces.list())

    def _on_listener(self, events: Sequence[ListenerStateChanged]) -> None:
        self.show_listener(events[-1].state)

    def show_workspaces(self, workspaces: Sequence[WorkspaceSummary]) -> None:
        if tuple(workspaces) == self._workspaces:
            return
        focused = self._focused_workspace()
        clear(self._rows)
        self._workspace_rows.clear()
        self._workspaces = tuple(workspaces)
        for workspace in workspaces:
            self._rows.addWidget(self._workspace_row(workspace))
            if focused and (workspace.active if focused.active else workspace.id == focused.id):
                row = self._workspace_rows[workspace.id]
                row.show()  # A hidden row can't have the focus.
                row.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.show_page(self.page)

    def show_page(self, page: Page) -> None:
        """Mark the row of `page`; of the workspace page, that of the active workspace."""
        self.page = page
        for known, row in self._manage.items():
            row.setChecked(known is page)
        for workspace in self._workspaces:
            row = self._workspace_rows[workspace.id]
            row.setChecked(page is Page.WORKSPACE and workspace.active)

    def show_attention_count(self, count: int) -> None:
        self._manage[Page.ATTENTION].show_count(count or None, urgent=True)

    def show_app_count(self, count: int) -> None:
        self._manage[Page.APPS].show_count(count or None)

    def show_listener(self, state: ListenerState) -> None:
        self._router_card.show_state(state)

    def choose(self, position: int) -> None:
        """Choose the workspace at `position`, counted from 0, if there is one."""
        if position < len(self._workspaces):
            self.workspace_chosen.emit(self._workspaces[position].id)

    def rename(self, workspace: WorkspaceId) -> None:
        """Ask for another name, in place."""
        name = next(w.name for w in self._workspaces if w.id == workspace)
        self._naming.start(name, partial(self.workspace_renamed.emit, workspace))

    def focus_rows(self) -> None:
        rows = (*self._workspace_rows.values(), *self._manage.values())
        current = next((row for row in rows if row.isChecked()), None)
        if current is not None:
            current.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focused_workspace(self) -> WorkspaceSummary | None:
        """The workspace whose row has the focus, which stays there, or with the active one."""
        focus = QApplication.focusWidget()
        rows = ((w, self._workspace_rows[w.id]) for w in self._workspaces)
        return next((w for w, row in rows if focus and row in (focus, focus.parent())), None)

    def _workspace_row(self, workspace: WorkspaceSummary) -> SidebarRow:
        row = SidebarRow(workspace.name, on_click=lambda: self._choose_workspace(workspace.id))
        row.show_count(workspace.server_count)
        servers = self.tr("%n servers", "", workspace.server_count)
        row.setAccessibleName(f"{workspace.name}, {servers}")
        row.setCheckable(True)
        self._workspace_rows[workspace.id] = row
        row.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        row.customContextMenuRequested.connect(lambda: self._open_menu(row, workspace))
        gear = row.add_action(
            "settings", self.tr("Projects…"), lambda: self.projects_requested.emit(workspace.id)
        )
        gear.setAccessibleDescription(workspace.name)
        hint = self.tr("Right-click or press the Menu key to rename or remove it")
        set_tooltip(row, f"{workspace.name}\n{hint}")  # A long name is cut in the row.
        return row

    def _open_menu(self, row: SidebarRow, workspace: WorkspaceSummary) -> None:
        menu = QMenu(row)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        show_projects = partial(self.projects_requested.emit, workspace.id)
        menu.addAction(menu_icon("layers"), self.tr("Projects…"), show_projects)
        rename = partial(self.rename, workspace.id)
        menu.addAction(menu_icon("pencil"), self.tr("Rename…"), rename)
        remove = partial(self.workspace_removed.emit, workspace)
        action = menu.addAction(menu_icon("trash-2", "err"), self.tr("Remove"), remove)
        action.setEnabled(len(self._workspaces) > 1)
        menu.popup(row.mapToGlobal(row.rect().bottomLeft()))

    def _start_naming(self) -> None:
        self._naming.start("", self.workspace_named.emit)

    def _choose_workspace(self, workspace: str) -> None:
        self.show_page(self.page)  # The click has toggled the row.
        self.workspace_chosen.emit(workspace)

    def _manage_row(self, page: Page, text: str) -> SidebarRow:
        row = SidebarRow(text, ICONS[page], on_click=lambda: self._choose_page(page))
        row.setCheckable(True)
        return row

    def _choose_page(self, page: Page) -> None:
        self.show_page(page)
        self.page_chosen.emit(page)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        super().paintEvent(event)
        edge = QRectF(self.width() - 1, 0, 1, self.height())
        QPainter(self).fillRect(edge, theme().palette.color("border"))


class RouterCard(Card):
    """Whether the router serves, and where; at the foot of the sidebar."""

    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._mark = StatusMark(size=14)
        self._state = label(font=fonts.semibold(fonts.SMALL))
        self._address = ElidedLabel(font=fonts.mono_font(), tint="text2")
        copy = CopyButton(self.tr("Copy router address"), lambda: self._url)
        self._where = in_widget(hbox((self._address, 1), copy, spacing=4, margins=NO_MARGINS))
        top = hbox(self._mark, (self._state, 1), spacing=7)
        vbox(top, self._where, spacing=0, margins=(12, 10, 6, 5), parent=self)

    def show_state(self, state: ListenerState) -> None:
        text, mark = listener_text(state.phase)
        self._mark.set_mark(mark)
        self._state.setText(text)
        self._url = state.url or ""
        self._address.setText(self._url.partition("://")[2])
        self._where.setVisible(bool(self._url))


class _Brand(QWidget):
    """Logo and name, 60 high."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(60)
        self.setAccessibleName("Toolbooth")

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        with paint.saved(painter):
            icons.draw_logo(painter, QRectF(6, 18, 24, 24))
        name = QRectF(40, 18, self.width() - 40, 24)
        paint.draw_text(painter, name, "Toolbooth", fonts.semibold(14), "text1")


class _NameField(QLineEdit):
    """Asks for a name in place; Enter takes it, Escape or leaving it drops it."""

    left = Signal()
    """Closed by a key: nothing has the focus now."""

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setPlaceholderText(accessible_name)
        self.setMaxLength(80)
        self._on_name: Callable[[str], object] = str
        self.returnPressed.connect(self._take)
        self.editingFinished.connect(self.hide)
        self.hide()

    def start(self, text: str, on_name: Callable[[str], object]) -> None:
        """Ask, with `text` to begin with; the name goes to `on_name`."""
        self._on_name = on_name
        self.setText(text)
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def event(self, event: QEvent, /) -> bool:
        # Before the window's own shortcut for Escape sees it.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            self._leave()
            return True
        return super().event(event)

    def _take(self) -> None:
        if name := self.text().strip():
            self._on_name(name)
        self._leave()

    def _leave(self) -> None:
        self.hide()
        self.left.emit()
