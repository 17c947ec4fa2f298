"""How to install the programs that servers are started with: a command to copy, never one that we
run. Pure, but for the lookup of package managers."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import PurePath

from resources import read_text

_PROGRAMS = {"npx": "node", "npm": "node", "uvx": "uv", "bunx": "bun"}
"""Commands that come with a program of another name."""


def install_command(
    command: str,
    there: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> str | None:
    """The command that installs `command`: by a package manager of this computer, else by the
    program's official installer; None if there is neither."""
    name = PurePath(command).stem.lower()
    commands: dict[str, dict[str, str]] = json.loads(read_text("install_commands.json"))
    by_manager = commands.get(_PROGRAMS.get(name, name), {})
    installer = by_manager.pop("sh", None)  # No manager: a shell on Windows does not run it.
    found = (text for manager, text in by_manager.items() if there(manager))
    return next(found, installer if platform != "win32" else None)
