"""Confirming a command at a real terminal: a program that runs commands has none."""

from __future__ import annotations

import secrets
import sys
from contextlib import ExitStack

from router.domain.errors import Refused

_DEVICES = ("CONIN$", "CONOUT$") if sys.platform == "win32" else ("/dev/tty", "/dev/tty")


def confirm_at_terminal(command: str) -> None:
    """Return if the person at the terminal types the code that is shown there. Standard input and
    output are not used: another program may have made them. Raises `Refused`."""
    code = f"{secrets.randbelow(10_000):04d}"
    with ExitStack() as opened:
        try:
            keyboard = opened.enter_context(open(_DEVICES[0]))  # noqa: PTH123
            screen = opened.enter_context(open(_DEVICES[1], "w"))  # noqa: PTH123
        except OSError:
            raise Refused(
                "This command needs a person to confirm it, and there is no terminal.",
                "Run it in a terminal of your own, or while Toolbooth's window is open.",
            ) from None
        screen.write(f"{command}\nType {code} to confirm: ")
        screen.flush()
        if keyboard.readline().strip() != code:
            raise Refused("The command was not confirmed.")
