"""`python -m router`: the headless side of the `toolbooth` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import platformdirs


def data_dir(option: str | None) -> Path:
    """Where everything lies: the option, `TOOLBOOTH_HOME`, or the place the system has for it."""
    chosen = option or os.environ.get("TOOLBOOTH_HOME")
    if chosen:
        return Path(chosen).expanduser().resolve()
    return Path(platformdirs.user_data_dir("Toolbooth", appauthor=False))


def main(arguments: Sequence[str] | None = None) -> int:
    from router.cli.running import run

    return run(sys.argv[1:] if arguments is None else arguments, data_dir)


if __name__ == "__main__":
    sys.exit(main())
