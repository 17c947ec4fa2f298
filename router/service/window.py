"""The window as commands see it: an event that it acts on."""

from __future__ import annotations

from collections.abc import Sequence

from router.api.events import Publish, WindowRequested


class Window:
    """The production implementation of `api.window.WindowPort`."""

    def __init__(self, publish: Publish, *, attended: bool) -> None:
        self._publish = publish
        self._attended = attended

    def open(self, words: Sequence[str]) -> bool:
        if self._attended:
            self._publish(WindowRequested(tuple(words)))
        return self._attended
