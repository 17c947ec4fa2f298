"""The window as commands see it: an event that it acts on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from router.api.events import Publish, WindowRequested


@dataclass(frozen=True, slots=True)
class Window:
    """The production implementation of `api.window.WindowPort`."""

    _publish: Publish
    _attended: bool

    def open(self, words: Sequence[str]) -> bool:
        if self._attended:
            self._publish(WindowRequested(tuple(words)))
        return self._attended
