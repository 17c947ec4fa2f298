"""Desktop notifications, with a button where the desktop supports it; messages beside the tray icon
where there are none. Only what needs attention is notified, once until the user has seen it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import escape
from typing import Any, get_args

from PySide6.QtCore import QObject, Signal

from gui.desktop.dbus import CallMethod, DBusFailed, DBusSignal, dbus_object
from gui.desktop.notification_policy import Notification, NotificationPolicy, attention_items
from gui.link.event_bridge import EventBridge
from gui.widgets.timers import timer
from router.api.events import (
    AttentionNeeded,
    CatalogChanged,
    Event,
    ServerRemoved,
    ServerStatusChanged,
)
from router.api.router import RouterPort
from router.domain.errors import NotFound
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.servers import ServerState
from router.runtime.tasks import spawn

log = logging.getLogger(__name__)

SOON_MS = 500
_SERVICE, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_DISMISSED = 2
_WITHDRAW_TIMEOUT_S = 1.0
_WITHDRAWN: DBusSignal = ("", ())


class Notifications(QObject):
    opened = Signal()
    """The user wants to see what needs attention."""

    def __init__(
        self,
        hint: Callable[[str, str], object],
        watching: Callable[[], bool],
        bridge: EventBridge,
        parent: QObject | None = None,
    ) -> None:
        """`hint` shows a message where the desktop has no notifications; `watching`: the user has
        the window in front."""
        super().__init__(parent)
        self._hint = hint
        self._watching = watching
        self._router: RouterPort | None = None
        self._given_up: dict[ServerRef, Failure] = {}
        self._policy = NotificationPolicy()
        self._desktop = DesktopNotification(self._acted, self._policy.mark_seen)
        self._soon = timer(self, SOON_MS, self._check)
        bridge.subscribe(self, self._on_events, AttentionNeeded, *get_args(CatalogChanged))

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._soon.start()

    def mark_seen(self) -> None:
        """The user has the window in front."""
        self._policy.mark_seen()
        self._desktop.withdraw()

    def close(self) -> None:
        self._soon.stop()
        self._desktop.withdraw()

    async def clear(self) -> None:
        """Leave no notification behind whose button would do nothing."""
        self.close()
        await self._desktop.withdrawn()

    def _on_events(self, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case AttentionNeeded(ref, failure):
                    self._given_up[ref] = failure
                case ServerRemoved(ref):
                    self._given_up.pop(ref, None)
                case ServerStatusChanged(status) if status.state is not ServerState.FAILED:
                    self._given_up.pop(status.ref, None)
                case _:
                    pass
        if not self._soon.isActive():
            self._soon.start()

    def _check(self) -> None:
        if self._router is None:
            return
        with suppress(NotFound):  # A workspace was just removed; its event is on the way.
            items = attention_items(self._router, self._given_up)
            notification = self._policy.due(items, watching=self._watching())
            if notification is not None:
                spawn(self._show(notification), name="notify")

    async def _show(self, notification: Notification) -> None:
        try:
            await self._desktop.show(notification, self.tr("Show"))
        except DBusFailed as error:
            log.debug("No desktop notifications: %s", error)
            self._hint(notification.title, notification.text)

    def _acted(self) -> None:
        self.mark_seen()
        self.opened.emit()


class DesktopNotification:
    """One notification at a time, through `org.freedesktop.Notifications`."""

    def __init__(self, on_action: Callable[[], object], on_dismissed: Callable[[], object]) -> None:
        self._on_action = on_action
        self._on_dismissed = on_dismissed
        self._signals: asyncio.Queue[DBusSignal] = asyncio.Queue()
        self._newest: asyncio.Task[None] | None = None

    async def show(self, notification: Notification, action: str) -> None:
        """Returns once it is shown. Raises `DBusFailed`."""
        self.withdraw()
        shown: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._signals = asyncio.Queue()
        keeping = self._keep(notification, action, shown, self._signals)
        self._newest = spawn(keeping, name="desktop notification")
        await shown

    def withdraw(self) -> None:
        """Close it, if it is still shown. Not by cancelling: one that is about to be shown has no
        id yet to close it by."""
        self._signals.put_nowait(_WITHDRAWN)

    async def withdrawn(self) -> None:
        """Wait until the withdrawn notification is closed, within a bound."""
        if self._newest is not None:
            await asyncio.wait([self._newest], timeout=_WITHDRAW_TIMEOUT_S)

    async def _keep(
        self,
        notification: Notification,
        action: str,
        shown: asyncio.Future[None],
        signals: asyncio.Queue[DBusSignal],
    ) -> None:
        """Show it, and follow its signals until it is closed."""
        try:
            async with dbus_object(_SERVICE, _PATH, signals.put_nowait) as call:
                number = await _notify(call, notification, action)
                shown.set_result(None)
                while (signal := await signals.get()) != _WITHDRAWN:
                    if self._is_closed(number, *signal):
                        return
                await call("CloseNotification", "u", number)
        except DBusFailed as error:
            if not shown.done():
                shown.set_exception(error)
        finally:
            shown.cancel()  # For a reply that was none: `show` must not wait forever.

    def _is_closed(self, number: int, signal: str, values: tuple[Any, ...]) -> bool:
        """Handle a signal; True if it closed the notification `number`."""
        if not values or values[0] != number:
            return False
        if signal == "ActionInvoked":
            self._on_action()
        elif signal == "NotificationClosed" and values[1] == _DISMISSED:
            self._on_dismissed()
        return signal == "NotificationClosed"


async def _notify(call: CallMethod, notification: Notification, action: str) -> int:
    [capabilities] = await call("GetCapabilities")
    actions = ["default", action, "show", action] if "actions" in capabilities else []
    text = escape(notification.text) if "body-markup" in capabilities else notification.text
    hints = {"desktop-entry": ("s", "toolbooth")}
    arguments = ("Toolbooth", 0, "toolbooth", notification.title, text, actions, hints, -1)
    [number] = await call("Notify", "susssasa{sv}i", *arguments)
    return number
