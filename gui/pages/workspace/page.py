"""The workspace page: header, savings, servers, one of them in detail, recent activity.

Filled by the router's queries, kept up to date by its events. The workspace may be removed before
the event that says so arrives; the page then follows the router to the active one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias, assert_never, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from gui.components.actions import Actions
from gui.components.apps.app_row import connected_count
from gui.link.event_bridge import EventBridge
from gui.pages.workspace import activity_card
from gui.pages.workspace.activity_card import ActivityCard
from gui.pages.workspace.header import Header
from gui.pages.workspace.savings_card import SavingsCard
from gui.pages.workspace.server_detail import ServerDetail
from gui.pages.workspace.server_list import ServerList
from gui.text.errors import Action
from gui.text.server_row import overview, present
from gui.widgets.layouts import vbox
from gui.widgets.timers import timer
from router.api.events import (
    ActivityRecorded,
    CatalogChanged,
    DiscoveryProgressed,
    ServerRemoved,
    ServerStatusChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.api.router import RouterPort
from router.domain.errors import NotFound
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.servers import DiscoveryStatus, DiscoveryStep, ServerStatus

SAVINGS_MS = 1000
AGE_MS = 30_000
_GAP = 12
_Shown: TypeAlias = CatalogChanged | DiscoveryProgressed | ActivityRecorded
_ENDED = (DiscoveryStep.COMPLETE, DiscoveryStep.FAILED)


class WorkspacePage(QWidget):
    """Shows nothing until `attach`, then the active workspace."""

    edit_requested = Signal(object)
    """The `ServerRef` to edit."""
    attention_requested = Signal(object)
    """The `ServerRef` whose tools need a review."""
    servers_changed = Signal()
    """The list of servers may have become empty, or no longer be."""
    _router: RouterPort
    _workspace: WorkspaceId
    """These exist from `attach` on."""

    def __init__(self) -> None:
        super().__init__()
        self._connected_apps = 0
        self.header = Header()
        self.savings = SavingsCard()
        self.servers = ServerList()
        self.detail = ServerDetail()
        self.activity = ActivityCard()
        self.servers.selected.connect(self._show_server)
        self._savings_due = timer(self, SAVINGS_MS, self._show_savings)
        self._aging = timer(self, AGE_MS, self.detail.show_age, repeat=True)
        self._lay_out()

    def _lay_out(self) -> None:
        self.servers.setMinimumWidth(208)
        self.detail.setMinimumWidth(488)
        self.activity.setMinimumHeight(120)
        across = _splitter(Qt.Orientation.Horizontal, self.servers, self.detail)
        across.setSizes([364, 709])
        down = _splitter(Qt.Orientation.Vertical, across, self.activity)
        down.setSizes([468, activity_card.HEIGHT])
        vbox(
            self.header,
            self.savings,
            _GAP,
            (down, 1),
            spacing=0,
            margins=(20, 0, 20, 20),
            parent=self,
        )

    def attach(self, router: RouterPort, bridge: EventBridge, actions: Actions) -> None:
        self._router = router
        self._connect(actions)
        bridge.subscribe(self, self._on_events, *get_args(_Shown))
        self._connected_apps = connected_count((), router.tokens.list())
        self.activity.model.set_entries(router.activity.recent())
        self._aging.start()
        self.reload()

    def reload(self) -> None:
        """Show the present state of the active workspace."""
        self._workspace = self._router.workspaces.active()
        with suppress(NotFound):  # Just removed; the event that says so is on its way.
            self.servers.set_servers(self._router.servers.list(self._workspace))
        self._show_header()
        self._show_savings()
        self.servers_changed.emit()

    def status(self, ref: ServerRef) -> ServerStatus | None:
        return next((status for status in self.servers.servers() if status.ref == ref), None)

    # Actions

    def _connect(self, actions: Actions) -> None:
        detail = self.detail
        self.header.refresh_requested.connect(actions.refresh_all)
        self.header.optimization_chosen.connect(actions.optimize)
        self.servers.toggled.connect(partial(self._toggle, actions))
        self.servers.action_requested.connect(partial(self._remedy, actions))
        detail.action_requested.connect(partial(self._act, actions))
        detail.remove_requested.connect(partial(self._remove, actions))
        detail.approve_requested.connect(actions.grant_consent)
        detail.longer_timeout_requested.connect(actions.double_timeout)
        detail.permission_chosen.connect(actions.permit)
        detail.tools_approved.connect(actions.approve_tools)
        detail.findings_dismissed.connect(actions.dismiss_findings)

    def _toggle(self, actions: Actions, ref: ServerRef, enabled: bool) -> None:
        if (status := self.status(ref)) is not None:
            actions.set_enabled(status, enabled)

    def _remove(self, actions: Actions, ref: ServerRef) -> None:
        if (status := self.status(ref)) is not None:
            actions.remove(status)

    def _remedy(self, actions: Actions, ref: ServerRef) -> None:
        """Do what the button in the server's row says."""
        status = self.status(ref)
        if status is not None and (remedy := present(status).remedy) is not None:
            self._act(actions, ref, remedy.action)

    def _act(self, actions: Actions, ref: ServerRef, action: Action) -> None:
        match action:
            case Action.EDIT:
                self.edit_requested.emit(ref)
            case Action.RETRY:
                actions.refresh(ref)
            case Action.DOWNLOAD:
                actions.refresh(ref, packages=True)
            case Action.SIGN_IN:
                actions.sign_in(ref)
            case Action.ALLOW_NETWORK:
                actions.allow_network(ref)
            case Action.SHARE_FILES:
                if (status := self.status(ref)) and status.failure and status.failure.share:
                    actions.share_files(ref, status.failure.share)
            case Action.DISCOVER_UNCONFINED:
                actions.discover_unconfined(ref)
            case Action.REVIEW:
                self.servers.select(ref)
            case Action.REVIEW_TOOLS:
                self.attention_requested.emit(ref)
            case _:
                assert_never(action)

    # Events

    def _on_events(self, events: Sequence[_Shown]) -> None:
        for event in events:
            match event:
                case ServerStatusChanged(status):
                    self._server_changed(status)
                case ServerRemoved(ref):
                    self._server_removed(ref)
                case ToolsChanged(workspace, server):
                    self._tools_changed(ServerRef(workspace, server))
                case DiscoveryProgressed(ref, step):
                    self._discovery_progressed(ref, step)
                case ActivityRecorded(entry):
                    self.activity.model.add_soon(entry)
                    self._savings_soon()
                case WorkspaceSwitched() | WorkspacesChanged():
                    self.reload()
                case _:
                    assert_never(event)

    def _server_changed(self, status: ServerStatus) -> None:
        if self._is_active(status.workspace):
            self.servers.upsert(status)
            self._show_header()
            if status.ref == self.servers.current():
                self._show_server(status.ref)
            self.servers_changed.emit()

    def _server_removed(self, ref: ServerRef) -> None:
        if self._is_active(ref.workspace):
            self.servers.remove(ref)
            self._show_header()
            self._show_savings()
            self.servers_changed.emit()

    def _tools_changed(self, ref: ServerRef) -> None:
        if self._is_active(ref.workspace):
            if ref == self.servers.current():
                self._show_server(ref)
            self._show_header()
            self._savings_soon()

    def _discovery_progressed(self, ref: ServerRef, step: DiscoveryStep) -> None:
        """The status says how it ended."""
        status = self.status(ref)
        if status is None or status.discovery is not DiscoveryStatus.DISCOVERING:
            return
        if step not in _ENDED:
            self._server_changed(replace(status, step=step))

    def _is_active(self, workspace: WorkspaceId) -> bool:
        """Shows the active one first: it may be another before the event that says so arrives."""
        if self._router.workspaces.active() != self._workspace:
            self.reload()
        return workspace == self._workspace

    def show_connected(self, apps: int) -> None:
        self._connected_apps = apps
        self._show_header()

    # Contents

    def _show_server(self, ref: ServerRef | None) -> None:
        status = self.status(ref) if ref is not None else None
        self.detail.setEnabled(status is not None)
        if status is None:
            return
        with suppress(NotFound):
            self.detail.show_server(status, self._router.servers.config(status.ref))
            self.detail.set_unsafe_secrets(self._router.servers.unsafe_secrets(status.ref))
            self.detail.set_receipt(self._router.discovery.receipt(status.ref))
            self.detail.set_tools(self._router.tools.list(status.ref))
            self.detail.set_prompts_and_resources(
                self._router.servers.prompts_and_resources(status.ref)
            )
            self.detail.log.show_log(partial(self._router.servers.log, status.ref))

    def _show_header(self) -> None:
        names = {workspace.id: workspace.name for workspace in self._router.workspaces.list()}
        counts, attention = overview(self.servers.servers(), self._connected_apps)
        self.header.show_workspace(names.get(self._workspace, ""), counts, attention)
        with suppress(NotFound):
            unassigned = self._router.projects.list(self._workspace)[0]
            self.header.show_optimization(unassigned.optimization)

    def _savings_soon(self) -> None:
        """Computing them takes the router some time: at most once a second."""
        if not self._savings_due.isActive():
            self._savings_due.start()

    def _show_savings(self) -> None:
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
