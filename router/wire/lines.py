"""Splits a byte stream into lines. Pure and incremental; linear in the bytes fed, however they are
cut."""

from __future__ import annotations

_KEPT_END_BYTES = 256


class TruncatedLine(bytes):
    """The two ends of a line that was too long."""


def ends_of(line: bytes) -> TruncatedLine:
    end = max(_KEPT_END_BYTES, len(line) - _KEPT_END_BYTES)
    return TruncatedLine(line[:_KEPT_END_BYTES] + line[end:])


class LineSplitter:
    """Bytes in, whole lines out, without their line feeds. Of a line of more than `max_bytes` only
    the ends are kept."""

    __slots__ = ("_buffer", "_max_bytes", "_tail", "dropped")

    def __init__(self, max_bytes: int | None = None) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._tail = b""
        self.dropped = 0
        """How many bytes of the unfinished line were dropped."""

    @property
    def pending(self) -> int:
        """How many bytes are buffered, so that the caller can set a limit."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes."""
        *lines, rest = data.split(b"\n")
        if lines and self._buffer:
            self._append(lines[0])
            lines[0] = self.flush()
        if rest:
            self._append(rest)
        return lines

    def flush(self) -> bytes:
        """Take the unfinished line out of the buffer."""
        line = TruncatedLine(self._buffer + self._tail) if self.dropped else bytes(self._buffer)
        self._buffer, self._tail, self.dropped = bytearray(), b"", 0
        return line

    def _append(self, part: bytes) -> None:
        if self.dropped:
            self.dropped += len(part)
            self._tail = (self._tail + part)[-_KEPT_END_BYTES:]
            return
        self._buffer += part
        if self._max_bytes is not None and len(self._buffer) > self._max_bytes:
            self.dropped = len(self._buffer) - _KEPT_END_BYTES
            self._tail = bytes(self._buffer[-_KEPT_END_BYTES:])
            del self._buffer[_KEPT_END_BYTES:]
