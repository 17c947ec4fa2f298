"""How requests wait for tool lists that are not known yet, or whose program has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from router.catalog.server_entry import ServerEntry
from router.catalog.server_status import ServerStatuses
from router.domain.errors import UpstreamFailed, sentence
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.servers import DiscoveryStep, ServerState
from router.service.context import ServiceContext
from router.service.discovery_attempts import DiscoveryAttempts
from router.service.discovery_queue import DiscoveryQueue
from router.upstream.ports import ProgressSink

BRIEF_WAIT_S = 2.0
"""How long a request that names no server waits for the discoveries under way."""

_STEPS = {
    DiscoveryStep.STARTING: (0.0, "Discovering the tools of {name}…"),
    DiscoveryStep.CONNECTING: (0.1, "Starting {name} to discover its tools…"),
    DiscoveryStep.DISCOVERING: (0.2, "Reading the tools of {name}…"),
    DiscoveryStep.CACHING: (0.3, "Checking the tools of {name}…"),
}
"""The steps as the progress of the request that waits."""


@dataclass(frozen=True, slots=True)
class ToolListWaiter:
    """The production implementation of `gateway.tools.unlisted_servers.ToolListWaits`."""

    _context: ServiceContext
    _statuses: ServerStatuses
    _queue: DiscoveryQueue
    _attempts: DiscoveryAttempts
    _reset_failures: Callable[[ServerRef], None]
    """Allows a new start now, however often the server failed."""

    async def until_listed(self, ref: ServerRef, on_progress: ProgressSink | None) -> None:
        if (entry := self._context.catalogs.find(ref)) is None or await self._is_usable(ref, entry):
            return
        loop = asyncio.get_running_loop()
        limit_s = entry.config.discovery_timeout_s
        end = loop.time() + limit_s
        while True:
            if not self._may_help(ref):
                if entry.cached is not None:
                    return
                raise self._failed(ref, entry)
            self._reset_failures(ref)

            async def report(step: DiscoveryStep, name: str = entry.name) -> None:
                if on_progress is not None and step in _STEPS:
                    progress, text = _STEPS[step]
                    await on_progress({"progress": progress, "message": text.format(name=name)})

            has_ended = await self._queue.follow(ref, end - loop.time(), report)
            before, entry = entry, self._context.catalogs.find(ref)
            if entry is None or entry.cached is not None:
                return
            if not has_ended:
                raise _still_discovering(entry, limit_s)
            if entry.config.config_hash == before.config.config_hash:
                raise self._failed(ref, entry)

    async def briefly(self, refs: Iterable[ServerRef]) -> None:
        outdated = self._attempts.outdated
        unknown = (ref for ref in refs if ref in outdated or not self._is_listed(ref))
        await self._queue.settle(unknown, BRIEF_WAIT_S)

    def _is_listed(self, ref: ServerRef) -> bool:
        entry = self._context.catalogs.find(ref)
        return entry is None or entry.cached is not None

    async def _is_usable(self, ref: ServerRef, entry: ServerEntry) -> bool:
        """Whether the list is known and still that of the program, which is looked at only when
        the server is about to be started."""
        if entry.cached is None:
            return False
        if self._statuses.condition(ref).connection is not ServerState.READY:
            await self._attempts.check_program(ref)
        return ref not in self._attempts.outdated

    def _may_help(self, ref: ServerRef) -> bool:
        """Whether a discovery now may succeed without a decision of the user."""
        status, last = self._statuses.status(ref), self._attempts.last(ref)
        needs_decision = last is not None and last.needs_decision and status.step is None
        may_run = status.enabled and status.state is not ServerState.NEEDS_CONSENT
        return may_run and not needs_decision

    def _failed(self, ref: ServerRef, entry: ServerEntry) -> UpstreamFailed:
        unknown = Failure(FailureKind.OTHER, detail="its tools could not be discovered")
        failure = self._statuses.status(ref).failure or unknown
        if entry.config.disabled:  # meanwhile
            failure = Failure(FailureKind.DISABLED)
        advice = advise(failure, entry.name)
        return UpstreamFailed(failure, advice.cause, advice.suggestion, advice.terminal)


def _still_discovering(entry: ServerEntry, limit_s: float) -> UpstreamFailed:
    return UpstreamFailed(
        Failure(FailureKind.BUSY, entry.id),
        sentence(
            "The tools of {name} are still being discovered after {limit} s.",
            name=entry.name,
            limit=f"{limit_s:g}",
        ),
        "Try again in a moment.",
    )
