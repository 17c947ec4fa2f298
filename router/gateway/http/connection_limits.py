"""uvicorn's HTTP protocol with limits: how long the head of a request may take, how large it may
be, and how many connections there are.

https://github.com/encode/uvicorn has none of them: half-sent requests would stay open forever.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import Callable

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

log = logging.getLogger(__name__)

HEAD_DEADLINE_S = 8.0
MAX_HEAD_BYTES = 64 * 1024
CONNECTIONS_PER_SESSION = 2
"""One for its requests, one for the stream of its notifications."""
_TOO_MANY = (
    "Toolbooth has {limit:,} open connections, which is its limit. Close one, or raise "
    "sessionLimit in Toolbooth's settings."
)
_REFUSAL = (
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n"
    "Content-Length: {length}\r\nConnection: close\r\n\r\n{text}"
)
_UPGRADE = re.compile(rb"^[Uu]pgrade(?=:)", re.MULTILINE)
_IGNORED = b"x-spare"
"""As long as the name it replaces."""


class BoundedConnection(HttpToolsProtocol):
    """Closed if a request's head is not complete in time, counted from its first byte or, for the
    first request, from the start of the connection; or if there are too many bytes outside of the
    body: a head, or trailers after a chunked body."""

    session_limit: Callable[[], int]
    _deadline: asyncio.TimerHandle | None = None
    _non_body_bytes = 0
    _in_body = False
    _cycle_served: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        limit = connection_limit(self.session_limit())
        if len(self.connections) > limit:
            text = _TOO_MANY.format(limit=limit)
            log.warning("Refused a connection. %s", text)
            transport.write(_REFUSAL.format(length=len(text), text=text).encode())
            transport.close()
            return
        self._start_deadline()

    def data_received(self, data: bytes) -> None:
        self._non_body_bytes += len(data)
        super().data_received(data if self._in_body else _without_upgrade(data))
        if self._non_body_bytes > MAX_HEAD_BYTES:
            self.transport.close()
        if self.cycle and not self.cycle.response_complete:
            self._cancel_deadline()
        else:
            self._start_deadline()  # also while the rest of a refused body comes

    def on_headers_complete(self) -> None:
        self._in_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._non_body_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        self._non_body_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)
        if (served := self._cycle_served) is not None:  # uvicorn notifies only the last cycle
            served.disconnected = True
            served.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._cycle_served = cycle
        super()._start_asgi_task(cycle, app)

    def _start_deadline(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(HEAD_DEADLINE_S, self._on_deadline)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _on_deadline(self) -> None:
        self._deadline = None
        self.transport.close()


def _without_upgrade(data: bytes) -> bytes:
    """`data` with its Upgrade header, which Java's client sends with each request, under an unknown
    name: we support no other protocol, but the parser would take the body for one."""
    if b"pgrade:" not in data:
        return data
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(_IGNORED, head) + end + rest


def bounded_connection(limit: Callable[[], int]) -> type[BoundedConnection]:
    """The class of connections for at most `limit` sessions."""

    class Connection(BoundedConnection):
        session_limit = staticmethod(limit)

    return Connection


def connection_limit(sessions: int) -> int:
    """How many connections there may be for so many sessions: at most half of the files that this
    process may open, because the other half is for servers. It may open more if it needs to."""
    wanted = CONNECTIONS_PER_SESSION * sessions
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < 2 * wanted and soft != hard:
        soft = 2 * wanted if hard == resource.RLIM_INFINITY else min(2 * wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(wanted, soft // 2)
