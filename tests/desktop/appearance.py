"""The color scheme of a desktop, as its portal reports it on D-Bus."""

from __future__ import annotations

from typing import Any

from tests.desktop.bus import Answer, Connection

_PATH, _SETTINGS = "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"
_SPACE, _KEY = "org.freedesktop.appearance", "color-scheme"
DARK, LIGHT = 1, 2


class Appearance:
    def __init__(self, bus: Connection) -> None:
        self._bus = bus
        self._scheme = LIGHT

    async def begin(self) -> None:
        self._bus.serve(_PATH, _SETTINGS, self._serve)
        await self._bus.request_name("org.freedesktop.portal.Desktop")

    async def turn(self, scheme: int) -> None:
        self._scheme = scheme
        signal = f"{_SETTINGS}.SettingChanged"
        await self._bus.emit_signal(_PATH, signal, "ssv", _SPACE, _KEY, ("u", scheme))

    def _serve(self, method: str, _: tuple[Any, ...]) -> Answer | None:
        if method == "ReadAll":
            return ("a{sa{sv}}", ({_SPACE: {_KEY: ("u", self._scheme)}},))
        return None
