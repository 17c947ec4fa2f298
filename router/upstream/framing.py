"""Cutting byte streams into messages: lines, and server-sent events.

Pure and incremental. Cost is linear in the bytes fed, however they are cut: unfinished parts are
collected and joined once. `pending` says how much is held, so that the caller can set a limit.
"""

from __future__ import annotations


class LineSplitter:
    """Bytes in, whole lines out, without their line feeds."""

    __slots__ = ("_parts", "pending")

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.pending = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes."""
        *lines, rest = data.split(b"\n")
        if lines and self._parts:
            self._parts.append(lines[0])
            lines[0] = self.flush()
        if rest:
            self._parts.append(rest)
            self.pending += len(rest)
        return lines

    def flush(self) -> bytes:
        """What is held of an unfinished line, which is then forgotten."""
        line = b"".join(self._parts)
        self._parts.clear()
        self.pending = 0
        return line


class EventParser:
    """Bytes of an event stream in, the data of its messages out.

    `last_id` is where the stream could be resumed, `retry_ms` how long it asked to wait before.
    """

    def __init__(self, last_id: str = "") -> None:
        self._lines = LineSplitter()
        self._ended_with_cr = False
        self._event = b""
        self._data: list[bytes] = []
        self._data_size = 0
        self.last_id = last_id
        self.retry_ms: int | None = None

    @property
    def pending(self) -> int:
        return self._lines.pending + self._data_size

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that `data` completes; no other events and no empty ones."""
        messages: list[bytes] = []
        for line in self._lines.feed(self._with_line_feeds(data)):
            if line:
                self._take_field(line)
            elif message := self._finish():
                messages.append(message)
        return messages

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
                self._data.append(value)
                self._data_size += len(value) + 1
            case b"event":
                self._event = value
            case b"id" if b"\0" not in value:
                self.last_id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) < 10:
                self.retry_ms = int(value)
            case _:
                pass

    def _finish(self) -> bytes:
        message = b"\n".join(self._data) if self._event in (b"", b"message") else b""
        self._event = b""
        self._data.clear()
        self._data_size = 0
        return message
