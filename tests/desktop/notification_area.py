"""The notification service of a desktop, as GNOME, Plasma and others have it on D-Bus."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tests.desktop.bus import Answer, Connection
from tests.support.timeouts import WAIT_S

_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
DISMISSED = 2


@dataclass(frozen=True)
class Shown:
    number: int
    title: str
    text: str
    actions: list[str]


class NotificationArea:
    def __init__(self, bus: Connection, *capabilities: str) -> None:
        self._bus = bus
        self._capabilities = list(capabilities)
        self._new: asyncio.Queue[Shown] = asyncio.Queue()
        self._withdrawn: asyncio.Queue[int] = asyncio.Queue()
        self.count = 0

    async def begin(self) -> None:
        self._bus.serve(_PATH, _NAME, self._serve)
        await self._bus.request_name(_NAME)

    async def next(self) -> Shown:
        return await asyncio.wait_for(self._new.get(), WAIT_S)

    async def withdrawn(self) -> int:
        """The id of the next notification that the application withdraws."""
        return await asyncio.wait_for(self._withdrawn.get(), WAIT_S)

    async def act(self, shown: Shown, action: str) -> None:
        """Press a button of the notification."""
        await self._bus.emit_signal(_PATH, f"{_NAME}.ActionInvoked", "us", shown.number, action)

    async def dismiss(self, shown: Shown) -> None:
        signal = f"{_NAME}.NotificationClosed"
        await self._bus.emit_signal(_PATH, signal, "uu", shown.number, DISMISSED)

    def _serve(self, method: str, values: tuple[Any, ...]) -> Answer | None:
        match method:
            case "GetCapabilities":
                return ("as", (self._capabilities,))
            case "Notify":
                _, _, _, title, text, actions, *_ = values
                self.count += 1
                self._new.put_nowait(Shown(self.count, title, text, actions))
                return ("u", (self.count,))
            case "CloseNotification":
                self._withdrawn.put_nowait(values[0])
                return ("", ())
            case _:
                return None
