"""The last lines that each server wrote to stderr."""

from __future__ import annotations

from collections import defaultdict, deque

from router.domain.ids import ServerRef
from router.domain.servers import LogLine
from router.runtime.clock import Clock

KEPT_LINES = 500


class ServerLogs:
    """`add` is called on the router's loop, `of` on any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines = defaultdict[ServerRef, deque[LogLine]](lambda: deque(maxlen=KEPT_LINES))

    def add(self, ref: ServerRef, text: str) -> None:
        self._lines[ref].append(LogLine(self._clock(), text))

    def of(self, ref: ServerRef) -> tuple[LogLine, ...]:
        lines = self._lines.get(ref)
        return tuple(lines.copy()) if lines is not None else ()

    def forget(self, ref: ServerRef) -> None:
        self._lines.pop(ref, None)
