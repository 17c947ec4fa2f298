"""Parses one HTTP/1.1 response incrementally, with httptools.

A connection carries one request at a time, so wrong framing harms only the server that sent it.
httptools rejects malformed and contradictory framing. It limits no sizes and accepts more versions
and transfer encodings than we do, so this module checks those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import httptools

_MAX_OVERHEAD_BYTES = 64 * 1024
"""How much may arrive in a row that is not body: a head, interim responses, trailers."""
_VERSIONS = ("1.0", "1.1")


class InvalidResponse(ValueError):
    """Bytes that are not an HTTP response."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    version: bytes
    status: int
    reason: bytes
    headers: Sequence[tuple[bytes, bytes]]


class ResponseParser:
    """`head` is set once it is complete; `done` once the response is."""

    def __init__(self, method: str) -> None:
        self._is_head_request = method == "HEAD"
        self._parser = httptools.HttpResponseParser(self)
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []
        self._overhead_bytes = 0
        self._ends_at_eof = False
        self._keep_alive = False
        self._has_excess = False
        """Whether anything came after the end of the response."""
        self.head: ResponseHead | None = None
        self.done = False

    @property
    def reusable(self) -> bool:
        """Whether the response is complete and the connection may be used again."""
        return self.done and self._keep_alive and not self._has_excess

    def feed(self, data: bytes) -> list[bytes]:
        """The parts of the body in `data`. Raises `InvalidResponse`."""
        if self.done:
            self._has_excess = True
            return []
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if not self.done:
                raise InvalidResponse(str(error.__context__ or error)) from None
            self._has_excess = True
        if self.done:
            del self._parser  # it refers to us: leave no cycle to the garbage collector
        parts, self._parts = self._parts, []
        self._overhead_bytes = 0 if parts else self._overhead_bytes + len(data)
        if self._overhead_bytes > _MAX_OVERHEAD_BYTES:
            raise InvalidResponse("headers without end")
        return parts

    def feed_eof(self) -> None:
        """The peer has closed the connection. Raises `InvalidResponse` if the response is
        incomplete."""
        if not self.done and not self._ends_at_eof:
            raise InvalidResponse("the connection broke off")
        self.done = True

    # Called by httptools

    def on_message_begin(self) -> None:
        self._has_excess = self.done
        self._reason, self._headers = b"", []

    def on_status(self, status: bytes) -> None:
        self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value.rstrip()))

    def on_headers_complete(self) -> None:
        status, version = self._parser.get_status_code(), self._parser.get_http_version()
        if version not in _VERSIONS:
            raise InvalidResponse("an unknown version of HTTP")
        if status < 200 or self.done:  # an interim response, or an unsolicited one
            return
        lengths, encodings = self._values(b"content-length"), self._values(b"transfer-encoding")
        if encodings not in ([], [b"chunked"]):
            raise InvalidResponse("an unknown transfer encoding")
        self._ends_at_eof = not lengths and not encodings
        version_text = f"HTTP/{version}".encode("ascii")
        self.head = ResponseHead(version_text, status, self._reason, tuple(self._headers))
        if self._is_head_request:
            self.on_message_complete()

    def on_body(self, body: bytes) -> None:
        if self.head is None:
            raise InvalidResponse("an interim response with a body")
        if self.done:
            self._has_excess = True
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        if self.head is not None and not self.done:
            self.done = True
            self._keep_alive = self._parser.should_keep_alive()

    def _values(self, name: bytes) -> list[bytes]:
        return [value.lower() for key, value in self._headers if key.lower() == name]
