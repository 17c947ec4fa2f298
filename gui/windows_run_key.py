"""Windows' Run key of the person. Empty elsewhere."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import winreg

    _PATH = r"Software\Microsoft\Windows\CurrentVersion\Run"

    class WindowsRunKey:
        def get(self, name: str) -> str | None:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _PATH) as key:
                    return str(winreg.QueryValueEx(key, name)[0])
            except FileNotFoundError:
                return None

        def set(self, name: str, value: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _PATH) as key:
                winreg.SetValueEx(key, name, 0, winreg.REG_SZ, value)

        def delete(self, name: str) -> None:
            access = winreg.KEY_SET_VALUE
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _PATH, access=access) as key:
                winreg.DeleteValue(key, name)
