"""Discoveries in the background: two at a time, and one for all who ask for the same server.

A discovery plans, discovers and has the list adopted. One that fails keeps the list that is known:
an old list is better than none. Its status says how it ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeAlias

from router.api.events import AttentionNeeded, DiscoveryProgressed
from router.catalog.server_status import ServerStatuses
from router.discovery.discoverer import Discoverer
from router.domain.errors import NotFound, UpstreamAnsweredError, UpstreamFailed
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.servers import DiscoveryStatus, DiscoveryStep
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace, log_event
from router.service.context import ServiceContext
from router.service.discovery_planner import DiscoveryPlanner
from router.service.tool_lists import ToolLists
from router.upstream.errors import server_error

log = logging.getLogger(__name__)

CONCURRENT_DISCOVERIES = 2

_Key: TypeAlias = tuple[ServerRef, str]
"""A server and the hash of its configuration: a changed server is discovered separately."""


@dataclass(slots=True)
class DiscoveryQueue:
    _context: ServiceContext
    _statuses: ServerStatuses
    _planner: DiscoveryPlanner
    _discoverer: Discoverer
    _tool_lists: ToolLists
    _slots: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(CONCURRENT_DISCOVERIES)
    )
    _runs: dict[_Key, asyncio.Task[None]] = field(default_factory=dict[_Key, "asyncio.Task[None]"])
    _quiet: set[ServerRef] = field(default_factory=set[ServerRef])
    """Servers whose discovery is shown only if the list changed or it failed."""

    async def discover(self, *refs: ServerRef) -> None:
        """Discover servers side by side, joining the discoveries under way, and wait for them.
        Never raises because of a server."""
        if runs := self.begin(*refs):
            await asyncio.wait(runs)

    def begin(self, *refs: ServerRef) -> list[asyncio.Task[None]]:
        """The discoveries of `refs`, started where there are none; statuses say so at once."""
        return copy_context().run(self._begin, refs)

    async def discover_quietly(self, ref: ServerRef) -> None:
        """Discover a server without showing it, unless its list changed or it fails."""
        is_known = self._context.catalogs.entry(ref).cached is not None
        if is_known and self._key(ref) not in self._runs:
            self._quiet.add(ref)
        await asyncio.shield(self._joined(ref))

    async def cancel(self, ref: ServerRef) -> None:
        """Cancel the discoveries of a server. Nothing of them is left when this returns."""
        runs = {key: run for key, run in self._runs.items() if key[0] == ref}
        await _cancel(runs.values())
        for key, run in runs.items():
            if run.cancelled():
                self._fail(key, Failure(FailureKind.CANCELLED))

    async def close(self) -> None:
        await _cancel(list(self._runs.values()))

    def _begin(self, refs: Collection[ServerRef]) -> list[asyncio.Task[None]]:
        """In a context of its own: one trace for all that are begun together."""
        begin_trace()
        self._quiet.difference_update(refs)
        if new := [ref for ref in refs if self._key(ref) not in self._runs]:
            log_event(log, "tools.discovery.started", serverCount=len(new))
        return [self._joined(ref) for ref in refs]

    def _joined(self, ref: ServerRef) -> asyncio.Task[None]:
        key = self._key(ref)
        run = self._runs.get(key)
        if run is None:
            self._report(ref, DiscoveryStep.STARTING)
            run = self._runs[key] = spawn(self._run(key), name=f"discover {ref.server}")
            run.add_done_callback(lambda _: self._ended(key))
        return run

    def _ended(self, key: _Key) -> None:
        self._runs.pop(key, None)
        self._quiet.discard(key[0])

    def _key(self, ref: ServerRef) -> _Key:
        return ref, self._context.catalogs.entry(ref).config.config_hash

    async def _run(self, key: _Key) -> None:
        ref, config_hash = key
        try:
            async with self._slots:
                plan = await self._planner.plan(ref)
                listing = await self._discoverer.discover(
                    ref, plan, lambda step: self._report(ref, step)
                )
                await self._tool_lists.adopt_discovered(ref, config_hash, listing)
            self._succeed(key, len(listing.tools))
        except UpstreamFailed as error:
            self._fail(key, error.failure)
        except UpstreamAnsweredError as error:
            self._fail(key, server_error(error))
        except NotFound:
            log.debug("%s was removed during its discovery", ref.server)

    def _report(self, ref: ServerRef, step: DiscoveryStep) -> None:
        if ref not in self._quiet:
            self._statuses.update(ref, discovery=DiscoveryStatus.DISCOVERING, step=step)
            self._context.publish(DiscoveryProgressed(ref, step))

    def _succeed(self, key: _Key, tool_count: int) -> None:
        ref, config_hash = key
        if self._context.catalogs.find_unchanged(ref, config_hash):
            log_event(
                log, "tools.discovery.server.success", serverName=ref.server, toolCount=tool_count
            )
            self._end(ref, DiscoveryStatus.SUCCESS, DiscoveryStep.COMPLETE, None)

    def _fail(self, key: _Key, failure: Failure) -> None:
        ref, config_hash = key
        if not self._context.catalogs.find_unchanged(ref, config_hash):
            return
        log_event(
            log,
            "tools.discovery.server.failed",
            level=logging.WARNING,
            serverName=ref.server,
            errorMessage=str(advise(failure, ref.server)),
        )
        timed_out = failure.kind is FailureKind.TIMEOUT
        status = DiscoveryStatus.TIMEOUT if timed_out else DiscoveryStatus.FAILED
        self._end(ref, status, DiscoveryStep.FAILED, failure)
        if failure.kind is FailureKind.NETWORK_NEEDED:
            self._context.publish(AttentionNeeded(ref, failure))

    def _end(
        self, ref: ServerRef, status: DiscoveryStatus, step: DiscoveryStep, failure: Failure | None
    ) -> None:
        self._statuses.update(ref, discovery=status, step=None, failure=failure)
        if ref not in self._quiet:
            self._context.publish(DiscoveryProgressed(ref, step))


async def _cancel(runs: Collection[asyncio.Task[None]]) -> None:
    for run in runs:
        run.cancel()
    if runs:
        await asyncio.wait(runs)
