"""Command lines to arguments and back, by the rules of POSIX shells or Windows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence

WINDOWS = sys.platform == "win32"

_WINDOWS_TOKEN = re.compile(r'(?P<slashes>\\*)(?P<quote>")|(?P<space>\s)|.', re.DOTALL)


def split(text: str, *, windows: bool = WINDOWS) -> list[str]:
    """The arguments of `text`; raises ValueError where a quote is never closed."""
    return _split_windows(text) if windows else shlex.split(text)


def join(arguments: Sequence[str], *, windows: bool = WINDOWS) -> str:
    """The command line that `split` takes apart into `arguments` again."""
    return subprocess.list2cmdline(arguments) if windows else shlex.join(arguments)


def _split_windows(text: str) -> list[str]:
    """As Windows programs read their command line: a backslash means itself unless a quote follows
    it, then each pair of them is one."""
    arguments: list[str] = []
    word: str | None = None
    quoted = False
    for token in _WINDOWS_TOKEN.finditer(text):
        if token["quote"]:
            pairs, odd = divmod(len(token["slashes"]), 2)
            word = (word or "") + "\\" * pairs + '"' * odd
            quoted ^= not odd
        elif quoted or not token["space"]:
            word = (word or "") + token[0]
        elif word is not None:
            arguments.append(word)
            word = None
    if quoted:
        raise ValueError("No closing quotation")
    return arguments if word is None else [*arguments, word]
