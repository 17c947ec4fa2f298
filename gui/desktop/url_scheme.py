"""`toolbooth://` links: registering this Toolbooth as their handler.

As with start at login the system holds the registration, and its removal there is respected. On
macOS the bundle's Info.plist declares it, so there is nothing to switch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

from gui.desktop.autostart import (
    NAME,
    Registration,
    RegistryEntry,
    desktop_entry,
    is_entry_on,
    own_command,
    write_or_remove,
)
from gui.desktop.own_link import SCHEME
from resources import read_text

_TYPE = f"x-scheme-handler/{SCHEME}"
_ENTRY = f"{NAME}.desktop"
_REGISTERING = (
    ("update-desktop-database", "{applications}"),
    ("xdg-mime", "default", _ENTRY, _TYPE),
)

Run = Callable[[Sequence[str]], object]


def application_entry(command: Sequence[str]) -> str:
    """The desktop entry for the applications menu."""
    more = {
        "Comment": "One local endpoint for all your MCP servers",
        "Icon": NAME,
        "Categories": "Development;Utility;",
        "MimeType": f"{_TYPE};",
        "StartupWMClass": NAME,
        "Terminal": "false",
    }
    return desktop_entry(command, "%u", **more)


def application_icon() -> str:
    """The icon as an SVG file, for the system's icon directory."""
    return read_text("logo.svg").replace("currentColor", "#FFFFFF")


def windows_line(command: Sequence[str]) -> str:
    """The link is always quoted: its content can't become a further argument."""
    return f'{subprocess.list2cmdline(command)} "%1"'


def information() -> dict[str, object]:
    """The bundle's Info.plist: no icon in the Dock, and the URL scheme."""
    scheme = {"CFBundleURLName": NAME, "CFBundleURLSchemes": [SCHEME]}
    return {"LSUIElement": True, "CFBundleURLTypes": [scheme]}


class XdgLinks:
    """An entry in the user's applications menu that also declares the scheme."""

    def __init__(self, data_home: Path, command: Sequence[str], run: Run) -> None:
        self._file = data_home / "applications" / _ENTRY
        self._icon = data_home / "icons" / "hicolor" / "scalable" / "apps" / f"{NAME}.svg"
        self._command = command
        self._run = run

    def is_on(self) -> bool:
        return is_entry_on(self._file)

    def switch(self, on: bool) -> None:
        content = {self._file: application_entry(self._command), self._icon: application_icon()}
        for file, text in content.items():
            write_or_remove(file, text.encode(), on)
        for words in _REGISTERING if on else _REGISTERING[:1]:
            self._run([word.format(applications=self._file.parent) for word in words])


def system_links(environ: Mapping[str, str] = os.environ) -> Registration | None:
    """The registration for this platform; None where there is nothing to switch."""
    if sys.platform == "darwin":
        return None
    if sys.platform == "win32":
        from gui.desktop.windows_registry import WindowsLinkKey

        return RegistryEntry(WindowsLinkKey(SCHEME), windows_line(own_command()))
    named = Path(environ.get("XDG_DATA_HOME", ""))
    data_home = named if named.is_absolute() else Path.home() / ".local" / "share"
    return XdgLinks(data_home, own_command(), run_in_background)


def run_in_background(command: Sequence[str]) -> None:
    """Run a system program, if it is installed, without blocking the window."""
    program = shutil.which(command[0])
    if program is None:
        return
    words = [program, *command[1:]]
    quiet = subprocess.DEVNULL
    # The program and its arguments are fixed above.
    Thread(
        target=lambda: subprocess.run(words, stdout=quiet, stderr=quiet, check=False),  # noqa: S603
        daemon=True,
    ).start()
