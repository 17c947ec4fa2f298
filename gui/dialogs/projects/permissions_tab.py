"""The permission of each tool in a project: set for this tool, or by the rules."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gui.components.tool_list import ToolList
from gui.dialogs.projects.changes import ProjectChanges
from gui.dialogs.projects.rules_tab import permission_text
from gui.text.marks import effect_badge
from gui.widgets import fonts
from gui.widgets.buttons import Segmented, link_button
from gui.widgets.cards import Card, vline
from gui.widgets.labels import ElidedLabel, Pill, label, wrapped
from gui.widgets.layouts import STRETCH, hbox, vbox
from router.api.router import RouterPort
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.tools import ToolView

_LIST_WIDTH = 300


class PermissionsTab(Card):
    """Ticking a tool allows it; the pane at the right has all permissions."""

    def __init__(self, router: RouterPort, workspace: WorkspaceId, changes: ProjectChanges) -> None:
        super().__init__()
        self._router, self._workspace, self._changes = router, workspace, changes
        self._project: ProjectId | None = None
        self._tool: ToolView | None = None
        self._list = ToolList()
        self._list.setFixedWidth(_LIST_WIDTH)
        self._list.selected.connect(self._show_tool)
        self._list.permitted.connect(self._tick)
        self._name = ElidedLabel(font=fonts.mono_font(14), elide=Qt.TextElideMode.ElideMiddle)
        self._effect = Pill()
        self._about = wrapped("")
        self._access = Segmented(
            self.tr("Access"),
            tuple((each, permission_text(each)) for each in Permission),
            on_change=self._choose,
        )
        self._why = wrapped("")
        self._inherit = link_button(self.tr("Use rules"), on_click=self._use_rules)
        self._lay_out()

    def show_project(self, project: ProjectId | None) -> None:
        self._project = project
        self._list.set_tools(tuple(self._tools()))

    def _lay_out(self) -> None:
        title = hbox((self._name, 1), self._effect, spacing=8)
        access = hbox(
            label(self.tr("Access"), font=fonts.medium()), self._access, STRETCH, spacing=12
        )
        self._pane = QWidget()
        vbox(
            title,
            self._about,
            4,
            access,
            self._why,
            (self._inherit, 0, Qt.AlignmentFlag.AlignLeft),
            STRETCH,
            spacing=10,
            margins=(18, 16, 18, 14),
            parent=self._pane,
        )
        hbox(self._list, vline(), (self._pane, 1), spacing=0, margins=(1, 1, 1, 1), parent=self)

    def _tools(self) -> Iterator[ToolView]:
        """The tools of the project's servers, with their permissions in this project."""
        permissions = self._router.projects.permissions(self._workspace, self._project)
        for status in self._router.servers.list(self._workspace):
            for tool in self._router.tools.list(status.ref):
                if tool.key in permissions:
                    description = f"{status.name} · {tool.description}"
                    yield tool._replace(permission=permissions[tool.key], description=description)

    def _show_tool(self, tool: ToolView | None) -> None:
        self._tool = tool
        self._pane.setVisible(tool is not None)
        if tool is None:
            return
        own = str(tool.key) in self._own()
        badge = effect_badge(tool.effect)
        self._effect.setVisible(badge is not None)
        if badge is not None:
            self._effect.show_as(*badge)
        self._name.setText(tool.key.shown)
        self._about.setText(tool.description)
        self._access.set_current(tool.permission)
        self._inherit.setVisible(own)
        self._why.setText(
            self.tr("Set for this tool only.")
            if own
            else self.tr("Uses the project’s rules, then the workspace’s.")
        )

    def _own(self) -> dict[str, Permission]:
        """The permissions that are set for single tools."""
        return dict(self._changes.config(self._project).permissions)

    def _set(self, key: ToolKey, permission: Permission) -> None:
        self._changes.change(self._project, permissions={**self._own(), str(key): permission})

    def _choose(self, permission: str) -> None:
        if self._tool is not None:
            self._set(self._tool.key, Permission(permission))

    def _tick(self, key: ToolKey, allowed: bool) -> None:
        self._set(key, Permission.ALLOW if allowed else Permission.DENY)

    def _use_rules(self) -> None:
        if self._tool is not None:
            others = self._own()
            others.pop(str(self._tool.key), None)
            self._changes.change(self._project, permissions=others)
