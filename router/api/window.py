"""The window, for commands that bring it to the front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class WindowPort(Protocol):
    def open(self, words: Sequence[str]) -> bool:
        """Bring the window to the front for a start with these words of the command line; False if
        there is no window."""
        ...
