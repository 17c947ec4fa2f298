"""When lists are learnt anew without anyone asking: when a server was connected, when the list of a
connected one has held long enough, and once a day. Nothing is told of it unless something changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.tool_lists import PreparedListing
from router.runtime.tasks import spawn, stop
from router.service.workspace_catalogs import Workspaces

log = logging.getLogger(__name__)

TICK_S = 30.0
DAY = timedelta(hours=24)
CONNECTED_TTL = timedelta(minutes=5)
SHORTEST_TTL = timedelta(seconds=10)
"""A server that wants its list asked for more often is asked this often."""
_JUST_SEEN = timedelta(seconds=5)
_SLACK = timedelta(seconds=2)


def holds_for(listing: PreparedListing, *, connected: bool) -> timedelta:
    """How long a list counts as fresh."""
    if not connected:
        return DAY
    if listing.ttl_ms is None:
        return CONNECTED_TTL
    return max(SHORTEST_TTL, min(timedelta(milliseconds=listing.ttl_ms), DAY))


class Freshness:
    def __init__(
        self,
        workspaces: Workspaces,
        check: Callable[[ServerRef], Awaitable[None]],
        *,
        may_run: Callable[[ServerRef], bool],
        is_connected: Callable[[ServerRef], bool],
        idle_s: Callable[[ServerRef], float | None],
        clock: Callable[[], datetime],
    ) -> None:
        """`check` learns one list; `idle_s` is for how long nobody has used a server."""
        self._workspaces = workspaces
        self._check = check
        self._may_run = may_run
        self._is_connected = is_connected
        self._idle_s = idle_s
        self._clock = clock
        self._tried: dict[ServerRef, datetime] = {}
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._looking = spawn(self._look_on(), name="keep lists fresh")

    async def close(self) -> None:
        await stop(self._looking)

    def connected(self, ref: ServerRef) -> None:
        """Someone has started a server: a good moment to ask what it has."""
        seen = self._workspaces.entry(ref).listed_at
        if self._may_run(ref) and (seen is None or abs(self._clock() - seen) > _JUST_SEEN):
            self._begin(ref)

    def look(self) -> None:
        """Begin every check that is due."""
        for workspace, catalog in list(self._workspaces.catalogs.items()):
            for server in catalog.servers:
                ref = ServerRef(workspace, server)
                if self._may_run(ref) and self.is_due(ref):
                    self._begin(ref)

    def is_due(self, ref: ServerRef) -> bool:
        """A connected server that nobody has used since its last check is left alone: asking it
        again and again would keep it running for nobody."""
        entry, now = self._workspaces.entry(ref), self._clock()
        tried = self._tried.get(ref, now if entry.listed_at is None else entry.listed_at)
        if entry.listed_at is None:
            return abs(now - tried) >= DAY  # its first list is asked for elsewhere
        connected = self._is_connected(ref)
        # Without their signs: a clock that was set back must not keep lists for as long as that.
        # The nearer one counts: a time that lies ahead must not have us ask at every tick.
        since = min(abs(now - entry.listed_at), abs(now - tried))
        if since < holds_for(entry.listing, connected=connected):
            return False
        idle_s = self._idle_s(ref) if connected else None
        return idle_s is None or since >= DAY or timedelta(seconds=idle_s) + _SLACK < since

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self.look()

    def _begin(self, ref: ServerRef) -> None:
        self._tried[ref] = self._clock()
        spawn(self._quietly(ref), name=f"check {ref.server}")

    async def _quietly(self, ref: ServerRef) -> None:
        try:
            await self._check(ref)
        except NotFound:
            log.debug("%s was removed", ref.server)
