"""The bytes of one HTTP/1.1 reply to its head and body: pure and incremental.

A connection carries one request at a time, so whatever a server makes of its framing concerns
nobody but itself; what is left to guard is the size of a head. Cost is linear in the bytes fed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MAX_HEAD_BYTES = 64 * 1024
_MAX_LINE_BYTES = 4 * 1024
_BODILESS = (204, 304)
_END_OF_HEAD = b"\r\n\r\n"


class BadReply(ValueError):
    """Bytes that are no HTTP."""


@dataclass(frozen=True, slots=True)
class Head:
    version: bytes
    status: int
    reason: bytes
    headers: Sequence[tuple[bytes, bytes]]

    def values(self, name: bytes) -> list[bytes]:
        """What the headers called `name` (in lower case) say, each part by itself, likewise."""
        said = [value for key, value in self.headers if key.lower() == name]
        return [part.strip().lower() for value in said for part in value.split(b",")]

    @property
    def keeps_connection(self) -> bool:
        wishes = self.values(b"connection")
        return b"keep-alive" in wishes if self.version == b"HTTP/1.0" else b"close" not in wishes


class ReplyParser:
    """`head` is there as soon as it is complete; `done` when nothing more belongs to the reply."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._held = bytearray()
        self._left: int | None = None
        """How much of the body, or of a chunk of it, is still to come; `None`: until the end."""
        self._chunked = False
        self._in_trailers = False
        self.head: Head | None = None
        self.done = False

    @property
    def ends_cleanly(self) -> bool:
        """Whether the reply is complete and leaves the connection as it was."""
        return self.done and not self._held and self.head is not None and self.head.keeps_connection

    def feed(self, data: bytes) -> list[bytes]:
        """The parts of the body in `data`. Raises `BadReply`."""
        if self.head is not None and not self._chunked and not self._held:
            return self._plain(data)
        self._held += data
        while self.head is None:
            if not self._take_head():
                return []
        if self._chunked:
            return self._chunks()
        rest = bytes(self._held)
        self._held.clear()
        return self._plain(rest)

    def end(self) -> None:
        """The server has closed the connection. Raises `BadReply` if something is missing."""
        until_the_end = self.head is not None and self._left is None
        if not self.done and not until_the_end:
            raise BadReply("the connection broke off")
        self.done = True

    def _take_head(self) -> bool:
        """Whether there was a whole one; those that only announce another don't count."""
        end = self._held.find(_END_OF_HEAD)
        if end > _MAX_HEAD_BYTES or (end < 0 and len(self._held) > _MAX_HEAD_BYTES):
            raise BadReply("headers without end")
        if end < 0:
            return False
        head = _head(bytes(self._held[:end]))
        del self._held[: end + len(_END_OF_HEAD)]
        if head.status >= 200:
            self.head = head
            self._frame(head)
        return True

    def _frame(self, head: Head) -> None:
        lengths = set(head.values(b"content-length"))
        if self._method == "HEAD" or head.status in _BODILESS:
            self._left = 0
        elif encodings := head.values(b"transfer-encoding"):
            if encodings != [b"chunked"]:
                raise BadReply("an unknown transfer encoding")
            self._chunked, self._left = True, 0
        elif lengths:
            self._left = _number(lengths.pop(), 10) if len(lengths) == 1 else -1
            if self._left < 0:
                raise BadReply("lengths that contradict each other")
        self.done = self._left == 0 and not self._chunked

    def _plain(self, data: bytes) -> list[bytes]:
        if self._left is None:
            return [data] if data else []
        part = data[: self._left]
        self._left -= len(part)
        if len(data) > len(part):
            self._held += data[len(part) :]
        self.done = not self._left
        return [part] if part else []

    def _chunks(self) -> list[bytes]:
        parts: list[bytes] = []
        at = 0
        while not self.done:
            if self._left:
                part = bytes(self._held[at : at + self._left])
                if not part:
                    break
                parts.append(part)
                at += len(part)
                self._left -= len(part)
                continue
            end = self._held.find(b"\n", at)
            if end < 0:
                if len(self._held) - at > _MAX_LINE_BYTES:
                    raise BadReply("a chunk without a size")
                break
            self._take_line(bytes(self._held[at:end]).strip())
            at = end + 1
        del self._held[:at]
        return parts

    def _take_line(self, line: bytes) -> None:
        """Between chunks: the size of the next, the empty end of the last, or a trailer."""
        if self._in_trailers:
            self.done = not line
        elif line:
            self._left = _number(line.partition(b";")[0].strip(), 16)
            self._in_trailers = self._left == 0


def _head(text: bytes) -> Head:
    first, *lines = text.split(b"\r\n")
    version, _, rest = first.lstrip(b"\r\n").partition(b" ")
    status, _, reason = rest.partition(b" ")
    if version not in (b"HTTP/1.1", b"HTTP/1.0") or len(status) != 3 or not status.isdigit():
        raise BadReply("it does not begin like HTTP")
    pairs = [line.partition(b":") for line in lines]
    if any(not colon or not name or name != name.strip() for name, colon, _ in pairs):
        raise BadReply("a header without a name")
    headers = tuple((name, value.strip()) for name, _, value in pairs)
    return Head(version, int(status), reason, headers)


def _number(text: bytes, base: int) -> int:
    if not 0 < len(text) <= 16 or not text.isalnum():
        raise BadReply("a length that is no number")
    try:
        return int(text, base)
    except ValueError:
        raise BadReply("a length that is no number") from None
