"""The projects of a workspace: their list, and one in detail. Every change applies at once and can
be undone until the dialog closes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from gui.dialogs.projects.changes import ProjectChanges
from gui.dialogs.projects.options_tab import OptionsTab
from gui.dialogs.projects.permissions_tab import PermissionsTab
from gui.dialogs.projects.rules_tab import RulesTab
from gui.dialogs.projects.servers_tab import ServersTab
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, IconButton
from gui.widgets.cards import hline
from gui.widgets.dialog import ChangesDialog, sidebar
from gui.widgets.input_fields import line_edit
from gui.widgets.labels import ElidedLabel, section_label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, hbox, vbox
from gui.widgets.sidebar_row import SidebarRow
from gui.widgets.tab_strip import TabStrip
from gui.widgets.window_size import open_at_size
from router.api.router import RouterPort
from router.domain.errors import NotFound
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.workspaces import ProjectSummary

PADDING = 24


class ProjectsDialog(ChangesDialog):
    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        bridge: EventBridge,
        workspace: WorkspaceId,
        parent: QWidget | None,
    ) -> None:
        self.changes = ProjectChanges(router, commands, workspace)
        super().__init__(self.changes, bridge, PADDING, parent)
        self.changes.setParent(self)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._router, self._workspace = router, workspace
        self._project: ProjectId | None = None
        self._new = _name_field(self.tr("New project name"), self.tr("New project…"))
        self._name = _name_field(self.tr("Project name"))
        self._name.setFont(fonts.semibold(16))
        self._address = ElidedLabel(font=fonts.mono_font(), tint="text2")
        self._copy = CopyButton(self.tr("Copy project URL"), self._address.text)
        self._remove = IconButton(
            "trash-2", self.tr("Remove project"), bordered=True, on_click=self._remove_project
        )
        self._panes = {
            self.tr("Context Optimization"): OptionsTab(router, workspace, self.changes),
            self.tr("Servers"): ServersTab(router, workspace, self.changes),
            self.tr("Permissions"): PermissionsTab(router, workspace, self.changes),
            self.tr("Rules"): RulesTab(router, workspace, self.changes),
        }
        self._tabs = TabStrip(self.tr("Project sections"), tuple(self._panes))
        self._stack = QStackedWidget()
        self._list = vbox(spacing=2)
        self._new.returnPressed.connect(self._create)
        self._name.editingFinished.connect(self._rename)
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._lay_out()
        self.setWindowTitle(self.tr("Projects of {name}").format(name=self._workspace_name()))
        self.setMinimumSize(760, 520)
        open_at_size(self, 900, 640)
        self.show_state()
        self.setFocus()  # No field has the focus at first.

    def choose(self, project: ProjectId | None) -> None:
        self._project = project
        self.show_state()

    def go_to_tab(self, position: int) -> None:
        self._tabs.setCurrentIndex(position)

    def show_state(self) -> None:
        """Show the present state; the workspace defaults if the shown one was removed."""
        try:
            projects = self._router.projects.list(self._workspace)
        except NotFound:  # The whole workspace was removed meanwhile.
            self.reject()
            return
        if self._project not in (each.id for each in projects):
            self._project = None
        self._show_list(projects)
        self._show_head(next(each for each in projects if each.id == self._project))
        for pane in self._panes.values():
            pane.show_project(self._project)

    # Building

    def _lay_out(self) -> None:
        for pane in self._panes.values():
            self._stack.addWidget(pane)
        body = vbox(
            self._head(),
            8,
            self._tabs,
            hline(),
            14,
            (self._stack, 1),
            spacing=0,
            margins=(PADDING, 16, PADDING, 0),
        )
        right = vbox((body, 1), self.footer, spacing=4)
        hbox(self._side(), (right, 1), spacing=0, margins=NO_MARGINS, parent=self)

    def _side(self) -> QFrame:
        heading = section_label(self.tr("Projects"))
        heading.setContentsMargins(10, 0, 0, 4)
        return sidebar(
            heading,
            self._list,
            8,
            self._new,
            6,
            wrapped(self.tr("Each project has its own URL, servers and permissions.")),
            STRETCH,
            margins=(12, 18, 12, 12),
        )

    def _head(self) -> QVBoxLayout:
        name = hbox((self._name, 1), self._remove, spacing=8)
        address = hbox((self._address, 1), self._copy, spacing=8, margins=(2, 0, 2, 0))
        return vbox(name, address, spacing=4)

    # Showing

    def _show_list(self, projects: Sequence[ProjectSummary]) -> None:
        clear(self._list)
        for project in projects:
            icon_name = "layers" if project.id is None else ""
            row = SidebarRow(self._title(project), icon_name=icon_name)
            row.setCheckable(True)
            row.setChecked(project.id == self._project)
            row.clicked.connect(lambda _=False, each=project.id: self.choose(each))
            self._list.addWidget(row)

    def _show_head(self, project: ProjectSummary) -> None:
        if not self._name.hasFocus() or not self._name.isModified():
            self._name.setText(self._title(project))
        named = project.id is not None
        self._name.setEnabled(named)
        self._remove.setVisible(named)
        self._address.setText(self._address_of(project))

    def _title(self, project: ProjectSummary) -> str:
        return project.name if project.id is not None else self.tr("Workspace defaults")

    def _address_of(self, project: ProjectSummary) -> str:
        base = f"{self._router.endpoint.state().url or ''}/w/{self._workspace}"
        return base if project.id is None else f"{base}/p/{project.id}"

    def _workspace_name(self) -> str:
        named = (w.name for w in self._router.workspaces.list() if w.id == self._workspace)
        return next(named, str(self._workspace))

    # Doing

    def _create(self) -> None:
        if name := self._new.text().strip():
            self._new.clear()
            self.changes.create(name, self._choose_new)

    def _choose_new(self, project: ProjectId) -> None:
        self._project = project  # Shown with the next state, which has it.

    def _rename(self) -> None:
        name = self._name.text().strip()
        self._name.setModified(False)
        if self._project is not None and name:
            self.changes.change(self._project, name=name)

    def _remove_project(self) -> None:
        if self._project is not None:
            self.changes.remove(self._project)


def _name_field(accessible_name: str, placeholder: str = "") -> QLineEdit:
    field = line_edit(accessible_name, placeholder)
    field.setMaxLength(80)
    return field
