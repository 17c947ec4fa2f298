"""`python -m router`: the headless side of the `toolbooth` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_INNER_COMMANDS = ("confine", "probe")
_VETTING_WORKER = "vetting-worker"
_SCRIPT_WORKER = "script-worker"
"""What Toolbooth starts itself as: a bundle has no other interpreter."""


def data_dir(option: str | None) -> Path:
    """The data directory: the option, `TOOLBOOTH_HOME`, or the default of the system."""
    chosen = option or os.environ.get("TOOLBOOTH_HOME")
    if chosen:
        return Path(chosen).expanduser().resolve()
    import platformdirs

    return Path(platformdirs.user_data_dir("Toolbooth", appauthor=False))


def fill_standard_streams() -> None:
    """A shell may have closed some (`>&-`): the next file or socket would take their place, and
    what is printed would go there."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def main(arguments: Sequence[str] | None = None) -> int:
    fill_standard_streams()
    try:
        return _main(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # also while modules are loaded, which takes a moment
        return 1


def _main(argv: Sequence[str]) -> int:
    if argv and argv[0] in _INNER_COMMANDS:
        from router.discovery.sandbox.self_commands import run_inner

        return run_inner(argv)
    if argv and argv[0] == _VETTING_WORKER:
        from router.discovery.vetting.worker import main as vet

        vet()
        return 0
    if argv and argv[0] == _SCRIPT_WORKER:
        from router.scripts.worker import main as run_script

        return run_script()
    if list(argv) == ["--version"]:
        return _print_version()
    from router.cli.main import run

    return run(argv, data_dir)


def _print_version() -> int:
    """Without the parser, which loads every command; unbuffered, so that a closed pipe is noticed
    here and not at exit."""
    from router import __version__

    try:
        os.write(1, f"toolbooth {__version__}\n".encode())
    except OSError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
