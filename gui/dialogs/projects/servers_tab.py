"""Which servers a project has: all of the workspace, later ones included, or chosen ones."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.dialogs.projects.changes import ProjectChanges
from gui.text.server_row import short_target
from gui.widgets import fonts
from gui.widgets.buttons import Toggle
from gui.widgets.cards import RowCard
from gui.widgets.labels import ElidedLabel, Tile, label
from gui.widgets.layouts import STRETCH, row_widget, vbox
from gui.widgets.scroll_area import ScrollColumn
from router.api.router import RouterPort
from router.domain.ids import ProjectId, ServerId, WorkspaceId
from router.domain.servers import ServerStatus


class ServersTab(ScrollColumn):
    def __init__(self, router: RouterPort, workspace: WorkspaceId, changes: ProjectChanges) -> None:
        super().__init__()
        self._router, self._workspace, self._changes = router, workspace, changes
        self._project: ProjectId | None = None

    def show_project(self, project: ProjectId | None) -> None:
        self._project = project
        chosen = self._changes.config(project).servers
        servers = self._router.servers.list(self._workspace)
        listed = self._servers(servers, chosen) if servers else None
        self.replace(self._everything(chosen is None), listed, STRETCH)

    def _everything(self, on: bool) -> RowCard:
        title = self.tr("All servers of the workspace")
        toggle = Toggle(title, checked=on, on_click=self._choose_all)
        toggle.setEnabled(self._project is not None)
        card = RowCard()
        description = (
            self.tr("Including servers added later.")
            if self._project is not None
            else self.tr("Apps without a project can use all of them.")
        )
        card.add_row(title, description, toggle)
        return card

    def _servers(
        self, servers: tuple[ServerStatus, ...], chosen: tuple[ServerId, ...] | None
    ) -> RowCard:
        card = RowCard()
        for status in servers:
            toggle = Toggle(
                status.name,
                checked=chosen is None or status.id in chosen,
                on_click=lambda on, server=status.id: self._choose(server, on),
            )
            toggle.setEnabled(chosen is not None)
            card.add_widget(self._row(status, toggle))
        return card

    def _row(self, status: ServerStatus, toggle: Toggle) -> QWidget:
        target = ElidedLabel(short_target(status), font=fonts.ui_font(fonts.SMALL), tint="text2")
        texts = vbox(label(status.name, font=fonts.medium()), target, spacing=1)
        known = status.tool_count is not None
        text = self.tr("%n tools", "", status.tool_count or 0)
        count = label(text, font=fonts.ui_font(fonts.SMALL), tint="text2") if known else None
        return row_widget(Tile(status.name), (texts, 1), count, toggle, margins=(0, 8, 0, 8))

    def _choose_all(self, on: bool) -> None:
        servers = tuple(status.id for status in self._router.servers.list(self._workspace))
        self._changes.change(self._project, servers=None if on else servers)

    def _choose(self, server: ServerId, on: bool) -> None:
        before = self._changes.config(self._project).servers or ()
        others = tuple(each for each in before if each != server)
        self._changes.change(self._project, servers=(*others, server) if on else others)
