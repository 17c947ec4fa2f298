"""The pages of the main window, one of them shown.

Before `attach` it shows that the router is starting. Playground and activity are made when they are
first opened: they have many controls, which would delay the opening of the window.
"""

from __future__ import annotations

from functools import cached_property
from typing import assert_never

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.components.actions import Actions, OfferUndo
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.page import Page
from gui.pages.activity.page import ActivityPage
from gui.pages.apps.page import AppsPage
from gui.pages.attention.page import AttentionPage
from gui.pages.playground.page import PlaygroundPage
from gui.pages.workspace.empty_state import EmptyState
from gui.pages.workspace.page import WorkspacePage
from gui.text.errors import hint_of
from gui.text.marks import Mark
from gui.widgets import fonts
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, in_widget, vbox
from gui.widgets.status_mark import StatusMark
from router.api.router import RouterPort
from router.domain.errors import ToolboothError


class PageStack(QStackedWidget):
    attention: AttentionPage
    apps: AppsPage
    _router: RouterPort
    _actions: Actions
    """These exist from `attach` on."""

    def __init__(self, commands: Commands, bridge: EventBridge) -> None:
        super().__init__()
        self._commands = commands
        self._bridge = bridge
        self._attached = False
        self._page = Page.WORKSPACE
        self.starting = StartingPage()
        self.empty = EmptyState()
        self.workspace = WorkspacePage()
        self.workspace.servers_changed.connect(self._show_workspace)
        self._empty_page = in_widget(vbox(self.empty, margins=(20, 20, 20, 20)))
        for page in (self.starting, self._empty_page, self.workspace):
            self.addWidget(page)

    def attach(self, router: RouterPort, actions: Actions, offer_undo: OfferUndo) -> None:
        """Make the pages that need a router. The workspace page is attached by itself, before."""
        self._attached = True
        self._router, self._actions = router, actions
        self.attention = AttentionPage(router, self._bridge, actions)
        self.apps = AppsPage(router, self._commands, self._bridge, offer_undo)
        self.apps.counted.connect(self.workspace.show_connected)
        for page in (self.attention, self.apps):
            self.addWidget(page)

    def go_to(self, page: Page) -> None:
        self._page = page
        if not self._attached:
            return
        self.setCurrentWidget(self._widget(page))
        if page is Page.PLAYGROUND:
            self.playground.focus_filter()  # It is empty until a query is typed.

    @cached_property
    def playground(self) -> PlaygroundPage:
        page = PlaygroundPage(self._router, self._commands, self._bridge, self._actions)
        self.addWidget(page)
        return page

    @cached_property
    def activity(self) -> ActivityPage:
        page = ActivityPage(self._router, self._commands, self._bridge)
        self.addWidget(page)
        return page

    def focus_filter(self) -> bool:
        """Focus the filter of the current page; False if it has none."""
        page = self.currentWidget()
        if not isinstance(page, PlaygroundPage | ActivityPage):
            return False
        page.focus_filter()
        return True

    def _widget(self, page: Page) -> QWidget:
        """The widget of `page`, up to date."""
        match page:
            case Page.WORKSPACE:
                return self.workspace if self.workspace.servers.servers() else self._empty_page
            case Page.ATTENTION:
                return self.attention
            case Page.PLAYGROUND:
                return self.playground
            case Page.APPS:
                self.apps.panel.load()
                return self.apps
            case Page.ACTIVITY:
                if not self.activity.isVisible():
                    self.activity.load()
                return self.activity
            case _:
                assert_never(page)

    def _show_workspace(self) -> None:
        """The first server came or the last one went."""
        if self._page is Page.WORKSPACE:
            self.go_to(Page.WORKSPACE)


class StartingPage(QWidget):
    """Shown until the router has started, or after it failed to."""

    def __init__(self) -> None:
        super().__init__()
        self._mark = StatusMark(size=24)
        self._mark.set_mark(Mark.WORKING)
        self._text = label(self.tr("Starting…"), font=fonts.medium(), tint="text2")
        self._hint = label(tint="text2")
        middle = Qt.AlignmentFlag.AlignHCenter
        parts = ((part, 0, middle) for part in (self._mark, self._text, self._hint))
        vbox(STRETCH, *parts, STRETCH, spacing=10, parent=self)

    def show_failure(self, error: ToolboothError) -> None:
        self._mark.set_mark(Mark.FAILED)
        self._text.setText(self.tr("The router is not running"))
        self._hint.setText(hint_of(error))
