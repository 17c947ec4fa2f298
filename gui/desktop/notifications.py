"""Notifications of the desktop, with a button where the desktop has buttons; beside the tray icon
where it has none. Only what a person must act on is told, and once until they have looked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import escape
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from gui.desktop.dbus import Ask, BusFailed, Told, talking_to
from gui.desktop.notification_policy import Notice, Noticing, wants
from router.errors import NotFound
from router.events import (
    ActivityRecorded,
    AttentionNeeded,
    DiscoveryProgressed,
    Event,
    ServerRemoved,
    ServerStatusChanged,
)
from router.model import Failure, ServerRef, ServerState
from router.ports import RouterPort
from router.tasks import spawn

log = logging.getLogger(__name__)

SOON_MS = 500
_SERVICE, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_DISMISSED = 2
_GONE_WITHIN_S = 1.0
_WITHDRAWN: Told = ("", ())


class Notices(QObject):
    """What waits for the person, told where they see it."""

    opened = Signal()
    """The person wants to see what it is about."""

    def __init__(
        self,
        hint: Callable[[str, str], object],
        looking: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        """`hint` shows a message where the desktop has no notifications; `looking`: the person has
        the window before them."""
        super().__init__(parent)
        self._hint = hint
        self._looking = looking
        self._router: RouterPort | None = None
        self._given_up: dict[ServerRef, Failure] = {}
        self._noticing = Noticing()
        self._desktop = DesktopNotices(self._acted, self._noticing.looked)
        self._soon = QTimer(self, interval=SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._look)

    def attach(self, router: RouterPort) -> None:
        self._router = router
        self._soon.start()

    def on_events(self, events: Sequence[Event]) -> None:
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
        quiet = (ActivityRecorded, DiscoveryProgressed)
        if not all(isinstance(event, quiet) for event in events) and not self._soon.isActive():
            self._soon.start()

    def looked(self) -> None:
        """The person has the window before them."""
        self._noticing.looked()
        self._desktop.withdraw()

    def close(self) -> None:
        self._soon.stop()
        self._desktop.withdraw()

    async def clear(self) -> None:
        """Leave nothing behind that leads to nobody."""
        self.close()
        await self._desktop.gone()

    def _look(self) -> None:
        if self._router is None:
            return
        with suppress(NotFound):  # A workspace went this moment; the news of it is on its way.
            found = wants(self._router, self._given_up)
            notice = self._noticing.due(found, looking=self._looking())
            if notice is not None:
                spawn(self._tell(notice), name="notify")

    async def _tell(self, notice: Notice) -> None:
        try:
            await self._desktop.show(notice, self.tr("Show"))
        except BusFailed as error:
            log.debug("No notifications of the desktop: %s", error)
            self._hint(notice.title, notice.text)

    def _acted(self) -> None:
        self.looked()
        self.opened.emit()


class DesktopNotices:
    """One notification at a time, by way of `org.freedesktop.Notifications`."""

    def __init__(self, on_action: Callable[[], object], on_dismissed: Callable[[], object]) -> None:
        self._on_action = on_action
        self._on_dismissed = on_dismissed
        self._heard: asyncio.Queue[Told] = asyncio.Queue()
        self._newest: asyncio.Task[None] | None = None

    async def show(self, notice: Notice, action: str) -> None:
        """Returns once it is shown. Raises `BusFailed`."""
        self.withdraw()
        showing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._heard = asyncio.Queue()
        keeping = self._keep(notice, action, showing, self._heard)
        self._newest = spawn(keeping, name="a notification")
        await showing

    def withdraw(self) -> None:
        """Take it away, if it is still there. Not by cancelling: what is about to be shown has no
        number yet by which it could be taken away."""
        self._heard.put_nowait(_WITHDRAWN)

    async def gone(self) -> None:
        """Wait until what was withdrawn is away, but not for long."""
        if self._newest is not None:
            await asyncio.wait([self._newest], timeout=_GONE_WITHIN_S)

    async def _keep(
        self,
        notice: Notice,
        action: str,
        showing: asyncio.Future[None],
        heard: asyncio.Queue[Told],
    ) -> None:
        """Show it, and hear what becomes of it for as long as it is there."""
        try:
            async with talking_to(_SERVICE, _PATH, heard.put_nowait) as ask:
                number = await _notify(ask, notice, action)
                showing.set_result(None)
                while (told := await heard.get()) != _WITHDRAWN:
                    if self._is_over(number, *told):
                        return
                await ask("CloseNotification", "u", number)
        except BusFailed as error:
            if not showing.done():
                showing.set_exception(error)
        finally:
            showing.cancel()  # Whoever still waits: what came back was no answer to that.

    def _is_over(self, number: int, signal: str, values: tuple[Any, ...]) -> bool:
        """Whether the notification `number` is gone with what was just told."""
        if not values or values[0] != number:
            return False
        if signal == "ActionInvoked":
            self._on_action()
        elif signal == "NotificationClosed" and values[1] == _DISMISSED:
            self._on_dismissed()
        return signal == "NotificationClosed"


async def _notify(ask: Ask, notice: Notice, action: str) -> int:
    [capabilities] = await ask("GetCapabilities")
    actions = ["default", action, "show", action] if "actions" in capabilities else []
    text = escape(notice.text) if "body-markup" in capabilities else notice.text
    hints = {"desktop-entry": ("s", "toolbooth")}
    told = ("Toolbooth", 0, "toolbooth", notice.title, text, actions, hints, -1)
    [number] = await ask("Notify", "susssasa{sv}i", *told)
    return number
