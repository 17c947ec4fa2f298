"""The pages of the main window beside the workspace's; there once the router is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.activity.page import ActivityPage
from gui.apps.page import AppsPage
from gui.apps.presenting import connected_count
from gui.commands import Commands
from gui.needs.page import NeedsPage
from gui.needs.presenting import needs
from gui.playground.page import PlaygroundPage
from gui.window.places import Place
from gui.window.sidebar import Sidebar
from router.clients import ClientApp, Connection
from router.events import (
    ActivityRecorded,
    Event,
    ServerRemoved,
    ServerStatusChanged,
    TokensChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.ports import RouterPort

_MAY_NEED = (ServerStatusChanged, ServerRemoved, ToolsChanged, WorkspaceSwitched, WorkspacesChanged)


class OtherPages(QObject):
    """Tells the sidebar how much waits behind each row."""

    undo_offered = Signal(str, object)
    tokens_requested = Signal()
    guide_requested = Signal()
    apps_counted = Signal(int)
    """How many are connected, whenever that was looked up."""

    def __init__(
        self, router: RouterPort, commands: Commands, sidebar: Sidebar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._router = router
        self._sidebar = sidebar
        self.apps = AppsPage(router, commands)
        self.apps.tokens_requested.connect(self.tokens_requested)
        self.apps.guide_requested.connect(self.guide_requested)
        self.apps.panel.done.connect(self._offer_undo)
        self.apps.panel.connector.listed.connect(self._show_connected)
        self.needs = NeedsPage(router)
        self.needs.counted.connect(self._show_needs)
        self.playground = PlaygroundPage(router, commands)
        self.activity = ActivityPage(router, commands)
        self.widgets: dict[Place, QWidget] = {
            Place.NEEDS_YOU: self.needs,
            Place.PLAYGROUND: self.playground,
            Place.APPS: self.apps,
            Place.ACTIVITY: self.activity,
        }
        sidebar.offer(self.widgets)
        self._show_needs(needs(router).count)
        self.apps.panel.load()

    def show(self, place: Place) -> QWidget | None:
        """The page at `place`, up to date; None if that is a workspace."""
        if place is Place.APPS:
            self.apps.panel.load()
        if place is Place.ACTIVITY and not self.activity.isVisible():
            self.activity.load()
        return self.widgets.get(place)

    def focus_filter(self) -> bool:
        """Go to the filter of the page that is shown, if it has one; says whether it does."""
        shown = next((p for p in (self.playground, self.activity) if p.isVisible()), None)
        if shown is not None:
            shown.focus_filter()
        return shown is not None

    def handle(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, ActivityRecorded):
                self.activity.add(event.entry)
        if any(isinstance(event, TokensChanged) for event in events):
            self.apps.panel.load()
        if any(isinstance(event, _MAY_NEED) for event in events):
            self.needs.reload_soon()
            self.playground.search_again()

    def _offer_undo(self, what: str, connection: Connection) -> None:
        undo = self.apps.panel.connector.undo
        self.undo_offered.emit(what, lambda: undo(connection))

    def _show_needs(self, count: int) -> None:
        self._sidebar.show_count(Place.NEEDS_YOU, count, urgent=True)

    def _show_connected(self, apps: tuple[ClientApp, ...]) -> None:
        connected = connected_count(apps, self._router.tokens())
        self._sidebar.show_count(Place.APPS, connected)
        self.apps_counted.emit(connected)
