"""Watching what servers' processes use: measured when someone asks and, while a server with a limit
on its memory runs, once a second to hold it to that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from router.domain.failures import Failure, FailureKind
from router.domain.servers import ProcessFacts
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn, stop
from router.upstream.connection import ProcessConnection
from router.upstream.instance_key import InstanceKey
from router.upstream.process.tracking import Mark, read_uses
from router.upstream.process.usage import TreeUse

LOOK_EVERY_S = 1.0
_MB = 1024 * 1024


class ProcessWatch:
    def __init__(
        self,
        running: Callable[[], Mapping[InstanceKey, ProcessConnection]],
        limit_mb: Callable[[InstanceKey], int | None],
        *,
        read: Callable[[Mapping[int, Mark]], Mapping[int, TreeUse]] = read_uses,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._running = running
        self._limit_mb = limit_mb
        self._read = read
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._before: dict[int, tuple[float, float]] = {}
        """Of each process at the last look: when that was, and its CPU seconds then."""
        self._holding: asyncio.Task[None] | None = None

    async def measure(self) -> dict[InstanceKey, ProcessFacts]:
        """What every running server uses now."""
        running = dict(self._running())
        pids = {ref: connection.pid for ref, connection in running.items()}
        uses = await asyncio.to_thread(self._read, _marks(running.values()))
        facts = {ref: self._facts(pid, uses[pid]) for ref, pid in pids.items() if pid in uses}
        self._before = {fact.pid: (self._clock(), fact.cpu_s) for fact in facts.values()}
        return facts

    def hold_to_limits(self) -> None:
        """See to it that servers keep within their memory, as long as one with a limit runs."""
        if self._limited() and (self._holding is None or self._holding.done()):
            self._holding = spawn(self._hold(), name="memory limits")

    async def close(self) -> None:
        await stop(self._holding)

    async def _hold(self) -> None:
        while limited := self._limited():
            marks = _marks(connection for connection, _ in limited)
            uses = await asyncio.to_thread(self._read, marks)
            for connection, limit_mb in limited:
                use = uses.get(connection.pid)
                if use is not None and use.rss_bytes > limit_mb * _MB:
                    connection.condemn(_too_much(use.rss_bytes, limit_mb))
            await self._sleep(LOOK_EVERY_S)

    def _limited(self) -> list[tuple[ProcessConnection, int]]:
        running = [(c, self._limit_mb(ref)) for ref, c in self._running().items()]
        return [(connection, limit) for connection, limit in running if limit is not None]

    def _facts(self, pid: int, use: TreeUse) -> ProcessFacts:
        looked_at, cpu_then = self._before.get(pid, (self._clock() - use.age_s, 0.0))
        elapsed_s = max(self._clock() - looked_at, 0.01)
        return ProcessFacts(
            pid=pid,
            started_at=self._now() - timedelta(seconds=use.age_s),
            processes=use.processes,
            rss_bytes=use.rss_bytes,
            cpu_s=round(use.cpu_s, 2),
            cpu_percent=round(max(0.0, use.cpu_s - cpu_then) / elapsed_s * 100, 1),
        )


def _marks(connections: Iterable[ProcessConnection]) -> dict[int, Mark]:
    return {connection.pid: connection.mark for connection in connections}


def together(one: ProcessFacts, other: ProcessFacts) -> ProcessFacts:
    """What both use, under the older one's name."""
    older = min(one, other, key=lambda facts: facts.started_at)
    return replace(
        older,
        processes=one.processes + other.processes,
        rss_bytes=one.rss_bytes + other.rss_bytes,
        cpu_s=round(one.cpu_s + other.cpu_s, 2),
        cpu_percent=round(one.cpu_percent + other.cpu_percent, 1),
    )


def _too_much(rss_bytes: int, limit_mb: int) -> Failure:
    taken = f"{rss_bytes / _MB:.0f} MB"
    return Failure(FailureKind.TOO_MUCH_MEMORY, f"{limit_mb} MB", taken)
