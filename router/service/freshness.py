"""When tool lists are discovered again without a request: after a start or a change of
configuration, when a server has connected, by their age, and with growing pauses after a failure.

`due_in` is the one rule, the monitor collects what it depends on. A discovery that the monitor
starts for a known list is not shown, unless the list has changed or the discovery fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.runtime.clock import Clock
from router.runtime.tasks import log_and_continue, spawn, stop
from router.service.discovery_attempts import DiscoveryAttempts
from router.service.workspace_catalogs import WorkspaceCatalogs

log = logging.getLogger(__name__)

TICK_S = 10.0
PROGRAM_TICKS = 90
"""After so many ticks, changes of programs on disk are looked for."""
DAY = timedelta(hours=24)
CONNECTED_TTL = timedelta(minutes=5)
SHORTEST_TTL = timedelta(seconds=10)
"""A server that declares a shorter one is asked this often."""
_JUST_SEEN = timedelta(seconds=5)
_SLACK = timedelta(seconds=2)
DUE = timedelta(0)


@dataclass(frozen=True, slots=True)
class ListState:
    """What decides whether a tool list is fresh."""

    seen_at: datetime | None
    """When the server last sent it; None: never, or not with these limits and configuration."""
    tried_at: datetime | None = None
    """When a discovery was last started, if that counts as well."""
    attempt: DiscoveryAttempt | None = None
    """The last discovery that has ended. One that failed alone decides, with its pause."""
    ttl_ms: int | None = None
    """How long it is valid, according to the server."""
    connected: bool = False
    just_connected: bool = False
    idle: timedelta | None = None
    """How long the connected server has been unused."""


def due_in(state: ListState, now: datetime) -> timedelta:
    """How long a tool list stays fresh; zero or less: it is due for discovery.

    Ages have no sign: a clock that was set back must not keep a list fresh for as long as that. The
    nearer moment counts: one that lies in the future must not make a list due at every tick.
    """
    if (failed := state.attempt) is not None and failed.retry_after is not None:
        is_running = state.tried_at is not None and state.tried_at > failed.at
        if not is_running:
            return failed.retry_after - abs(now - failed.at)
    moments = [moment for moment in (state.seen_at, state.tried_at) if moment is not None]
    if not moments:
        return DUE
    age = min(abs(now - moment) for moment in moments)
    return _max_age(state, age) - age


def _max_age(state: ListState, age: timedelta) -> timedelta:
    """A connected server that was idle since its list was seen is left alone for a day: more
    requests would keep an unused server running."""
    if state.just_connected:
        return _JUST_SEEN
    if not state.connected or state.seen_at is None:
        return DAY
    if state.idle is not None and state.idle + _SLACK >= age:
        return DAY
    if state.ttl_ms is None:
        return CONNECTED_TTL
    return max(SHORTEST_TTL, min(timedelta(milliseconds=state.ttl_ms), DAY))


@dataclass(slots=True)
class FreshnessMonitor:
    catalogs: WorkspaceCatalogs
    attempts: DiscoveryAttempts
    discover_quietly: Callable[[ServerRef], Awaitable[None]]
    """Discovers one server without showing it."""
    reset_failures: Callable[[ServerRef], None]
    """Allows a new start now, however often the server failed: the pause is ours."""
    may_run: Callable[[ServerRef], bool]
    is_connected: Callable[[ServerRef], bool]
    idle_s: Callable[[ServerRef], float | None]
    """How long a server has been unused."""
    clock: Clock
    _tried: dict[ServerRef, datetime] = field(default_factory=dict[ServerRef, datetime])
    _ticks: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._ticks = spawn(self._tick(), name="keep tool lists fresh")

    async def close(self) -> None:
        await stop(self._ticks)

    def on_connected(self, ref: ServerRef) -> None:
        """A server has connected: its list is discovered, unless it was seen a moment ago."""
        state = ListState(self.catalogs.entry(ref).listed_at, just_connected=True)
        if self.may_run(ref) and due_in(state, self.clock()) <= DUE:
            self._start_discovery(ref)

    def discover_due(self) -> None:
        """Start every discovery that is due."""
        for ref in self.catalogs.all_refs():
            if self.may_run(ref) and self.is_due(ref):
                self._start_discovery(ref)

    def retry_failed(self) -> None:
        """The network has changed, or the computer woke up: what failed may work now."""
        for ref in self.catalogs.all_refs():
            last = self.attempts.last(ref)
            if last is not None and last.may_be_network and self.may_run(ref):
                self._start_discovery(ref)

    async def check_programs(self) -> None:
        """Discover the servers again whose program has changed, unless they run: what runs is still
        the old program, and its list is discovered when the new one is started."""
        for ref in list(self.catalogs.all_refs()):
            if not self.is_connected(ref):
                await self.attempts.check_program(ref)

    def is_due(self, ref: ServerRef) -> bool:
        if ref in self.attempts.outdated:
            return True
        entry, now = self.catalogs.entry(ref), self.clock()
        # The first discovery of a server is started elsewhere.
        never = now if entry.listed_at is None else None
        connected = self.is_connected(ref)
        idle_s = self.idle_s(ref) if connected else None
        state = ListState(
            entry.listed_at,
            self._tried.get(ref, never),
            self.attempts.last(ref),
            entry.listing.ttl_ms,
            connected=connected,
            idle=None if idle_s is None else timedelta(seconds=idle_s),
        )
        return due_in(state, now) <= DUE

    async def _tick(self) -> None:
        for tick in count(1):
            await asyncio.sleep(TICK_S)
            if tick % PROGRAM_TICKS == 0:
                with log_and_continue("look for changed programs"):
                    await self.check_programs()
            self.discover_due()

    def _start_discovery(self, ref: ServerRef) -> None:
        self._tried[ref] = self.clock()
        if (last := self.attempts.last(ref)) is not None and last.failure is not None:
            self.reset_failures(ref)
        spawn(self._discover(ref), name=f"discover {ref.server} quietly")

    async def _discover(self, ref: ServerRef) -> None:
        try:
            await self.discover_quietly(ref)
        except NotFound:
            log.debug("%s was removed", ref.server)
