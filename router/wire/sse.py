"""Parses a stream of server-sent events. Pure and incremental; linear in the bytes fed, however
they are cut.
"""

from __future__ import annotations

from typing import NamedTuple

from router.wire.lines import LineSplitter

MESSAGE_EVENT = b"message"
"""The type of an event without an `event` field."""
_MAX_ID_BYTES = 1024


class ServerSentEvent(NamedTuple):
    type: bytes
    data: bytes


class SseParser:
    """Bytes of an event stream in, its events out.

    `last_event_id` is where the stream can be resumed, `retry_ms` the delay that was asked for.
    """

    def __init__(self, last_event_id: str = "") -> None:
        self._lines = LineSplitter()
        self._ended_with_cr = False
        self._type = b""
        self._data = bytearray()
        self.last_event_id = last_event_id
        self.retry_ms: int | None = None

    @property
    def pending(self) -> int:
        """How many bytes are buffered, so that the caller can set a limit."""
        return self._lines.pending + len(self._data)

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """The events that `data` completes, without empty ones."""
        events: list[ServerSentEvent] = []
        for line in self._lines.feed(self._with_line_feeds(data)):
            if line:
                self._parse_field(line)
            elif len(self._data) > 1:
                events.append(self._finish())
            else:  # of which there may be a flood
                self._data.clear()
                self._type = b""
        return events

    def _with_line_feeds(self, data: bytes) -> bytes:
        """Lines may end in CR, LF or CR LF, and a chunk may end between the two."""
        if self._ended_with_cr:
            data = data.removeprefix(b"\n")
        self._ended_with_cr = data.endswith(b"\r")
        if b"\r" not in data:
            return data
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _parse_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data += value
                self._data += b"\n"
            case b"event":
                self._type = value
            case b"id" if b"\0" not in value and len(value) <= _MAX_ID_BYTES:
                self.last_event_id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) < 10:
                self.retry_ms = int(value)
            case _:
                pass

    def _finish(self) -> ServerSentEvent:
        event = ServerSentEvent(self._type or MESSAGE_EVENT, bytes(self._data[:-1]))
        self._type = b""
        self._data.clear()
        return event
