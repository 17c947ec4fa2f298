"""Measures the processes of servers: on request and, while a server with a memory limit runs, once
a second to enforce it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.servers import ProcessFacts
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn, stop
from router.upstream.process.stdio import StdioTransport
from router.upstream.process.tracking import TreeUsage, read_usage

CHECK_EVERY_S = 1.0
_MB = 1024 * 1024


class ProcessMonitor:
    def __init__(
        self,
        running: Callable[[], Sequence[tuple[ServerRef, StdioTransport]]],
        limit_mb: Callable[[ServerRef], int | None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._running = running
        self._limit_mb = limit_mb
        self._sleep = sleep
        self._last: dict[int, tuple[float, float]] = {}
        """The time and the CPU seconds of each process at the last measurement."""
        self._enforcer: asyncio.Task[None] | None = None

    async def measure(self) -> dict[ServerRef, ProcessFacts]:
        """The current usage of every running server, summed over its instances."""
        running = self._running()
        uses = await _read_usage(process for _, process in running)
        last, self._last = self._last, {}
        servers: dict[ServerRef, ProcessFacts] = {}
        for ref, process in running:
            if (use := uses.get(process.pid)) is not None:
                facts = _facts(process.pid, use, last.get(process.pid))
                self._last[facts.pid] = (time.monotonic(), facts.cpu_s)
                servers[ref] = _combined(servers[ref], facts) if ref in servers else facts
        return servers

    def enforce_limits(self) -> None:
        """Enforce memory limits for as long as a server with a limit runs."""
        if self._limited() and (self._enforcer is None or self._enforcer.done()):
            self._enforcer = spawn(self._enforce(), name="memory limits")

    async def close(self) -> None:
        await stop(self._enforcer)

    async def _enforce(self) -> None:
        while limited := self._limited():
            uses = await _read_usage(process for process, _ in limited)
            for process, limit_mb in limited:
                use = uses.get(process.pid)
                if use is not None and use.rss_bytes > limit_mb * _MB:
                    process.kill(_too_much(use.rss_bytes, limit_mb))
            await self._sleep(CHECK_EVERY_S)

    def _limited(self) -> list[tuple[StdioTransport, int]]:
        running = [(process, self._limit_mb(ref)) for ref, process in self._running()]
        return [(process, limit) for process, limit in running if limit is not None]


async def _read_usage(processes: Iterable[StdioTransport]) -> dict[int, TreeUsage]:
    return await asyncio.to_thread(read_usage, {each.pid: each.mark for each in processes})


def _facts(pid: int, use: TreeUsage, last: tuple[float, float] | None) -> ProcessFacts:
    """`last` is the time and the CPU seconds of the last measurement, if there was one."""
    now = time.monotonic()
    measured_at, cpu_then = last or (now - use.age_s, 0.0)
    elapsed_s = max(now - measured_at, 0.01)
    return ProcessFacts(
        pid=pid,
        started_at=utc_now() - timedelta(seconds=use.age_s),
        processes=use.processes,
        rss_bytes=use.rss_bytes,
        cpu_s=round(use.cpu_s, 2),
        cpu_percent=round(max(0.0, use.cpu_s - cpu_then) / elapsed_s * 100, 1),
    )


def _combined(one: ProcessFacts, other: ProcessFacts) -> ProcessFacts:
    """The usage of both, with the pid of the older one."""
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
