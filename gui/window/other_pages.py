"""The pages of the main window beside the workspace's; there once the router is.

Two of them are made when they are first gone to: they have many controls, for which a window that
opens has no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

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
from router.api.apps import ClientApp, Connection
from router.api.events import (
    ActivityRecorded,
    Event,
    ServerRemoved,
    ServerStatusChanged,
    TokensChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.api.router import RouterPort

_MAY_NEED = (ServerStatusChanged, ServerRemoved, ToolsChanged, WorkspaceSwitched, WorkspacesChanged)


class OtherPages(QObject):
    """Tells the sidebar how much waits behind each row."""

    undo_offered = Signal(str, object)
    tokens_requested = Signal()
    guide_requested = Signal()
    apps_counted = Signal(int)
    """How many are connected, whenever that was looked up."""
    hiding_requested = Signal(object)
    pinning_requested = Signal(object, bool)
    """As of the playground."""
    made = Signal(QWidget)
    """A page that there was not yet."""

    def __init__(
        self, router: RouterPort, commands: Commands, sidebar: Sidebar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._router = router
        self._commands = commands
        self._sidebar = sidebar
        self._playground: PlaygroundPage | None = None
        self._activity: ActivityPage | None = None
        self.apps = AppsPage(router, commands)
        self.apps.tokens_requested.connect(self.tokens_requested)
        self.apps.guide_requested.connect(self.guide_requested)
        self.apps.panel.done.connect(self._offer_undo)
        self.apps.panel.connector.listed.connect(self._show_connected)
        self.needs = NeedsPage(router)
        self.needs.counted.connect(self._show_needs)
        sidebar.offer(set(Place))
        self._show_needs(needs(router).count)
        self.apps.panel.load()

    @property
    def playground(self) -> PlaygroundPage:
        if self._playground is None:
            self._playground = PlaygroundPage(self._router, self._commands)
            self._playground.hiding_requested.connect(self.hiding_requested)
            self._playground.pinning_requested.connect(self.pinning_requested)
            self.made.emit(self._playground)
        return self._playground

    @property
    def activity(self) -> ActivityPage:
        if self._activity is None:
            self._activity = ActivityPage(self._router, self._commands)
            self.made.emit(self._activity)
        return self._activity

    def show(self, place: Place) -> QWidget | None:
        """The page at `place`, up to date; None if that is a workspace."""
        match place:
            case Place.WORKSPACE:
                return None
            case Place.NEEDS_YOU:
                return self.needs
            case Place.PLAYGROUND:
                return self.playground
            case Place.APPS:
                self.apps.panel.load()
                return self.apps
            case Place.ACTIVITY:
                if not self.activity.isVisible():
                    self.activity.load()
                return self.activity
            case _:
                assert_never(place)

    def focus_filter(self) -> bool:
        """Go to the filter of the page that is shown, if it has one; says whether it does."""
        pages = (self._playground, self._activity)
        shown = next((page for page in pages if page is not None and page.isVisible()), None)
        if shown is not None:
            shown.focus_filter()
        return shown is not None

    def handle(self, events: Sequence[Event]) -> None:
        if self._activity is not None:
            for event in events:
                if isinstance(event, ActivityRecorded):
                    self._activity.add(event.entry)
        if any(isinstance(event, TokensChanged) for event in events):
            self.apps.panel.load()
        if any(isinstance(event, _MAY_NEED) for event in events):
            self.needs.reload_soon()
            if self._playground is not None:
                self._playground.search_again()

    def _offer_undo(self, what: str, connection: Connection) -> None:
        undo = self.apps.panel.connector.undo
        self.undo_offered.emit(what, lambda: undo(connection))

    def _show_needs(self, count: int) -> None:
        self._sidebar.show_count(Place.NEEDS_YOU, count, urgent=True)

    def _show_connected(self, apps: tuple[ClientApp, ...]) -> None:
        connected = connected_count(apps, self._router.tokens.list())
        self._sidebar.show_count(Place.APPS, connected)
        self.apps_counted.emit(connected)
