"""The settings dialog: a searchable list of pages; every change applies at once.

Reused each time it is opened; changes can be undone until it closes.
"""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QButtonGroup, QFrame, QStackedWidget, QWidget
from shiboken6 import Shiboken

from gui.dialogs.settings.apps_page import AppsSettingsPage
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.optimization_page import OptimizationPage
from gui.dialogs.settings.page import PAGE_PADDING, SettingsPage
from gui.dialogs.settings.pages import AboutPage, ActivitySettingsPage, GeneralPage, NetworkPage
from gui.dialogs.settings.search_highlight import SearchHighlight
from gui.dialogs.settings.security_page import SecurityPage
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.dialog import ChangesDialog, sidebar
from gui.widgets.labels import wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, hbox, vbox
from gui.widgets.search_field import SearchField
from gui.widgets.sidebar_row import SidebarRow
from gui.widgets.window_size import open_at_size
from router.api.router import RouterPort

_MARGIN = 60
"""Visible margin above and below a setting that was searched for."""


class PageName(StrEnum):
    GENERAL = "general"
    OPTIMIZATION = "optimization"
    APPS = "apps"
    SECURITY = "security"
    NETWORK = "network"
    ACTIVITY = "activity"
    ABOUT = "about"


class SettingsDialog(ChangesDialog):
    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        bridge: EventBridge,
        parent: QWidget | None,
        changes: SettingsChanges | None = None,
    ) -> None:
        """`changes` are kept when the dialog is made again in another language."""
        self._changes = changes or SettingsChanges(router, commands)
        super().__init__(self._changes, bridge, PAGE_PADDING, parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setMinimumSize(720, 480)
        open_at_size(self, 840, 672)
        self._apps = AppsSettingsPage(router, self._changes, commands)
        self._pages: dict[PageName, SettingsPage] = {
            PageName.GENERAL: GeneralPage(router, self._changes),
            PageName.OPTIMIZATION: OptimizationPage(router, self._changes, commands),
            PageName.APPS: self._apps,
            PageName.SECURITY: SecurityPage(router, self._changes, commands),
            PageName.NETWORK: NetworkPage(router, self._changes),
            PageName.ACTIVITY: ActivitySettingsPage(router, self._changes),
            PageName.ABOUT: AboutPage(router, self._changes),
        }
        self._rows: dict[PageName, SidebarRow] = {}
        self._stack = QStackedWidget()
        self._search = SearchField(self.tr("Search settings"))
        self._search.textChanged.connect(self._filter)
        self._nothing = wrapped(self.tr("No matching settings."))
        self._nothing.hide()
        self._highlight: SearchHighlight | None = None
        self._lay_out()
        self.go_to(PageName.GENERAL)

    def open_at(self, page: PageName | None = None) -> None:
        """Show the dialog, at `page` or where it was left."""
        if page is not None:
            self.go_to(page)
        self.show_state()
        if self.isVisible():
            self.raise_()
            self.activateWindow()
        else:
            self.open()

    def go_to(self, page: PageName) -> None:
        self._rows[page].setChecked(True)
        self._stack.setCurrentWidget(self._pages[page])
        wanted = self._search.text()
        self._mark(self._pages[page].setting_for(wanted) if wanted.strip() else None)

    def current_page(self) -> PageName:
        return next(name for name, row in self._rows.items() if row.isChecked())

    def visible_pages(self) -> list[PageName]:
        """Those that the search leaves."""
        return [name for name, row in self._rows.items() if not row.isHidden()]

    def show_state(self) -> None:
        """Show what is in force now on every page."""
        for page in self._pages.values():
            page.show_state()
        self.footer.show_undo()

    def done(self, result: int, /) -> None:
        self._changes.forget()
        self._apps.forget_secrets()
        self._search.clear()
        self.footer.clear()
        super().done(result)

    # Building

    def _lay_out(self) -> None:
        right = vbox((self._stack, 1), self.footer, spacing=0)
        hbox(self._page_list(), _edge(), (right, 1), spacing=0, margins=NO_MARGINS, parent=self)

    def _page_list(self) -> QFrame:
        group = QButtonGroup(self)
        for name, page in self._pages.items():
            row = SidebarRow(page.title, icon_name=page.icon_name)
            row.setCheckable(True)
            row.clicked.connect(lambda _=False, name=name: self.go_to(name))
            group.addButton(row)
            self._rows[name] = row
            self._stack.addWidget(page)
        rows = self._rows.values()
        margins = (12, 16, 12, 12)
        return sidebar(self._search, 8, *rows, self._nothing, STRETCH, margins=margins)

    # Doing

    def _filter(self, wanted: str) -> None:
        """Leave the pages that have it, and lead to it on the one that is shown."""
        places = {name: page.setting_for(wanted) for name, page in self._pages.items()}
        found = {name: place for name, place in places.items() if place or not wanted.strip()}
        for name, row in self._rows.items():
            row.setVisible(name in found)
        self._nothing.setVisible(not found)
        if found and self.current_page() not in found:
            self.go_to(next(iter(found)))
        self._mark(found.get(self.current_page()) if wanted.strip() else None)

    def _mark(self, setting: QWidget | None) -> None:
        """Highlight only `setting`. The highlight is destroyed with it."""
        if self._highlight is not None and Shiboken.isValid(self._highlight):
            self._highlight.hide()
            self._highlight.deleteLater()
        self._highlight = None if setting is None else SearchHighlight(setting)
        if setting is not None:
            # A page that was not shown before has to be laid out first.
            page = self._pages[self.current_page()]
            QTimer.singleShot(0, setting, lambda: page.ensureWidgetVisible(setting, 0, _MARGIN))


def _edge() -> QFrame:
    edge = QFrame()
    edge.setProperty("role", "sidebar-edge")
    return edge
