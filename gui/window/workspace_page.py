"""What the main window shows of a workspace: header, savings, servers, one in detail, activity.

Fills itself from the router's queries; wishes of the person leave by the signals of its parts.
What it shows may be removed at any moment, before the event that says so: then it shows what the
router has made the active one instead.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui.activity import card
from gui.activity.card import ActivityList
from gui.apps.presenting import connected_count
from gui.presenting import overview
from gui.window.header import Header
from gui.window.savings_card import SavingsCard
from gui.window.server_detail import ServerDetail
from gui.window.server_list import ServerList
from router.api.router import RouterPort
from router.domain.activity import ActivityEntry
from router.domain.errors import NotFound
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.servers import DiscoveryStatus, DiscoveryStep, ServerStatus

SAVINGS_MS = 1000
AGE_MS = 30_000
_GAP = 12
_ENDED = (DiscoveryStep.COMPLETE, DiscoveryStep.FAILED)


class WorkspacePage(QWidget):
    """Shows nothing until `attach`; then the active workspace, as of the last `reload`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._router: RouterPort | None = None
        self._workspace: WorkspaceId | None = None
        self._connected_apps = 0
        self.header = Header()
        self.savings = SavingsCard()
        self.servers = ServerList()
        self.detail = ServerDetail()
        self.activity = ActivityList()
        self.servers.selected.connect(self._show_server)
        self._savings_due = QTimer(self, interval=SAVINGS_MS, singleShot=True)
        self._savings_due.timeout.connect(self._show_savings)
        self._aging = QTimer(self, interval=AGE_MS)
        self._aging.timeout.connect(self.detail.show_age)
        self._lay_out()

    def _lay_out(self) -> None:
        self.servers.setMinimumWidth(208)
        self.detail.setMinimumWidth(488)
        self.activity.setMinimumHeight(120)
        across = _splitter(Qt.Orientation.Horizontal, self.servers, self.detail)
        across.setSizes([364, 709])
        down = _splitter(Qt.Orientation.Vertical, across, self.activity)
        down.setSizes([468, card.HEIGHT])
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 0, 20, 20)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.savings)
        column.addSpacing(_GAP)
        column.addWidget(down, 1)

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._connected_apps = connected_count((), router.tokens.list())
        self.activity.set_entries(router.activity.recent())
        self._aging.start()
        self.reload()

    def reload(self) -> None:
        """Show the active workspace as it is now."""
        if self._router is None:
            return
        self._workspace = self._router.workspaces.active()
        with suppress(NotFound):  # Removed this moment; the event that says so is on its way.
            self.servers.set_servers(self._router.servers.list(self._workspace))
        self._show_header()
        self._show_savings()

    def status(self, ref: ServerRef) -> ServerStatus | None:
        return next((status for status in self.servers.servers() if status.ref == ref), None)

    # News

    def server_changed(self, status: ServerStatus) -> None:
        self._follow()
        if status.workspace == self._workspace:
            self.servers.upsert(status)
            self._show_header()
            if status.ref == self.servers.current():
                self._show_server(status.ref)

    def server_removed(self, ref: ServerRef) -> None:
        self._follow()
        if ref.workspace == self._workspace:
            self.servers.remove(ref)
            self._show_header()
            self._show_savings()

    def tools_changed(self, ref: ServerRef) -> None:
        self._follow()
        if ref == self.servers.current():
            self._show_server(ref)
        if ref.workspace == self._workspace:
            self._show_header()
            self._savings_soon()

    def discovery_progressed(self, ref: ServerRef, step: DiscoveryStep) -> None:
        """Its end is left to the status, which says how it ended."""
        status = self.status(ref)
        if status is None or status.discovery is not DiscoveryStatus.DISCOVERING:
            return
        if step not in _ENDED:
            self.server_changed(replace(status, step=step))

    def activity_recorded(self, entry: ActivityEntry) -> None:
        self.activity.add(entry)
        self._savings_soon()

    def show_connected(self, apps: int) -> None:
        self._connected_apps = apps
        self._show_header()

    def _follow(self) -> None:
        """A workspace is gone before its servers' ends are told: leave it as soon as it is."""
        if self._router is not None and self._router.workspaces.active() != self._workspace:
            self.reload()

    # Showing

    def _show_server(self, ref: ServerRef | None) -> None:
        status = self.status(ref) if ref is not None else None
        self.detail.setEnabled(status is not None)
        if status is None or self._router is None:
            return
        with suppress(NotFound):
            self.detail.show_server(status, self._router.servers.config(status.ref))
            self.detail.set_concerns(self._router.servers.secret_concerns(status.ref))
            self.detail.set_receipt(self._router.discovery.receipt(status.ref))
            self.detail.set_tools(self._router.tools.list(status.ref))
            self.detail.set_offers(self._router.servers.offers(status.ref))
            self.detail.log.show_log(partial(self._router.servers.log, status.ref))

    def _show_header(self) -> None:
        if self._router is None or self._workspace is None:
            return
        names = {workspace.id: workspace.name for workspace in self._router.workspaces.list()}
        counts, attention = overview(self.servers.servers(), self._connected_apps)
        self.header.show_workspace(names.get(self._workspace, ""), counts, attention)
        with suppress(NotFound):
            unassigned = self._router.projects.list(self._workspace)[0]
            self.header.show_optimization(unassigned.optimization)

    def _savings_soon(self) -> None:
        """Counting costs the router something: once a second is enough."""
        if not self._savings_due.isActive():
            self._savings_due.start()

    def _show_savings(self) -> None:
        if self._router is not None and self._workspace is not None:
            with suppress(NotFound):
                self.savings.show_savings(self._router.activity.savings(self._workspace))


def _splitter(orientation: Qt.Orientation, first: QWidget, second: QWidget) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setHandleWidth(_GAP)
    splitter.setChildrenCollapsible(False)
    splitter.addWidget(first)
    splitter.addWidget(second)
    across = orientation == Qt.Orientation.Horizontal
    splitter.setStretchFactor(0, 34 if across else 69)
    splitter.setStretchFactor(1, 66 if across else 31)
    return splitter
