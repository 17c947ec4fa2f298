"""A tray as in Plasma, LXQt and GNOME's extension: StatusNotifier items and their menus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.desktop.bus import Answer, Connection
from tests.support.timeouts import WAIT_S

_WATCHER = "org.kde.StatusNotifierWatcher"
_ITEM = "org.kde.StatusNotifierItem"
_MENU = "com.canonical.dbusmenu"
_PROPERTIES = "org.freedesktop.DBus.Properties"


@dataclass(frozen=True)
class MenuEntry:
    """An entry of a menu as a tray host draws it."""

    number: int
    text: str
    enabled: bool = True
    chosen: bool = False
    separator: bool = False
    icon: bytes = b""
    below: tuple[MenuEntry, ...] = ()


class TrayHost:
    """The tray host of its bus, from `begin` on."""

    def __init__(self, bus: Connection) -> None:
        self._bus = bus
        self._items: asyncio.Queue[str] = asyncio.Queue()
        self._item = ""

    async def begin(self) -> None:
        self._bus.serve("/StatusNotifierWatcher", _WATCHER, self._watch)
        self._bus.serve("/StatusNotifierWatcher", _PROPERTIES, self._property_changed)
        await self._bus.request_name(_WATCHER)
        await self._bus.emit_signal(
            "/StatusNotifierWatcher", f"{_WATCHER}.StatusNotifierHostRegistered", ""
        )

    async def item(self) -> None:
        """Wait for an application's icon; the other methods refer to it."""
        self._item = await asyncio.wait_for(self._items.get(), WAIT_S)

    async def property(self, name: str) -> Any:
        return await self._bus.get(self._item, "/StatusNotifierItem", f"{_ITEM}.{name}")

    async def tooltip(self) -> str:
        _, _, title, text = await self.property("ToolTip")
        return f"{title}\n{text}".strip()

    async def icon(self) -> bytes:
        """The largest image of the icon, as bytes."""
        pixmaps = await self.property("IconPixmap")
        return bytes(max(pixmaps)[2]) if pixmaps else b""

    async def click(self) -> None:
        await self._bus.call(self._item, "/StatusNotifierItem", f"{_ITEM}.Activate", "ii", 0, 0)

    async def menu(self) -> list[MenuEntry]:
        """Open the menu as a host does, read all of it, and close it."""
        path = await self.property("Menu")
        await self._bus.call(self._item, path, f"{_MENU}.AboutToShow", "i", 0)
        _, layout = await self._bus.call(self._item, path, f"{_MENU}.GetLayout", "iias", 0, -1, [])
        await self._happened(path, 0, "closed")
        return list(_line(layout).below)

    async def choose(self, *texts: str) -> None:
        """Click the entry with the last text, in the submenus named before it."""
        path = await self.property("Menu")
        lines = await self.menu()
        number = 0
        for text in texts:
            line = next(line for line in lines if line.text == text)
            number, lines = line.number, list(line.below)
        await self._happened(path, number, "clicked")

    async def until(self, wanted: Callable[[list[MenuEntry]], bool]) -> list[MenuEntry]:
        """The menu, as soon as it satisfies `wanted`."""
        news = await self._bus.listen(f"{_MENU}.LayoutUpdated", f"{_MENU}.ItemsPropertiesUpdated")
        lines = await self.menu()
        try:
            async with asyncio.timeout(WAIT_S):
                while not wanted(lines):
                    await news.get()
                    lines = await self.menu()
        except TimeoutError:
            raise AssertionError(f"The menu stays {texts(lines)}") from None
        return lines

    async def _happened(self, path: str, number: int, event: str) -> None:
        method = f"{_MENU}.Event"
        await self._bus.call(self._item, path, method, "isvu", number, event, ("s", ""), 0)

    def _watch(self, method: str, values: tuple[Any, ...]) -> Answer | None:
        if method == "RegisterStatusNotifierItem":
            self._items.put_nowait(values[0])
        return ("", ())

    def _property_changed(self, method: str, values: tuple[Any, ...]) -> Answer | None:
        known: dict[str, tuple[str, Any]] = {
            "IsStatusNotifierHostRegistered": ("b", True),
            "ProtocolVersion": ("i", 0),
            "RegisteredStatusNotifierItems": ("as", []),
        }
        if method == "GetAll":
            return ("a{sv}", (known,))
        return ("v", (known[values[1]],))


def texts(lines: list[MenuEntry]) -> list[str]:
    return ["—" if line.separator else line.text for line in lines]


def _line(layout: tuple[int, dict[str, tuple[str, Any]], list[tuple[str, Any]]]) -> MenuEntry:
    number, properties, below = layout
    values = {name: value for name, (_, value) in properties.items()}
    return MenuEntry(
        number,
        str(values.get("label", "")),
        enabled=bool(values.get("enabled", True)),
        chosen=values.get("toggle-state") == 1,
        separator=values.get("type") == "separator",
        icon=bytes(values.get("icon-data", b"")),
        below=tuple(_line(child) for _, child in below),
    )
