"""Where applications keep their files, by home directory, environment and platform."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AppLocations:
    home: Path
    environ: Mapping[str, str]
    platform: str = sys.platform

    @classmethod
    def here(cls) -> AppLocations:
        return cls(Path.home(), os.environ)

    @property
    def on_windows(self) -> bool:
        return self.platform == "win32"

    @property
    def config(self) -> Path:
        """The folder of applications that use XDG, on Windows too."""
        named = None if self.on_windows else self.environ.get("XDG_CONFIG_HOME")
        return Path(named) if named else self.home / ".config"

    @property
    def roaming(self) -> Path:
        """`%APPDATA%` on Windows."""
        return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")

    @property
    def local(self) -> Path:
        """`%LOCALAPPDATA%` on Windows."""
        return Path(self.environ.get("LOCALAPPDATA") or self.home / "AppData" / "Local")

    @property
    def applications(self) -> Path:
        """The folder of desktop applications: Application Support, .config or AppData/Roaming."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.roaming if self.on_windows else self.config

    @property
    def extensions(self) -> Path:
        """The folder of VS Code's extensions."""
        return self.applications / "Code/User/globalStorage"

    @property
    def cline(self) -> Path:
        return Path(self.environ.get("CLINE_DIR") or self.home / ".cline")

    @property
    def codex(self) -> Path:
        return Path(self.environ.get("CODEX_HOME") or self.home / ".codex")

    def has_command(self, command: str) -> bool:
        return shutil.which(command, path=self.environ.get("PATH", "")) is not None
