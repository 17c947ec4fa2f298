"""HTTP connections that don't wait for ever: uvicorn's protocol with a limit on how long the head
of a request may take and how large it may be, and one on how many connections there are.

https://github.com/encode/uvicorn has no such limits: half-sent requests would stay open for good.
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
"""As long as the name it takes the place of."""


class BoundedConnection(HttpToolsProtocol):
    """Closed if a request's head is not complete in time, from its first byte or, for the first
    request, from the moment the connection was made; or if there is too much that is no body: a
    head, or what may follow a body in chunks."""

    _deadline: asyncio.TimerHandle | None = None
    _beside_body = 0
    _in_body = False
    _served: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.write(_TOO_MANY)
            transport.close()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        self._beside_body += len(data)
        super().data_received(data if self._in_body else _without_upgrade(data))
        if self._beside_body > MAX_HEAD_BYTES:
            self.transport.close()
        if self.cycle and not self.cycle.response_complete:
            self._stop_waiting()
        else:
            self._await_head()  # also while the rest of a body comes that was refused

    def on_headers_complete(self) -> None:
        self._in_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._beside_body = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        self._beside_body = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)
        if (served := self._served) is not None:  # uvicorn tells only the last that was sent
            served.disconnected = True
            served.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._served = cycle
        super()._start_asgi_task(cycle, app)

    def _await_head(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(HEAD_DEADLINE_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self.transport.close()


def _without_upgrade(data: bytes) -> bytes:
    """`data` with an offer to speak another protocol, as each request of Java's client has it, by a
    name that nobody knows: we speak none, but the parser would take the body for it."""
    if b"pgrade:" not in data:
        return data
    head, end, rest = data.partition(b"\r\n\r\n")
    return _UPGRADE.sub(_IGNORED, head) + end + rest


def most_connections() -> int:
    """Half of the files this process may open, so that the other half is there for servers."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // 2)
