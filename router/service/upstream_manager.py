"""The servers at run time: started and stopped, discovered, signed in to, and their status.

Joins the pool of upstreams with discovery and the server statuses.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from router.api.events import AttentionNeeded, ServerRemoved
from router.catalog.server_status import ServerStatuses, without_secrets
from router.config.server import Lifecycle
from router.discovery.discoverer import Discoverer
from router.discovery.packages.package_store import PackageStore
from router.discovery.packages.resolver import PackageResolver
from router.discovery.sandbox.sandbox import Sandbox
from router.discovery.vetting.process import VettingProcess
from router.domain.failures import Failure
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, SharedPath
from router.domain.servers import LogLine, ServerState
from router.runtime.shutdown import Shutdown
from router.runtime.tasks import log_and_continue
from router.runtime.tracing import log_event, new_trace
from router.service.context import ServiceContext
from router.service.discovery_attempts import DiscoveryAttempts
from router.service.discovery_planner import DiscoveryPlanner
from router.service.discovery_queue import DiscoveryQueue
from router.service.freshness import DUE, FreshnessMonitor, ListState, due_in
from router.service.launch_policy import LaunchPolicy
from router.service.network_monitor import NetworkMonitor
from router.service.receipts import Receipts
from router.service.sign_ins import SignIns
from router.service.sleep_monitor import SleepMonitor
from router.service.tool_list_waiter import ToolListWaiter
from router.service.tool_lists import ToolLists
from router.service.upstream_notifications import ListChangedHandler
from router.service.workspace_catalogs import Reconciled
from router.store.consent_key import FILE_NAME, ConsentKey
from router.upstream.hooks import UpstreamHooks
from router.upstream.pool import UpstreamPool
from router.upstream.process.tracking import THIS_PROCESS
from router.upstream.process.tree import kill_leftovers

log = logging.getLogger(__name__)

KEPT_LOG_LINES = 500


class UpstreamManager:
    def __init__(
        self, context: ServiceContext, *, state_dir: Path, owner: str = THIS_PROCESS
    ) -> None:
        """`owner` marks the processes as this router's."""
        self._catalogs = catalogs = context.catalogs
        self._context = context
        self._owner = owner
        self.is_serving = False
        """Whether this process goes on running, so that secrets in memory can be used later."""
        self.statuses = ServerStatuses(catalogs.catalogs, context.publish, context.redactor.text)
        catalogs.failure_of = lambda ref: self.statuses.status(ref).failure
        self.logs = defaultdict[ServerRef, deque[LogLine]](lambda: deque(maxlen=KEPT_LOG_LINES))
        """The last lines that each server wrote to stderr."""
        self.sign_ins = SignIns(context, self._sign_in_ended, lambda: self.is_serving)
        self._consents: dict[WorkspaceId, Mapping[str, str]] = {}
        """The consents on record when the configuration was last applied."""
        self.receipts = Receipts(catalogs, self.statuses, context.deferred_writes)
        key = ConsentKey(state_dir / FILE_NAME)
        self.packages = PackageResolver(PackageStore(state_dir / "packages", key, context.clock))
        self._vetting = VettingProcess()
        self.tool_lists = ToolLists(context, self.statuses, self._vetting)
        self._launch_policy = LaunchPolicy(context, self.sign_ins, self.packages, owner)
        self._list_changed = ListChangedHandler(lambda ref: self.discovery_queue.discover(ref))
        self.hooks = UpstreamHooks(
            launch=self._launch_policy.plan,
            publish_state=self._state_changed,
            on_notification=self._list_changed.on_notification,
            on_stderr=self._log_stderr,
            on_given_up=self._given_up,
            run_options=self._launch_policy.run_options,
        )
        self.pool = UpstreamPool(self.hooks)
        sandbox = Sandbox(state_dir / "runs", Path.home(), state_dir)
        self.discovery_planner = DiscoveryPlanner(
            context, self.statuses, sandbox, self.pool.is_live, self._launch_policy.permitted
        )
        discoverer = Discoverer(
            connections=self.pool,
            sandbox=sandbox,
            packages=self.packages,
            vetting=self._vetting,
            list_limits=self.tool_lists.limits,
            upstream_limits=self._launch_policy.upstream_limits,
            keep_receipt=self.receipts.keep,
            clock=context.clock,
        )
        self._attempts = DiscoveryAttempts(context, self.statuses, self.packages.installed)
        self.discovery_queue = DiscoveryQueue(
            context,
            self.statuses,
            self.discovery_planner,
            discoverer,
            self.tool_lists,
            self._attempts,
        )
        self.tool_list_waiter = ToolListWaiter(
            context, self.statuses, self.discovery_queue, self._attempts, self.pool.reset_failures
        )
        self._freshness = FreshnessMonitor(
            catalogs,
            self._attempts,
            self.discovery_queue.discover_quietly,
            self.pool.reset_failures,
            may_run=self._may_run,
            is_connected=lambda ref: self.statuses.condition(ref).connection is ServerState.READY,
            idle_s=self.pool.idle_s,
            clock=context.clock,
        )
        self._sleep_monitor = SleepMonitor(self._reconnect)
        self._network_monitor = NetworkMonitor(self._reconnect)

    async def kill_leftovers(self) -> None:
        """End the server processes that a killed router has left behind."""
        if left := await asyncio.to_thread(kill_leftovers, self._owner):
            log.warning("Ended %d processes that an earlier Toolbooth left behind", left)

    def start_serving(self) -> None:
        """From now on tool lists are kept fresh in the background, beginning with the stale ones,
        and servers run that are started before the first call."""
        self.is_serving = True
        self._freshness.start()
        self._sleep_monitor.start()
        self._network_monitor.start()
        with new_trace():
            self._begin(*self._catalogs.all_refs())

    async def apply(self, reconciled: Reconciled) -> None:
        """Apply a changed configuration to the servers."""
        with new_trace():
            await self._apply(reconciled)

    async def _apply(self, reconciled: Reconciled) -> None:
        for ref in reconciled.removed:
            await self._forget(ref)
        self._log_registry(reconciled)
        for ref in reconciled.new_or_changed:
            await self._reset(ref)
        affected = await self._affected(reconciled)
        before = {ref: self.statuses.condition(ref).consented for ref in affected}
        for ref in affected:
            await self._update(ref)
        for workspace in {ref.workspace for ref in (*reconciled.new_or_changed, *reconciled.kept)}:
            await self.tool_lists.apply_policy(workspace)
        allowed = [
            ref
            for ref in affected
            if ref in reconciled.enabled or self.statuses.condition(ref).consented != before[ref]
        ]
        for ref in allowed:
            await self._attempts.forget_failure(ref)
        self._discover_due(*reconciled.new_or_changed, *allowed)
        for ref in reconciled.new_or_changed:
            self._start_if(ref, Lifecycle.EAGER, Lifecycle.ALWAYS)
        for ref in affected:
            self._start_if(ref, Lifecycle.ALWAYS)

    async def _affected(self, reconciled: Reconciled) -> list[ServerRef]:
        """Those of the kept servers for which something may have changed: of hundreds of servers
        usually none, so that a change costs the same however many there are."""
        recorded: set[ServerRef] = set()
        for workspace in {ref.workspace for ref in (*reconciled.new_or_changed, *reconciled.kept)}:
            before = self._consents.get(workspace, {})
            after = await asyncio.to_thread(self._catalogs.consents(workspace).records)
            self._consents[workspace] = after
            changed = before.items() ^ after.items()
            recorded |= {ServerRef(workspace, ServerId(server)) for server, _ in changed}
        return [
            ref
            for ref in reconciled.kept
            if ref in reconciled.edited
            or ref in recorded
            or not self.statuses.condition(ref).consented
            or self._catalogs.entry(ref).unapproved  # rules decide which of them are pending
        ]

    def _log_registry(self, reconciled: Reconciled) -> None:
        """Log the servers whose tools are gone, and what is left."""
        for ref, tool_count in reconciled.gone.items():
            log_event(
                log, "tools.registry.server.removed", serverName=ref.server, removedCount=tool_count
            )
        for workspace in {ref.workspace for ref in (*reconciled.gone, *reconciled.enabled)}:
            if workspace in self._catalogs.catalogs:
                self.tool_lists.log_registry(workspace)

    async def _reset(self, ref: ServerRef) -> None:
        """The server is new or has another configuration: end what ran with the old one, and know
        only what is on disk."""
        await self.sign_ins.forget(ref)
        await self.discovery_queue.cancel(ref)
        await self.pool.disconnect(ref)
        await self.tool_lists.load(ref)
        await self.receipts.load(ref)
        await self.discovery_planner.load(ref)
        self.statuses.update(
            ref,
            consented=self._catalogs.may_start(ref),
            connection=ServerState.IDLE,
            step=None,
            failure=None,
        )
        await self._attempts.load(ref)
        self.statuses.announce(ref)

    async def _update(self, ref: ServerRef) -> None:
        """The server is the same, but may have been disabled or consented to meanwhile."""
        if self._catalogs.entry(ref).config.disabled:
            await self.discovery_queue.cancel(ref)
            await self.pool.disconnect(ref)
            await self._attempts.forget_failure(ref)
            self.statuses.update(ref, step=None, failure=None)
        self.statuses.update(ref, consented=self._catalogs.may_start(ref))
        self.statuses.announce(ref)

    async def grant_consent(self, ref: ServerRef) -> None:
        """The user has seen the command of a server and agrees that it runs."""
        entry = self._catalogs.entry(ref)
        consents = self._catalogs.consents(ref.workspace)
        await asyncio.to_thread(consents.grant, ref.server, entry.config)
        self.statuses.update(ref, consented=True, failure=None)
        await self._attempts.forget_failure(ref)
        self.pool.reset_failures(ref)
        with new_trace():
            self._begin(ref)

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """Change what a server may access during discovery, and discover it again."""
        await self.discovery_planner.allow(ref, access)
        await self._discover_with_new_access(ref)

    async def share(self, ref: ServerRef, paths: Sequence[SharedPath]) -> None:
        """Share files with a server during discovery, and discover it again."""
        await self.discovery_planner.share(ref, paths)
        await self._discover_with_new_access(ref)

    async def _discover_with_new_access(self, ref: ServerRef) -> None:
        await self.discovery_queue.cancel(ref)
        await self._attempts.forget_failure(ref)  # it may not fail like that again
        self.statuses.update(ref, failure=None)
        if self.is_serving and self._may_run(ref):
            self.pool.reset_failures(ref)
            self.discovery_queue.begin(ref)

    async def refresh(self, refs: Iterable[ServerRef], *, packages: bool = False) -> None:
        """Discover servers at the user's request, side by side. Those that failed too often or need
        a sign-in are tried again. `packages`: servers are stopped and their packages fetched again.
        """
        chosen = [ref for ref in refs if self._may_run(ref)]
        for ref in chosen if packages else ():
            self.packages.renew(ref)
            await self.pool.disconnect(ref)
        for ref in chosen:
            self.pool.reset_failures(ref)
            self.sign_ins.reset(ref)
            self._start_if(ref, Lifecycle.ALWAYS)
        await self.discovery_queue.discover(*chosen)

    async def limits_changed(self) -> None:
        """Vet the known lists with the new limits, and discover what these may add."""
        refs = list(self._catalogs.all_refs())
        with new_trace():
            for ref in refs:
                await self.tool_lists.load(ref, publish=True)
            self._discover_due(*refs)

    def register(self, shutdown: Shutdown) -> None:
        """Add the steps that end it; upstreams are closed last."""
        shutdown.add("close the upstreams", self.pool.close)
        shutdown.add("stop vetting", self._vetting.close)
        shutdown.add("cancel discovery", self.discovery_queue.close)
        shutdown.add("stop discovering due tool lists", self._freshness.close)
        shutdown.add("end sign-ins", self.sign_ins.close)
        shutdown.add("stop following list changes", self._list_changed.close)
        shutdown.add("stop the sleep monitor", self._sleep_monitor.close)
        shutdown.add("stop the network monitor", self._network_monitor.close)

    async def _forget(self, ref: ServerRef) -> None:
        await self.sign_ins.forget(ref)
        await self.discovery_queue.cancel(ref)
        await self.packages.forget(ref)
        await self.receipts.forget(ref)
        await self.pool.disconnect(ref)
        self.logs.pop(ref, None)
        self.statuses.forget(ref)
        self._context.redactor.forget(ref)
        self._context.publish(ServerRemoved(ref))
        with log_and_continue(f"forget the consent of {ref}"):
            await asyncio.to_thread(self._catalogs.consents(ref.workspace).forget, ref.server)
        with log_and_continue(f"forget the tools of {ref}"):
            await self._attempts.forget(ref)
            await self.tool_lists.forget(ref)

    async def _reconnect(self) -> None:
        """After a sleep, or in another network."""
        self._freshness.retry_failed()
        await self.pool.recheck()

    def _may_run(self, ref: ServerRef) -> bool:
        enabled = not self._catalogs.entry(ref).config.disabled
        return enabled and self.statuses.condition(ref).consented

    def _discover_due(self, *refs: ServerRef) -> None:
        """Discover those that are due, with the current trace."""
        if due := [ref for ref in refs if self.is_serving and self._is_due(ref)]:
            self.tool_lists.revetted.difference_update(due)
            self.discovery_queue.begin(*due, same_cause=True)

    def _is_due(self, ref: ServerRef) -> bool:
        seen_at = None
        if ref not in self.tool_lists.revetted:
            seen_at = self._catalogs.entry(ref).listed_at
        state = ListState(seen_at, attempt=self._attempts.last(ref))
        is_due = ref in self._attempts.outdated or due_in(state, self._context.clock()) <= DUE
        return self._may_run(ref) and is_due

    def _begin(self, *refs: ServerRef) -> None:
        self._discover_due(*refs)
        for ref in refs:
            self._start_if(ref, Lifecycle.EAGER, Lifecycle.ALWAYS)

    def _start_if(self, ref: ServerRef, *lifecycles: Lifecycle) -> None:
        """Start a server that may run and has one of these lifecycles."""
        chosen = self._catalogs.entry(ref).config.lifecycle in lifecycles
        if self.is_serving and chosen and self._may_run(ref):
            self.pool.start(ref)

    def _state_changed(self, ref: ServerRef, state: ServerState, failure: Failure | None) -> None:
        self.statuses.update(ref, connection=state, failure=failure, process=None)
        if state is ServerState.READY and self.is_serving:
            self._freshness.on_connected(ref)

    async def _sign_in_ended(self, ref: ServerRef, failure: Failure | None) -> None:
        await self.pool.disconnect(ref)
        if failure is not None:
            self.statuses.update(ref, connection=ServerState.NEEDS_SIGN_IN, failure=failure)
            return
        self.statuses.update(ref, connection=ServerState.IDLE, failure=None)
        if self._may_run(ref):
            await self.discovery_queue.discover(ref)

    def _given_up(self, ref: ServerRef, failure: Failure) -> None:
        log.error("%s keeps failing and is given up for now: %s", ref.server, failure.kind)
        self._context.publish(
            AttentionNeeded(ref, without_secrets(failure, self._context.redactor.text))
        )

    def _log_stderr(self, ref: ServerRef, line: str) -> None:
        text = self._context.redactor.text(line)
        log.debug("%s: %s", ref.server, text)
        self.logs[ref].append(LogLine(self._context.clock(), text))
