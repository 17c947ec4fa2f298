"""Discoveries in the background: two at a time, and one for all who ask for the same server.

A discovery plans, discovers and has the list adopted. One that fails keeps the list that is known:
an old list is better than none. How it ended is recorded in its status and on disk. A request may
`follow` a discovery, which then comes before those that nobody waits for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
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
from router.domain.servers import DiscoveryStep
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace, log_event
from router.service.context import ServiceContext
from router.service.discovery_attempts import DiscoveryAttempts
from router.service.discovery_planner import DiscoveryPlanner
from router.service.discovery_slots import DiscoverySlots
from router.service.tool_lists import ToolLists
from router.upstream.errors import server_error

log = logging.getLogger(__name__)

CONCURRENT_DISCOVERIES = 2

_Key: TypeAlias = tuple[ServerRef, str]
"""A server and the hash of its configuration: a changed server is discovered separately."""


@dataclass(eq=False, slots=True)
class _Run:
    """A discovery under way."""

    task: asyncio.Task[None]
    step: DiscoveryStep = DiscoveryStep.STARTING
    changed: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Done at the next step."""
    is_unwanted: bool = False
    """Ended by `cancel`, not because the router stops."""

    def reached(self, step: DiscoveryStep) -> None:
        self.step = step
        self.changed.set_result(None)
        self.changed = asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class DiscoveryQueue:
    _context: ServiceContext
    _statuses: ServerStatuses
    _planner: DiscoveryPlanner
    _discoverer: Discoverer
    _tool_lists: ToolLists
    _attempts: DiscoveryAttempts
    _slots: DiscoverySlots = field(default_factory=lambda: DiscoverySlots(CONCURRENT_DISCOVERIES))
    _runs: dict[_Key, _Run] = field(default_factory=dict[_Key, _Run])
    _quiet: set[ServerRef] = field(default_factory=set[ServerRef])
    """Servers whose discovery is shown only if the list changed or it failed."""

    async def discover(self, *refs: ServerRef) -> None:
        """Discover servers side by side, joining the discoveries under way, and wait for them.
        Never raises because of a server."""
        if runs := self.begin(*refs):
            await asyncio.wait(runs)

    def begin(self, *refs: ServerRef, same_cause: bool = False) -> list[asyncio.Task[None]]:
        """The discoveries of `refs`, started where there are none; statuses say so at once. They
        have one trace, which with `same_cause` is the current one."""
        self._quiet.difference_update(refs)
        return copy_context().run(self._begin, refs, same_cause=same_cause)

    async def discover_quietly(self, ref: ServerRef) -> None:
        """Discover a server without showing it, unless its list changed or it fails."""
        is_known = self._context.catalogs.entry(ref).cached is not None
        if is_known and self._key(ref) not in self._runs:
            self._quiet.add(ref)
        [run] = copy_context().run(self._begin, (ref,))
        await asyncio.shield(run)

    async def follow(
        self,
        ref: ServerRef,
        timeout_s: float,
        on_step: Callable[[DiscoveryStep], Awaitable[None]],
    ) -> bool:
        """Wait for the discovery of a server, begun if there is none, and report its steps. Whether
        it has ended; it goes on in any case."""
        self.begin(ref)
        key = self._key(ref)
        self._slots.prefer(key)
        run, told = self._runs[key], None
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_s
        while not run.task.done() and (left_s := end - loop.time()) > 0:
            if run.step is not told:
                told = run.step
                await on_step(told)
                continue
            either = (run.task, run.changed)
            await asyncio.wait(either, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
        return run.task.done()

    async def settle(self, refs: Iterable[ServerRef], timeout_s: float) -> None:
        """Wait for those of these discoveries that are under way, for a limited time."""
        if not self._runs:
            return
        wanted = frozenset(refs)
        tasks = [run.task for key, run in self._runs.items() if key[0] in wanted]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    async def cancel(self, ref: ServerRef) -> None:
        """Cancel the discoveries of a server. Nothing of them is left when this returns."""
        runs = [run for key, run in self._runs.items() if key[0] == ref]
        for run in runs:
            run.is_unwanted = True
        await _cancel([run.task for run in runs])

    async def close(self) -> None:
        await _cancel([run.task for run in self._runs.values()])

    def _begin(
        self, refs: Collection[ServerRef], *, same_cause: bool = False
    ) -> list[asyncio.Task[None]]:
        """In a context of its own: one trace for all that are begun together."""
        if not same_cause:
            begin_trace()
        if new := [ref for ref in refs if self._key(ref) not in self._runs]:
            log_event(log, "tools.discovery.started", serverCount=len(new))
        return [self._joined(ref) for ref in refs]

    def _joined(self, ref: ServerRef) -> asyncio.Task[None]:
        key = self._key(ref)
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = _Run(spawn(self._run(key), name=f"discover {ref.server}"))
            run.task.add_done_callback(lambda _: self._ended(key))
            self._show(ref, DiscoveryStep.STARTING)
        return run.task

    def _ended(self, key: _Key) -> None:
        """The task's first callback: those who wait find its status as it is at the end."""
        run = self._runs.pop(key)
        self._quiet.discard(key[0])
        if not (run.is_unwanted and run.task.cancelled()):
            return
        if self._context.catalogs.find_unchanged(*key):
            self._attempts.cancelled(*key)
            self._end(key[0], DiscoveryStep.FAILED, Failure(FailureKind.CANCELLED))

    def _key(self, ref: ServerRef) -> _Key:
        return ref, self._context.catalogs.entry(ref).config.config_hash

    async def _run(self, key: _Key) -> None:
        try:
            async with self._slots.taken(key):
                await self._discover(key)
        except NotFound:
            log.debug("%s was removed during its discovery", key[0].server)

    async def _discover(self, key: _Key) -> None:
        ref, config_hash = key
        program, _ = await self._attempts.program(ref)
        try:
            plan = await self._planner.plan(ref)
            listing = await self._discoverer.discover(ref, plan, lambda step: self._step(key, step))
            fetched, is_package = await self._attempts.program(ref)
            await self._tool_lists.adopt_discovered(ref, config_hash, listing)
        except UpstreamFailed as error:
            self._fail(key, program, error.failure)
        except UpstreamAnsweredError as error:
            self._fail(key, program, server_error(error))
        except Exception as error:
            # A full disk, or a fault of ours, which is logged. Nothing may wait for it for ever.
            reason = error.strerror if isinstance(error, OSError) else None
            self._fail(key, program, Failure(FailureKind.OTHER, detail=reason or ""))
            raise
        else:
            # A package may have been fetched meanwhile; any other program that was changed
            # meanwhile may have been started before.
            self._succeed(key, fetched if is_package else program, len(listing.tools))
        await self._attempts.save(ref)

    def _step(self, key: _Key, step: DiscoveryStep) -> None:
        if (run := self._runs.get(key)) is not None:
            run.reached(step)
        self._show(key[0], step)

    def _show(self, ref: ServerRef, step: DiscoveryStep) -> None:
        if ref not in self._quiet:
            self._statuses.update(ref, step=step)
            self._context.publish(DiscoveryProgressed(ref, step))

    def _succeed(self, key: _Key, program: str, tool_count: int) -> None:
        ref, config_hash = key
        if self._context.catalogs.find_unchanged(ref, config_hash):
            log_event(
                log, "tools.discovery.server.success", serverName=ref.server, toolCount=tool_count
            )
            self._attempts.ended(ref, config_hash, program)
            self._end(ref, DiscoveryStep.COMPLETE, None)

    def _fail(self, key: _Key, program: str, failure: Failure) -> None:
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
        if failure.kind is FailureKind.CONSENT_NEEDED:
            self._statuses.update(ref, consented=False)
        self._attempts.ended(ref, config_hash, program, failure)
        self._end(ref, DiscoveryStep.FAILED, failure)
        if failure.kind in (FailureKind.NETWORK_NEEDED, FailureKind.FILES_NEEDED):
            self._context.publish(AttentionNeeded(ref, failure))

    def _end(self, ref: ServerRef, step: DiscoveryStep, failure: Failure | None) -> None:
        self._statuses.update(ref, step=None, failure=failure)
        if ref not in self._quiet:
            self._context.publish(DiscoveryProgressed(ref, step))


async def _cancel(tasks: Collection[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
