"""The icon in the tray: shows how the router is, opens its menu, and notices a missing tray.

The menu is filled from the router's state when it is about to open and, since not every tray host
reports that, also when the state changes; never while it is open.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon

from gui.components.actions import Actions
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.tray.menu import TrayMenu
from gui.tray.view import TrayView, tray_view, waiting_view
from gui.widgets.icons import tray_icon
from gui.widgets.theme import theme
from gui.widgets.timers import timer
from gui.widgets.tooltip import without_markup
from router.api.events import ActivityRecorded, Event
from router.api.router import RouterPort
from router.domain.errors import NotFound

RETRY_MS = 1000
GIVE_UP_MS = 25_000
LATER_MS = 10_000
"""How often to look for a tray that was missing, or may have disappeared."""


class Tray(QObject):
    """Lives as long as the application; `attach` gives it a router."""

    window_requested = Signal()
    message_clicked = Signal()
    missing = Signal()
    """There has been no tray for `GIVE_UP_MS`: none appeared, or it disappeared."""

    def __init__(
        self, commands: Commands, bridge: EventBridge, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._commands = commands
        self._router: RouterPort | None = None
        self._failed = False
        self._view = waiting_view(failed=False)
        self._filled_with: TrayView | None = None
        self._open = False
        self._waited_ms = 0
        self.menu = TrayMenu()
        self._connect_menu()
        self._icon: QSystemTrayIcon | None = None
        self._retry = timer(self, RETRY_MS, self._look_again, repeat=True)
        theme().changed.connect(self.refill)
        bridge.subscribe(self, self._on_events)
        self._show_state()

    def is_available(self) -> bool:
        """Whether a tray shows our icon. The icon itself claims so even where there is none."""
        return self._icon is not None and QSystemTrayIcon.isSystemTrayAvailable()

    def show(self) -> None:
        if self._appear():
            self._retry.setInterval(LATER_MS)
        self._retry.start()

    def hide(self) -> None:
        self._retry.stop()
        if self._icon is not None:
            self._icon.hide()

    def hint(self, title: str, text: str) -> None:
        """A message beside the icon, if there is one."""
        if self._icon is not None:
            self._icon.showMessage(without_markup(title), without_markup(text), self._icon.icon())

    def attach(self, router: RouterPort) -> None:
        self._router = router
        show_error = partial(self._commands.show_error, self)
        self._actions = Actions(self, router, self._commands, _offer_no_undo, show_error)
        self.menu.refresh_requested.connect(self._actions.refresh_all)
        self.menu.workspace_chosen.connect(self._actions.switch_workspace)
        self.menu.optimization_chosen.connect(self._actions.optimize)
        self.refresh()

    def show_failure(self) -> None:
        """The router could not be started."""
        self._failed = True
        self.refresh()

    def refill(self) -> None:
        """Make every line again, for another language or theme."""
        self._filled_with = None
        self.refresh()
        self._fill()

    def _on_events(self, events: Sequence[Event]) -> None:
        if any(not isinstance(event, ActivityRecorded) for event in events):
            self.refresh()

    def refresh(self) -> None:
        """Show the present state; an open menu is left alone until it closes."""
        try:
            view = tray_view(self._router) if self._router else waiting_view(failed=self._failed)
        except NotFound:
            return  # A workspace was just removed; its event is on the way.
        if view != self._view:
            self._view = view
            self._show_state()

    def _show_state(self) -> None:
        if self._icon is not None:
            self._icon.setIcon(tray_icon(self._view.state))
            self._icon.setToolTip(without_markup(f"Toolbooth\n{self._view.headline}"))
        self._fill()

    def _appear(self) -> bool:
        """Show the icon if there is a tray. It is made only now: Qt binds an icon to the kind of
        tray that exists when it is made, and a later tray would never show it."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return False
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self.message_clicked)
        self._show_state()
        self._icon.show()
        return True

    def _fill(self) -> None:
        if not self._open and self._view != self._filled_with:
            self.menu.show_view(self._view)
            self._filled_with = self._view

    def _connect_menu(self) -> None:
        menu = self.menu
        menu.aboutToShow.connect(self._about_to_show)
        menu.aboutToHide.connect(self._hidden)
        menu.triggered.connect(lambda: self._hidden())
        menu.window_requested.connect(self.window_requested)
        menu.url_copied.connect(self._copy_url)

    def _about_to_show(self) -> None:
        self._open = False  # Not every tray host reports that it closed the menu.
        self.refresh()
        self._fill()
        self._open = True

    def _hidden(self) -> None:
        self._open = False
        # Not at once: the action that closed the menu is still to be triggered.
        QTimer.singleShot(0, self, self._fill)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # On macOS a click opens the menu.
        if reason == QSystemTrayIcon.ActivationReason.Trigger and sys.platform != "darwin":
            self.window_requested.emit()

    def _look_again(self) -> None:
        """An icon that exists comes back with its tray; otherwise it is made now."""
        if self.is_available() or (self._icon is None and self._appear()):
            self._retry.setInterval(LATER_MS)
            self._waited_ms = 0
            return
        waited_ms = self._waited_ms + self._retry.interval()
        if self._waited_ms < GIVE_UP_MS <= waited_ms:
            self._retry.setInterval(LATER_MS)
            self.missing.emit()
        self._waited_ms = waited_ms

    def _copy_url(self) -> None:
        if self._router and (url := self._router.endpoint.state().url):
            QGuiApplication.clipboard().setText(url)


def _offer_no_undo(text: str, undo: Callable[[], object]) -> None:
    """The menu has no place for it, and its actions are easily reversed there."""
