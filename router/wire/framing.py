"""Cutting byte streams into messages: lines, and server-sent events.

Pure and incremental. Cost is linear in the bytes fed, however they are cut. `pending` says how
much is held, so that the caller can set a limit.
"""

from __future__ import annotations

from typing import NamedTuple

MESSAGE = b"message"
"""The kind of an event that doesn't say its kind."""
_KEPT_END_BYTES = 256
_MAX_ID_BYTES = 1024


class CutLine(bytes):
    """The two ends of a line that was too long to be kept."""


class LineSplitter:
    """Bytes in, whole lines out, without their line feeds. Of a line of more than `max_bytes` only
    the ends are kept."""

    __slots__ = ("_held", "_max_bytes", "_tail", "dropped")

    def __init__(self, max_bytes: int | None = None) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._tail = b""
        self.dropped = 0
        """How many bytes of the unfinished line were not kept."""

    @property
    def pending(self) -> int:
        return len(self._held)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes."""
        *lines, rest = data.split(b"\n")
        if lines and self._held:
            self._hold(lines[0])
            lines[0] = self.flush()
        if rest:
            self._hold(rest)
        return lines

    def flush(self) -> bytes:
        """What is held of an unfinished line, which is then forgotten."""
        line = CutLine(self._held + self._tail) if self.dropped else bytes(self._held)
        self._held, self._tail, self.dropped = bytearray(), b"", 0
        return line

    def _hold(self, part: bytes) -> None:
        if self.dropped:
            self.dropped += len(part)
            self._tail = (self._tail + part)[-_KEPT_END_BYTES:]
            return
        self._held += part
        if self._max_bytes is not None and len(self._held) > self._max_bytes:
            self.dropped = len(self._held) - _KEPT_END_BYTES
            self._tail = bytes(self._held[-_KEPT_END_BYTES:])
            del self._held[_KEPT_END_BYTES:]


class Event(NamedTuple):
    kind: bytes
    data: bytes


class EventParser:
    """Bytes of an event stream in, its events out.

    `last_id` is where the stream could be resumed, `retry_ms` how long it asked to wait before.
    """

    def __init__(self, last_id: str = "") -> None:
        self._lines = LineSplitter()
        self._ended_with_cr = False
        self._event = b""
        self._data = bytearray()
        self.last_id = last_id
        self.retry_ms: int | None = None

    @property
    def pending(self) -> int:
        return self._lines.pending + len(self._data)

    def feed(self, data: bytes) -> list[Event]:
        """The events that `data` completes; none that are empty."""
        events: list[Event] = []
        for line in self._lines.feed(self._with_line_feeds(data)):
            if line:
                self._take_field(line)
            elif len(self._data) > 1:
                events.append(self._finish())
            else:  # of which there may be a flood
                self._data.clear()
                self._event = b""
        return events

    def _with_line_feeds(self, data: bytes) -> bytes:
        """Lines may end in CR, LF or CR LF, and a chunk may end between the two."""
        if self._ended_with_cr:
            data = data.removeprefix(b"\n")
        self._ended_with_cr = data.endswith(b"\r")
        if b"\r" not in data:
            return data
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _take_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data += value
                self._data += b"\n"
            case b"event":
                self._event = value
            case b"id" if b"\0" not in value and len(value) <= _MAX_ID_BYTES:
                self.last_id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) < 10:
                self.retry_ms = int(value)
            case _:
                pass

    def _finish(self) -> Event:
        event = Event(self._event or MESSAGE, bytes(self._data[:-1]))
        self._event = b""
        self._data.clear()
        return event
