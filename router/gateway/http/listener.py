"""The local HTTP listener: on 127.0.0.1, with a clear error when the port is taken, and on ::1,
which is all that some clients try for `localhost`.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn

from router.domain.errors import Conflict, sentence
from router.gateway.http.connection_limits import bounded_connection
from router.gateway.http.http_request import ASGIApp
from router.runtime.tasks import spawn

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
_HOST_IPV6 = "::1"
_GRACEFUL_STOP_S = 2
_KEEP_ALIVE_S = 60
"""Clients pause between calls; one that sends while we close the connection gets no response."""


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the application has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class Listener:
    def __init__(
        self,
        port: int,
        build: Callable[[frozenset[str]], ASGIApp],
        session_limit: Callable[[], int],
    ) -> None:
        """Listen on `port` (0: any free one) or raise `Conflict`. `build` gets the Host headers
        that are accepted."""
        bound = _bind(socket.AF_INET, HOST, port)
        self.port: int = bound.getsockname()[1]
        names = (HOST, "localhost", f"[{_HOST_IPV6}]")
        self._server = _Server(
            uvicorn.Config(
                build(frozenset(f"{name}:{self.port}" for name in names)),
                http=bounded_connection(session_limit),
                ws="none",
                timeout_keep_alive=_KEEP_ALIVE_S,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                timeout_graceful_shutdown=_GRACEFUL_STOP_S,
            )
        )
        self._serving = spawn(
            self._server.serve(sockets=[bound, *_bind_ipv6(self.port)]), name="listener"
        )

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/mcp"

    async def stop(self) -> None:
        """Stop accepting, give running requests a moment, then close."""
        self._server.should_exit = True
        await asyncio.wait([self._serving], timeout=_GRACEFUL_STOP_S + 1)


def _bind(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two programs share the port
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise Conflict(
                sentence("Port {port} is already in use by another program.", port=port),
                "Stop that program, or choose another port in Settings or with --port.",
            ) from None
        raise
    bound.setblocking(False)
    return bound


def _bind_ipv6(port: int) -> list[socket.socket]:
    """::1, if this computer has it. Everything we write into files names 127.0.0.1."""
    try:
        return [_bind(socket.AF_INET6, _HOST_IPV6, port)]
    except Conflict:
        log.warning(
            "Another program has port %d of [::1]: clients must use 127.0.0.1, not localhost", port
        )
    except OSError:
        log.debug("This computer has no ::1")
    return []
