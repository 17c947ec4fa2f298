"""How to install the programs that servers are started with: a command to copy, never one that we
run. Pure, but for the lookup of package managers."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import PurePath

_PROGRAMS = {
    "npx": "node",
    "npm": "node",
    "uvx": "uv",
    "bunx": "bun",
}
"""Commands that come with a program of another name."""
_MANAGERS = (
    ("brew", "brew install"),
    ("winget", "winget install --id"),
    ("apt", "sudo apt install"),
    ("dnf", "sudo dnf install"),
    ("pacman", "sudo pacman -S"),
)
_PACKAGES = {
    "node": {
        "brew": "node",
        "winget": "OpenJS.NodeJS.LTS",
        "apt": "nodejs npm",
        "dnf": "nodejs npm",
        "pacman": "nodejs npm",
    },
    "uv": {"brew": "uv", "winget": "astral-sh.uv", "dnf": "uv", "pacman": "uv"},
    "bun": {"brew": "oven-sh/bun/bun", "winget": "Oven-sh.Bun"},
    "deno": {"brew": "deno", "winget": "DenoLand.Deno", "pacman": "deno"},
    "pipx": {"brew": "pipx", "apt": "pipx", "dnf": "pipx", "pacman": "python-pipx"},
    "docker": {"winget": "Docker.DockerDesktop", "apt": "docker.io", "pacman": "docker"},
    "podman": {"brew": "podman", "apt": "podman", "dnf": "podman", "pacman": "podman"},
}
_OWN_INSTALLERS = {
    "uv": "curl -LsSf https://astral.sh/uv/install.sh | sh",
    "bun": "curl -fsSL https://bun.sh/install | bash",
    "deno": "curl -fsSL https://deno.land/install.sh | sh",
}
"""The official installers, where no package manager has them."""


def install_command(
    command: str,
    there: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> str | None:
    """The command that installs `command`; None if there is no general one."""
    name = PurePath(command).stem.lower()
    program = _PROGRAMS.get(name, name)
    packages = _PACKAGES.get(program, {})
    for manager, installs in _MANAGERS:
        if manager in packages and there(manager) is not None:
            return f"{installs} {packages[manager]}"
    return _OWN_INSTALLERS.get(program) if platform != "win32" else None
