"""When tool lists are discovered again without a request: after a start or a change of
configuration, when a server has connected, and by their age.

`due_in` is the one rule, the monitor collects what it depends on. A discovery that the monitor
starts for a known list is not shown, unless the list has changed or the discovery fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.runtime.clock import Clock
from router.runtime.tasks import spawn, stop
from router.service.workspace_catalogs import WorkspaceCatalogs

log = logging.getLogger(__name__)

TICK_S = 30.0
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
    discover_quietly: Callable[[ServerRef], Awaitable[None]]
    """Discovers one server without showing it."""
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

    def is_due(self, ref: ServerRef) -> bool:
        entry, now = self.catalogs.entry(ref), self.clock()
        # The first discovery of a server is started elsewhere.
        never = now if entry.listed_at is None else None
        connected = self.is_connected(ref)
        idle_s = self.idle_s(ref) if connected else None
        state = ListState(
            entry.listed_at,
            self._tried.get(ref, never),
            entry.listing.ttl_ms,
            connected=connected,
            idle=None if idle_s is None else timedelta(seconds=idle_s),
        )
        return due_in(state, now) <= DUE

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.discover_due()

    def _start_discovery(self, ref: ServerRef) -> None:
        self._tried[ref] = self.clock()
        spawn(self._discover(ref), name=f"discover {ref.server} quietly")

    async def _discover(self, ref: ServerRef) -> None:
        try:
            await self.discover_quietly(ref)
        except NotFound:
            log.debug("%s was removed", ref.server)
