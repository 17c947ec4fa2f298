"""The user's registry keys on Windows. Empty elsewhere."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import winreg

    _PATH = r"Software\Microsoft\Windows\CurrentVersion\Run"

    class WindowsRunKey:
        """The command that starts at login under `name`."""

        def __init__(self, name: str) -> None:
            self._name = name

        def get(self) -> str | None:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _PATH) as key:
                    return str(winreg.QueryValueEx(key, self._name)[0])
            except FileNotFoundError:
                return None

        def set(self, line: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _PATH) as key:
                winreg.SetValueEx(key, self._name, 0, winreg.REG_SZ, line)

        def delete(self) -> None:
            access = winreg.KEY_SET_VALUE
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _PATH, access=access) as key:
                winreg.DeleteValue(key, self._name)

    class WindowsLinkKey:
        """The command for links of a scheme."""

        def __init__(self, scheme: str) -> None:
            self._root = rf"Software\Classes\{scheme}"
            self._levels = ("", r"\shell", r"\shell\open", r"\shell\open\command")

        def get(self) -> str | None:
            try:
                return winreg.QueryValue(winreg.HKEY_CURRENT_USER, self._root + self._levels[-1])
            except FileNotFoundError:
                return None

        def set(self, line: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, self._root) as key:
                winreg.SetValueEx(key, "", 0, winreg.REG_SZ, "URL:Toolbooth")
                winreg.SetValueEx(key, "URL Protocol", 0, winreg.REG_SZ, "")
            path = self._root + self._levels[-1]
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, path) as key:
                winreg.SetValueEx(key, "", 0, winreg.REG_SZ, line)

        def delete(self) -> None:
            for level in reversed(self._levels):  # A key with keys in it can't be deleted.
                winreg.DeleteKey(winreg.HKEY_CURRENT_USER, self._root + level)
