"""Start at login, as registered with the system.

Not part of our settings: removing the entry in the system's own list is respected. Toolbooth then
starts hidden, with only the tray icon.
"""

from __future__ import annotations

import configparser
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from router.domain.errors import ToolboothError

NAME = "toolbooth"
_RESERVED = re.compile(r"""[\s"'\\><~|&;$*?#()`%]""")


class Registration(Protocol):
    """Something registered with the system that the user can switch on and off."""

    def is_on(self) -> bool: ...
    def switch(self, on: bool) -> None:
        """Raises `OSError` if the system refuses."""
        ...


class RegistryValue(Protocol):
    """A command line in the user's registry on Windows."""

    def get(self) -> str | None: ...
    def set(self, line: str) -> None: ...
    def delete(self) -> None: ...


class XdgAutostart:
    def __init__(self, config_home: Path, command: Sequence[str]) -> None:
        self._file = config_home / "autostart" / f"{NAME}.desktop"
        self._command = command

    def is_on(self) -> bool:
        return is_entry_on(self._file)

    def switch(self, on: bool) -> None:
        write_or_remove(self._file, desktop_entry(self._command).encode(), on)


class LaunchAgent:
    def __init__(self, home: Path, command: Sequence[str]) -> None:
        self._file = home / "Library" / "LaunchAgents" / f"{NAME}.plist"
        self._command = command

    def is_on(self) -> bool:
        try:
            entry = plistlib.loads(self._file.read_bytes())
        except (OSError, ValueError, plistlib.InvalidFileException):
            return False
        return bool(entry.get("RunAtLoad")) and not entry.get("Disabled")

    def switch(self, on: bool) -> None:
        entry = {"Label": NAME, "ProgramArguments": list(self._command), "RunAtLoad": True}
        write_or_remove(self._file, plistlib.dumps(entry), on)


class RegistryEntry:
    """The registration on Windows; `line` is the command line it starts."""

    def __init__(self, value: RegistryValue, line: str) -> None:
        self._value = value
        self._line = line

    def is_on(self) -> bool:
        return self._value.get() is not None

    def switch(self, on: bool) -> None:
        if on:
            self._value.set(self._line)
        elif self.is_on():
            self._value.delete()


def system_autostart(environ: Mapping[str, str] = os.environ) -> Registration:
    """The implementation for this platform."""
    command = (*own_command(), "--hidden")
    if sys.platform == "win32":
        from gui.desktop.windows_registry import WindowsRunKey

        return RegistryEntry(WindowsRunKey(NAME), subprocess.list2cmdline(command))
    if sys.platform == "darwin":
        return LaunchAgent(Path.home(), command)
    named = Path(environ.get("XDG_CONFIG_HOME", ""))
    return XdgAutostart(named if named.is_absolute() else Path.home() / ".config", command)


def own_command() -> tuple[str, ...]:
    """The command that starts this Toolbooth."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    script = Path(sys.executable).with_name(NAME)
    return (str(script),) if script.exists() else (sys.executable, "-m", "gui")


def desktop_entry(command: Sequence[str], *codes: str, **more: str) -> str:
    """An entry that starts `command`; `codes` are field codes that the desktop expands."""
    words = " ".join([*(_exec_word(word) for word in command), *codes])
    lines = {"Type": "Application", "Name": "Toolbooth", "Exec": words, **more}
    return "\n".join(["[Desktop Entry]", *(f"{key}={value}" for key, value in lines.items()), ""])


def is_entry_on(file: Path) -> bool:
    """Desktops also disable an entry by a key in it."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, configparser.Error):
        return False
    section = "Desktop Entry"
    hidden = parser.get(section, "Hidden", fallback="false").lower()
    enabled = parser.get(section, "X-GNOME-Autostart-enabled", fallback="true").lower()
    is_on = (hidden, enabled) == ("false", "true")
    return is_on and _can_be_started(parser.get(section, "Exec", fallback=""))


def _can_be_started(line: str) -> bool:
    """Whether the program still exists where the entry says."""
    try:
        words = shlex.split(line.replace("\\\\", "\\"))
    except ValueError:
        return False
    program = re.sub(r"\\([`$])", r"\1", words[0]).replace("%%", "%") if words else ""
    return shutil.which(program) is not None


def refused(error: OSError, message: str) -> ToolboothError:
    return ToolboothError(message, error.strerror or str(error))


def write_or_remove(file: Path, content: bytes, on: bool) -> None:
    """Atomically: half an entry would be invalid."""
    if not on:
        file.unlink(missing_ok=True)
        return
    target = file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.new")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _exec_word(word: str) -> str:
    """Quoted as a desktop entry wants it: once for the command line, once for the file."""
    if not _RESERVED.search(word):
        return word
    quoted = re.sub(r'(["`$\\])', r"\\\1", word).replace("\\", "\\\\").replace("%", "%%")
    return f'"{quoted}"'
