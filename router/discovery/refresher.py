"""Refreshing tool lists: two at a time, one run for all who ask for the same server.

A failed refresh keeps the list that was there: stale is better than none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextvars import copy_context
from datetime import datetime, timedelta

from router.api.events import (
    ApprovalsChanged,
    AttentionNeeded,
    DiscoveryProgressed,
    ListNotKept,
    Publish,
    ToolsChanged,
)
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_entry import ServerEntry
from router.catalog.server_status import StatusBoard
from router.discovery.discoverer import TellStep
from router.domain.errors import NotFound, ToolboothError, UpstreamAnsweredError, UpstreamFailed
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.servers import DiscoveryStatus, DiscoveryStep
from router.domain.tool_lists import CachedListing, PendingApproval, PreparedListing, ServerListing
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace, log_event
from router.store.ports import ToolListCache

log = logging.getLogger(__name__)

DISCOVERIES_AT_ONCE = 2
FRESH_FOR = timedelta(hours=24)


class Refresher:
    def __init__(
        self,
        *,
        learn: Callable[[ServerRef, TellStep], Awaitable[ServerListing]],
        catalogs: dict[WorkspaceId, WorkspaceCatalog],
        caches: Callable[[WorkspaceId], ToolListCache],
        board: StatusBoard,
        prepare: Callable[[ServerListing], Awaitable[PreparedListing]],
        review: Callable[[ServerRef, PreparedListing], dict[str, PendingApproval]],
        publish: Publish,
        clock: Callable[[], datetime],
    ) -> None:
        self._learn = learn
        self._catalogs = catalogs
        self._caches = caches
        self._board = board
        self._prepare = prepare
        self._review = review
        self._publish = publish
        self._clock = clock
        self._places = asyncio.Semaphore(DISCOVERIES_AT_ONCE)
        self._runs: dict[tuple[ServerRef, str], asyncio.Task[None]] = {}
        self._quiet: set[ServerRef] = set()
        """Those that are only checked: told of if something changed or failed."""
        self._unkept: set[ServerRef] = set()
        """Those whose list could not be written."""

    def is_fresh(self, ref: ServerRef) -> bool:
        listed_at = self._catalogs[ref.workspace].entry(ref.server).listed_at
        return listed_at is not None and abs(self._clock() - listed_at) < FRESH_FOR

    async def refresh(self, *refs: ServerRef) -> None:
        """Learn servers' lists anew, side by side, or join the runs that are already doing so.
        Never raises for what a server does wrong; its status says how it ended."""
        if runs := self.begin(*refs):
            await asyncio.wait(runs)

    def begin(self, *refs: ServerRef) -> list[asyncio.Task[None]]:
        """The runs that refresh `refs`, begun where there are none; their statuses say so at
        once."""
        return copy_context().run(self._begin, refs)

    async def cancel(self, ref: ServerRef) -> bool:
        """End the runs of a server, waiting or under way; whether there were any. Nothing of them
        is left when this returns."""
        runs = {key: run for key, run in self._runs.items() if key[0] == ref}
        await self._end(runs.values())
        for key, run in runs.items():
            if run.cancelled():
                self._fail(*key, Failure(FailureKind.CANCELLED))
        return bool(runs)

    async def check(self, ref: ServerRef) -> None:
        """Learn a list anew without a word, unless it changed or can't be learnt."""
        is_known = self._catalogs[ref.workspace].entry(ref.server).cached is not None
        if is_known and self._run_key(ref) not in self._runs:
            self._quiet.add(ref)
        await asyncio.shield(self._joined(ref))

    async def close(self) -> None:
        await self._end(list(self._runs.values()))

    async def _end(self, runs: Collection[asyncio.Task[None]]) -> None:
        for run in runs:
            run.cancel()
        if runs:
            await asyncio.wait(runs)

    def _begin(self, refs: Collection[ServerRef]) -> list[asyncio.Task[None]]:
        """In a context of its own: one trace for all that are begun together."""
        begin_trace()
        self._quiet.difference_update(refs)
        if new := [ref for ref in refs if self._run_key(ref) not in self._runs]:
            log_event(log, "tools.discovery.started", serverCount=len(new))
        return [self._joined(ref) for ref in refs]

    def _joined(self, ref: ServerRef) -> asyncio.Task[None]:
        key = self._run_key(ref)
        run = self._runs.get(key)
        if run is None:
            self._step(ref, DiscoveryStep.STARTING)
            run = self._runs[key] = spawn(self._run(*key), name=f"discover {ref.server}")
            run.add_done_callback(lambda _: self._ended(key))
        return run

    def _ended(self, key: tuple[ServerRef, str]) -> None:
        self._runs.pop(key, None)
        self._quiet.discard(key[0])

    def _run_key(self, ref: ServerRef) -> tuple[ServerRef, str]:
        return ref, self._catalogs[ref.workspace].entry(ref.server).config.config_hash

    async def _run(self, ref: ServerRef, config_hash: str) -> None:
        try:
            async with self._places:
                listing = await self._learn(ref, lambda step: self._step(ref, step))
                await self._keep(ref, config_hash, listing)
        except UpstreamFailed as error:
            self._fail(ref, config_hash, error.failure)
        except UpstreamAnsweredError as error:
            self._fail(ref, config_hash, Failure(FailureKind.BAD_PROTOCOL, detail=error.message))
        except NotFound:
            log.debug("%s was removed while its lists were learnt", ref.server)

    async def _keep(self, ref: ServerRef, config_hash: str, listing: ServerListing) -> None:
        self._step(ref, DiscoveryStep.CACHING)
        prepared = await self._prepare(listing)
        entry = self._entry(ref, config_hash)
        if entry is None:
            return  # removed or reconfigured meanwhile: another run owns what comes next
        if entry.cached is not None and entry.cached.listing.fingerprint == prepared.fingerprint:
            await self._keep_unchanged(ref, entry.cached)
        else:
            cached = CachedListing(prepared, config_hash, self._clock())
            await self._write(ref, cached)
            await self._take_over(ref, config_hash, cached)
        self._board.update(ref, discovery=DiscoveryStatus.SUCCESS, step=None, failure=None)
        self._progress(ref, DiscoveryStep.COMPLETE)
        log_event(
            log,
            "tools.discovery.server.success",
            serverName=ref.server,
            toolCount=len(prepared.tools),
        )

    async def _keep_unchanged(self, ref: ServerRef, cached: CachedListing) -> None:
        """The same list again: only its age changes, and nothing is written or told."""
        now = self._clock()
        self._catalogs[ref.workspace].checked(ref.server, now)
        if ref in self._unkept:
            await self._write(ref, cached)
        await asyncio.to_thread(self._caches(ref.workspace).touch, ref.server, now)

    async def _take_over(self, ref: ServerRef, config_hash: str, cached: CachedListing) -> None:
        """Thousands of tools are made on a thread, in as many tries as it is reconfigured."""
        catalog = self._catalogs[ref.workspace]
        while (before := self._entry(ref, config_hash)) is not None:
            waited = catalog.pending(before)
            held = await asyncio.to_thread(self._review, ref, cached.listing)
            after = await asyncio.to_thread(before.with_listing, cached, held)
            if catalog.put(before, after):
                self._report(ref, cached.listing)
                if (waiting := catalog.pending(after)) != waited:
                    log.info("%s: %d tools wait for approval", ref.server, len(waiting))
                    self._publish(ApprovalsChanged(ref, len(waiting)))
                self._board.announce(ref)
                return

    def _report(self, ref: ServerRef, listing: PreparedListing) -> None:
        for cut in listing.cuts:
            log.warning("%s: of its list %s was cut %d times", ref.server, cut.kind, cut.count)
        for tool in listing.tools:
            for finding in tool.findings:
                log.warning(
                    "%s:%s: %s (%s) in %s: %s",
                    ref.server,
                    tool.name,
                    finding.kind,
                    finding.rule,
                    finding.where,
                    finding.words,
                )
        self._publish(ToolsChanged(ref.workspace, ref.server, len(listing.tools)))

    async def _write(self, ref: ServerRef, cached: CachedListing) -> None:
        """A list that can't be written is used all the same; people are told."""
        try:
            await asyncio.to_thread(self._caches(ref.workspace).write, ref.server, cached)
        except ToolboothError as error:
            log.warning("The tools of %s were not kept: %s", ref.server, error.message)
            self._unkept.add(ref)
            self._publish(ListNotKept(ref, error.message))
        else:
            if ref in self._unkept:
                self._unkept.discard(ref)
                self._publish(ListNotKept(ref, ""))

    def _entry(self, ref: ServerRef, config_hash: str) -> ServerEntry | None:
        """The server, if it is still there and the same."""
        catalog = self._catalogs.get(ref.workspace)
        entry = catalog.servers.get(ref.server) if catalog else None
        return entry if entry and entry.config.config_hash == config_hash else None

    def _step(self, ref: ServerRef, step: DiscoveryStep) -> None:
        if ref not in self._quiet:
            self._board.update(ref, discovery=DiscoveryStatus.DISCOVERING, step=step)
        self._progress(ref, step)

    def _progress(self, ref: ServerRef, step: DiscoveryStep) -> None:
        if ref not in self._quiet:
            self._publish(DiscoveryProgressed(ref, step))

    def _fail(self, ref: ServerRef, config_hash: str, failure: Failure) -> None:
        if self._entry(ref, config_hash) is None:
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
        self._board.update(ref, discovery=status, step=None, failure=failure)
        self._progress(ref, DiscoveryStep.FAILED)
        if failure.kind is FailureKind.NETWORK_NEEDED:
            self._publish(AttentionNeeded(ref, failure))
