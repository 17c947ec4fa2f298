"""All upstreams: connects a server on its first use, and keeps or stops it afterwards.

Once connected, a request is one dictionary lookup away from its connection. A call is never sent
twice: one whose upstream died fails, and the next call starts the server again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from router.model import Failure, FailureKind, JsonObject, ServerRef, ServerState
from router.ports import ProgressSink, Upstream
from router.tasks import spawn
from router.upstream.connection import Connection
from router.upstream.failures import failed
from router.upstream.owner import LaunchPlan, Owner, Surroundings

__all__ = ["LaunchPlan", "UpstreamPool"]

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT_S = 4.5
_STOPPING = Failure(FailureKind.OTHER, detail="Toolbooth is stopping")


def _ignore_line(_ref: ServerRef, _line: str) -> None:
    """The lines a server writes to stderr are of no interest."""


class UpstreamPool:
    """Implements `ports.Upstreams`.

    `launch` is asked at every start, so that secrets are resolved only then; it raises
    `UpstreamFailed` for a server that may not run. The callbacks run on the loop and never raise.
    """

    def __init__(
        self,
        launch: Callable[[ServerRef], Awaitable[LaunchPlan]],
        publish_state: Callable[[ServerRef, ServerState, Failure | None], None],
        on_notification: Callable[[ServerRef, str, JsonObject], None],
        on_stderr: Callable[[ServerRef, str], None] = _ignore_line,
        idle_timeout_s: float | None = 600,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._launch = launch
        self._publish_state = publish_state
        self._on_notification = on_notification
        self._on_stderr = on_stderr
        self._idle_timeout_s = idle_timeout_s
        self._clock = clock
        self._owners: dict[ServerRef, Owner] = {}
        self._ready: dict[ServerRef, Connection] = {}
        """Connections that are kept: the short way of `request`."""
        self._stopping = False

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        connection = self._ready.get(ref)
        if connection is None or connection.closed:
            connection = await self._connect(ref)
        return await connection.request(
            method, params, on_progress=on_progress, timeout_s=timeout_s
        )

    @asynccontextmanager
    async def borrow(self, ref: ServerRef) -> AsyncGenerator[Upstream]:
        async with self._owner(ref).borrowed() as connection:
            yield connection

    async def disconnect(self, ref: ServerRef) -> None:
        """Stop a server if it runs; its next use starts it again, with a new plan."""
        if owner := self._owners.get(ref):
            await owner.stop()

    async def close(self) -> None:
        """Stop all servers side by side; from now on none starts."""
        self._stopping = True
        stops = [spawn(owner.stop(), name="stop upstream") for owner in self._owners.values()]
        if stops:
            _, late = await asyncio.wait(stops, timeout=_CLOSE_TIMEOUT_S)
            if late:
                log.error("%d upstreams did not close in time", len(late))

    async def _connect(self, ref: ServerRef) -> Connection:
        connection = await self._owner(ref).connection()
        if not connection.closed:
            self._ready[ref] = connection
        return connection

    def _forget(self, ref: ServerRef) -> None:
        self._ready.pop(ref, None)

    def _owner(self, ref: ServerRef) -> Owner:
        if self._stopping:
            raise failed(_STOPPING)
        if ref not in self._owners:
            self._owners[ref] = Owner(self._surroundings(ref))
        return self._owners[ref]

    def _surroundings(self, ref: ServerRef) -> Surroundings:
        return Surroundings(
            name=ref.server,
            launch=lambda: self._launch(ref),
            publish_state=lambda state, failure: self._publish_state(ref, state, failure),
            on_notification=lambda method, params: self._on_notification(ref, method, params),
            on_stderr=lambda line: self._on_stderr(ref, line),
            on_over=lambda: self._forget(ref),
            idle_timeout_s=self._idle_timeout_s,
            clock=self._clock,
        )
