"""All upstreams: connects a server on its first use, and keeps or stops it afterwards.

Once connected, a request is one dictionary lookup away from its connection. A call is never sent
twice: one whose upstream died fails, and the next call starts the server again.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

from router.model import Failure, FailureKind, JsonObject, ProcessFacts, ServerRef, ServerState
from router.ports import ProgressSink, Upstream
from router.tasks import spawn
from router.upstream.connection import Connection, ProcessConnection
from router.upstream.failures import failed
from router.upstream.owner import LaunchPlan, Owner, Surroundings
from router.upstream.process_watch import ProcessWatch
from router.upstream.terms import Terms
from router.upstream.turnstile import Turnstile

__all__ = ["LaunchPlan", "Terms", "UpstreamPool"]

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT_S = 3.0
_STOPPING = Failure(FailureKind.OTHER, detail="Toolbooth is stopping")


def _ignore_line(_ref: ServerRef, _line: str) -> None:
    """The lines a server writes to stderr are of no interest."""


def _ignore_giving_up(_ref: ServerRef, _failure: Failure) -> None:
    """The state tells enough."""


def _usual_terms(_ref: ServerRef) -> Terms:
    return Terms()


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
        on_given_up: Callable[[ServerRef, Failure], None] = _ignore_giving_up,
        terms: Callable[[ServerRef], Terms] = _usual_terms,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._launch = launch
        self._publish_state = publish_state
        self._on_notification = on_notification
        self._on_stderr = on_stderr
        self._on_given_up = on_given_up
        self._terms = terms
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._owners: dict[ServerRef, Owner] = {}
        self._turnstiles: dict[ServerRef, Turnstile] = {}
        self._ready: dict[ServerRef, Connection] = {}
        """Connections that are kept: the short way of `request`."""
        self._stopping = False
        self._watch = ProcessWatch(
            self._processes, lambda ref: terms(ref).memory_limit_mb, sleep=sleep
        )

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        turnstile = self._turnstile(ref)
        await turnstile.enter(timeout_s)
        try:
            connection = self._ready.get(ref)
            if connection is None or connection.closed:
                connection = await self._connect(ref, on_progress)
            return await connection.request(
                method, params, on_progress=on_progress, timeout_s=timeout_s
            )
        finally:
            turnstile.leave()

    @asynccontextmanager
    async def borrow(self, ref: ServerRef) -> AsyncGenerator[Upstream]:
        async with self._owner(ref).borrowed() as connection:
            yield connection

    def start(self, ref: ServerRef) -> None:
        """Connect a server in the background, as its lifecycle asks; the state tells the rest."""
        if not self._stopping:
            self._owner(ref).start()

    def forgive(self, ref: ServerRef) -> None:
        """A person wants a server tried again now, however often it failed."""
        if owner := self._owners.get(ref):
            owner.forgive()

    async def measure(self) -> dict[ServerRef, ProcessFacts]:
        """What the processes of the running servers use."""
        return await self._watch.measure()

    async def disconnect(self, ref: ServerRef) -> None:
        """Stop a server if it runs; its next use starts it again, with a new plan."""
        if owner := self._owners.get(ref):
            await owner.stop()

    async def close(self) -> None:
        """Stop all servers side by side; from now on none starts."""
        self._stopping = True
        await self._watch.close()
        for connection in self._processes().values():
            connection.hurry()
        stops = [spawn(owner.stop(), name="stop upstream") for owner in self._owners.values()]
        if stops:
            _, late = await asyncio.wait(stops, timeout=_CLOSE_TIMEOUT_S)
            if late:
                log.error("%d upstreams did not close in time", len(late))

    async def _connect(self, ref: ServerRef, on_progress: ProgressSink | None) -> Connection:
        if on_progress is not None:
            name = self._terms(ref).name or ref.server
            await on_progress({"progress": 0, "message": f"Starting {name}…"})
        connection = await self._owner(ref).connection()
        if not connection.closed:
            self._ready[ref] = connection
        return connection

    def _forget(self, ref: ServerRef) -> None:
        self._ready.pop(ref, None)

    def _turnstile(self, ref: ServerRef) -> Turnstile:
        if (turnstile := self._turnstiles.get(ref)) is None:
            turnstile = Turnstile(lambda: self._terms(ref).max_concurrent_calls)
            self._turnstiles[ref] = turnstile
        return turnstile

    def _processes(self) -> dict[ServerRef, ProcessConnection]:
        live = {ref: owner.live for ref, owner in self._owners.items()}
        return {ref: c for ref, c in live.items() if isinstance(c, ProcessConnection)}

    def _state_changed(self, ref: ServerRef, state: ServerState, failure: Failure | None) -> None:
        if state is ServerState.READY:
            self._watch.hold_to_limits()
        self._publish_state(ref, state, failure)

    def _owner(self, ref: ServerRef) -> Owner:
        if self._stopping:
            raise failed(_STOPPING)
        if ref not in self._owners:
            self._owners[ref] = Owner(self._surroundings(ref))
        return self._owners[ref]

    def _surroundings(self, ref: ServerRef) -> Surroundings:
        return Surroundings(
            name=ref.server,
            launch=partial(self._launch, ref),
            publish_state=partial(self._state_changed, ref),
            on_notification=partial(self._on_notification, ref),
            on_stderr=partial(self._on_stderr, ref),
            on_over=partial(self._forget, ref),
            on_given_up=partial(self._on_given_up, ref),
            terms=partial(self._terms, ref),
            clock=self._clock,
            sleep=self._sleep,
            chance=self._chance,
        )
