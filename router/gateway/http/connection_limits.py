"""uvicorn's HTTP protocol with limits: how long the head of a request may take, how large it may
be, and how many connections there are.

https://github.com/encode/uvicorn has none of them: half-sent requests would stay open forever.
"""

from __future__ import annotations

import asyncio
import re
import sys

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_DEADLINE_S = 8.0
MAX_HEAD_BYTES = 64 * 1024
MAX_CONNECTIONS = 2000
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)
_UPGRADE = re.compile(rb"^[Uu]pgrade(?=:)", re.MULTILINE)
_IGNORED = b"x-spare"
"""As long as the name it replaces."""


class BoundedConnection(HttpToolsProtocol):
    """Closed if a request's head is not complete in time, counted from its first byte or, for the
    first request, from the start of the connection; or if there are too many bytes outside of the
    body: a head, or trailers after a chunked body."""

    _deadline: asyncio.TimerHandle | None = None
    _non_body_bytes = 0
    _in_body = False
    _cycle_served: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        if len(self.connections) > max_connections():
            transport.write(_TOO_MANY)
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


def max_connections() -> int:
    """Half of the files this process may open: the other half is for servers."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // 2)
