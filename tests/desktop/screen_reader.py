"""Reads and drives a window as assistive technology does: names, roles and actions, over AT-SPI."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from tests.desktop.bus import Answer, BusError, Connection
from tests.support.timeouts import WAIT_S

_ROOT = "/org/a11y/atspi/accessible/root"
_SPI = "org.a11y.atspi"
_PAUSE_S = 0.1
_SHOWING = 25  # states of AT-SPI


@dataclass(frozen=True)
class AccessibleObject:
    """An accessible object on the screen."""

    path: str
    role: str
    name: str


class ScreenReader:
    """Call `begin` before the application starts: it looks for a screen reader only then."""

    def __init__(self, bus: Connection) -> None:
        self._bus = bus
        self._application: asyncio.Queue[str] = asyncio.Queue()
        self._name = ""

    async def begin(self) -> None:
        self._bus.serve(_ROOT, f"{_SPI}.Socket", self._embed)
        await self._bus.request_name(f"{_SPI}.Registry")

    async def application(self) -> None:
        """Wait for an application on the accessibility bus."""
        self._name = await asyncio.wait_for(self._application.get(), WAIT_S)

    async def find(self, name: str, role: str | None = None) -> AccessibleObject:
        """The object with this name, as soon as it is shown."""
        return await self.find_like(
            lambda found: found.name == name and role in (None, found.role), f"{name} ({role})"
        )

    async def find_like(
        self, wanted: Callable[[AccessibleObject], bool], what: str
    ) -> AccessibleObject:
        deadline = time.monotonic() + WAIT_S
        seen: list[AccessibleObject] = []
        while time.monotonic() < deadline:
            # Polling without a pause would keep the window busy.
            await asyncio.sleep(_PAUSE_S)
            seen.clear()
            async for found in self.objects():
                seen.append(found)
                if wanted(found):
                    return found
        raise AssertionError(f"{what} is not shown, but {[each.name for each in seen]}")

    async def press(self, name: str, role: str | None = None) -> None:
        found = await self.find(name, role)
        await self._ask(found.path, "Action.DoAction", "i", 0)

    async def write(self, name: str, text: str) -> None:
        """Put `text` into the field with this name."""
        field = await self.find(name, "text")
        await self._ask(field.path, "EditableText.SetTextContents", "s", text)

    async def objects(self) -> AsyncIterator[AccessibleObject]:
        """All shown objects, windows first, each before its children."""
        waiting = [_ROOT]
        while waiting:
            path = waiting.pop(0)
            try:
                below = await self._shown_below(path)
                for child in below:
                    yield await self._object(child)
            except BusError:  # it disappeared meanwhile
                continue
            waiting = below + waiting

    async def _shown_below(self, path: str) -> list[str]:
        [children] = await self._ask(path, "Accessible.GetChildren")
        paths = [child for _, child in children]
        return [child for child in paths if path == _ROOT or await self._is_shown(child)]

    async def _is_shown(self, path: str) -> bool:
        [(low, _)] = [tuple(states) for [states] in [await self._ask(path, "Accessible.GetState")]]
        return bool(low >> _SHOWING & 1)

    async def _object(self, path: str) -> AccessibleObject:
        name = await self._bus.get(self._name, path, f"{_SPI}.Accessible.Name")
        [role] = await self._ask(path, "Accessible.GetRoleName")
        return AccessibleObject(path, role, name)

    async def _ask(self, path: str, method: str, signature: str = "", *values: Any) -> Any:
        return await self._bus.call(self._name, path, f"{_SPI}.{method}", signature, *values)

    def _embed(self, method: str, values: tuple[Any, ...]) -> Answer | None:
        if method != "Embed":
            return None
        [(name, _)] = values
        self._application.put_nowait(name)
        return ("(so)", ((self._bus.name, _ROOT),))
