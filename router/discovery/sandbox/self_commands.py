"""The commands that Toolbooth runs itself with: `confine SPEC` runs a server in a sandbox, `probe
PLAN` tries to escape from one. Their command line depends on whether this is a bundle."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def inner_command(*words: str) -> list[str]:
    """The command line that runs `words` in another process."""
    if getattr(sys, "frozen", False):
        name = "toolbooth.exe" if sys.platform == "win32" else "toolbooth"
        return [str(Path(sys.executable).with_name(name)), *words]
    # Without site-packages, which only macOS needs (psutil): half the time to start.
    without_site = () if sys.platform == "darwin" else ("-S",)
    return [sys.executable, "-I", *without_site, __file__, *words]


def run_inner(words: Sequence[str]) -> int:
    name, file = words
    if name == "probe":
        from router.discovery.sandbox.escape_probe import main as probe

        return probe(file)
    if sys.platform == "linux":
        from router.discovery.sandbox.launcher import main as confine
    elif sys.platform == "win32":
        from router.discovery.sandbox.windows_launcher import main as confine
    else:
        from router.discovery.sandbox.posix_launcher import main as confine

    return confine(file)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    sys.exit(run_inner(sys.argv[1:]))
