"""The servers at run time: started when they may be, listed when they should be, stopped when gone.

Joins the pool of upstreams with the status board and the refresher.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from router.api.events import AttentionNeeded, Event, Publish, ServerRemoved, ToolsChanged
from router.catalog.server_status import StatusBoard, without_secrets
from router.config.server import Lifecycle
from router.config.settings import Settings
from router.discovery.refresher import Refresher
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.receipts import DiscoveryAccess
from router.domain.servers import DiscoveryStatus, ServerState
from router.gateway.tools import meta_tools
from router.runtime.tracing import log_event
from router.service.discovery_setup import Discovering
from router.service.freshness import Freshness
from router.service.launch_policy import Launching
from router.service.list_changed import Following
from router.service.server_logs import ServerLogs
from router.service.sign_ins import SignIns
from router.service.sleep_monitor import Waking
from router.service.tool_lists import ToolLists
from router.service.workspace_catalogs import Reconciled, Workspaces
from router.store.ports import SecretStore
from router.store.redaction import Redactor
from router.upstream.oauth.errors import sign_in_needed
from router.upstream.pool import UpstreamPool
from router.upstream.ports import SessionId
from router.upstream.process.tracking import THIS_PROCESS
from router.upstream.process.tree import sweep

log = logging.getLogger(__name__)


class Fleet:
    def __init__(
        self,
        workspaces: Workspaces,
        secrets: SecretStore,
        redactor: Redactor,
        publish: Publish,
        clock: Callable[[], datetime],
        settings: Callable[[], Settings] = Settings,
        owner: str = THIS_PROCESS,
        *,
        state_dir: Path,
    ) -> None:
        self._workspaces = workspaces
        self._redactor = redactor
        self._publish = publish
        self._owner = owner
        self._serving = False
        self.on_resource_updated: Callable[[ServerRef, SessionId | None, JsonObject], None] = (
            _ignore_update
        )
        """Told which resource changed, and for which session alone if only that one uses it."""
        self.sign_ins = SignIns(workspaces, secrets, redactor, clock, self._sign_in_ended)
        self.logs = ServerLogs(clock)
        self.board = StatusBoard(workspaces.catalogs, publish, redactor.text)
        self._following = Following(lambda ref: self.refresher.refresh(ref))
        self._launching = Launching(
            workspaces,
            secrets,
            redactor,
            self.sign_ins,
            settings,
            lambda ref, config: self.discovering.to_start(ref, config),
            owner,
        )
        self.pool = UpstreamPool(
            launch=self._launching.plan,
            publish_state=self._state_changed,
            on_notification=self._following.notified,
            on_resource_updated=self._resource_updated,
            on_stderr=self._said,
            on_given_up=self._given_up,
            run_options=self._launching.run_options,
        )
        self.lists = ToolLists(workspaces, self.board, settings, publish)
        self.discovering = Discovering(
            workspaces=workspaces,
            running=self.pool,
            secrets=secrets,
            settings=settings,
            board=self.board,
            permit=self._launching.permitted,
            state_dir=state_dir,
            clock=clock,
        )
        self.refresher = Refresher(
            learn=self.discovering.learn,
            catalogs=workspaces.catalogs,
            caches=workspaces.cache,
            board=self.board,
            prepare=self.lists.prepare,
            review=self.lists.review,
            publish=self._learnt,
            clock=clock,
        )
        self.freshness = Freshness(
            workspaces,
            self.refresher.check,
            may_run=self._may_run,
            is_connected=lambda ref: self.board.condition(ref).connection is ServerState.READY,
            idle_s=self.pool.idle_s,
            clock=clock,
        )
        self._waking = Waking(self.pool.recheck)

    async def sweep(self) -> None:
        """End what an earlier router that was killed has left of its servers."""
        if left := await asyncio.to_thread(sweep, self._owner):
            log.warning("Ended %d processes that an earlier Toolbooth left behind", left)

    def start_serving(self) -> None:
        """From now on lists are kept fresh in the background, beginning with the stale ones, and
        servers run that shall do so before anyone calls them."""
        self._serving = True
        self.freshness.start()
        self._waking.start()
        for workspace, catalog in self._workspaces.catalogs.items():
            for server in catalog.servers:
                self._begin(ServerRef(workspace, server))

    async def apply(self, reconciled: Reconciled) -> None:
        """Do what a changed configuration asks for."""
        for ref, tool_count in reconciled.removed.items():
            await self._forget(ref)
            log_event(
                log,
                "tools.registry.server.removed",
                serverName=ref.server,
                removedCount=tool_count,
            )
        for ref in reconciled.restarted:
            await self._restart(ref)
        before = {ref: self.board.condition(ref).consented for ref in reconciled.kept}
        for ref in reconciled.kept:
            await self._keep_in_step(ref)
        for workspace in {ref.workspace for ref in (*reconciled.restarted, *reconciled.kept)}:
            await self.lists.follow_policy(workspace)
        for ref in reconciled.reconsidered:
            self.lists.tell_waiting(ref)
        for ref in reconciled.restarted:
            self._begin(ref)
        for ref in reconciled.kept:
            if ref in reconciled.enabled or self.board.condition(ref).consented != before[ref]:
                self._refresh_if_stale(ref)
            self._start_if(ref, Lifecycle.ALWAYS)

    async def _restart(self, ref: ServerRef) -> None:
        """It is new, or another than before: what is known of it is what lies on disk."""
        await self.sign_ins.forget(ref)
        await self.refresher.cancel(ref)
        await self.pool.disconnect(ref)
        await self.lists.load(ref)
        await self.discovering.load(ref)
        self._reset(ref)

    async def _keep_in_step(self, ref: ServerRef) -> None:
        """It is the same as before, but may be switched off or agreed to by now."""
        if self._workspaces.entry(ref).config.disabled:
            await self.refresher.cancel(ref)
            await self.pool.disconnect(ref)
            self.board.update(ref, discovery=DiscoveryStatus.NEVER, failure=None)
        self.board.update(ref, consented=self._workspaces.has_consent(ref))
        self.board.announce(ref)

    async def approve(self, ref: ServerRef) -> None:
        """A person has seen what would run and agrees."""
        entry = self._workspaces.entry(ref)
        consents = self._workspaces.consents(ref.workspace)
        await asyncio.to_thread(consents.grant, ref.server, entry.config)
        self.board.update(ref, consented=True, failure=None)
        self.pool.reset_failures(ref)
        self._begin(ref)

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """A person decides what a server may have while its lists are learnt: they are anew."""
        await self.discovering.allow(ref, access)
        await self.refresher.cancel(ref)
        if self._serving and self._may_run(ref):
            self.pool.reset_failures(ref)
            self.refresher.begin(ref)

    async def refresh(self, refs: Iterable[ServerRef], *, packages: bool = False) -> None:
        """Learn lists anew, side by side; one failure harms no other. A person asks for this, so
        servers that were given up or waited for a sign-in are tried again. With `packages`, those
        that are packages are stopped and fetched anew."""
        chosen = [ref for ref in refs if self._may_run(ref)]
        for ref in chosen if packages else ():
            self.discovering.renew_package(ref)
            await self.pool.disconnect(ref)
        for ref in chosen:
            self.pool.reset_failures(ref)
            self.sign_ins.reconsider(ref)
            self._start_if(ref, Lifecycle.ALWAYS)
        await self.refresher.refresh(*chosen)

    async def limits_changed(self) -> None:
        """Hold the lists that are known to the new limits, and ask for what these allow anew."""
        for workspace, catalog in list(self._workspaces.catalogs.items()):
            for server in catalog.servers:
                ref = ServerRef(workspace, server)
                await self.lists.load(ref)
                self.board.announce(ref)
                self._publish(ToolsChanged(workspace, server, len(catalog.entry(server).tools)))
                self._refresh_if_stale(ref)

    async def sign_out(self, ref: ServerRef) -> None:
        await self.sign_ins.sign_out(ref)
        await self._sign_in_ended(ref, sign_in_needed(ref.server, "you signed out"))

    async def measure(self) -> None:
        """Bring what is known of the servers' processes up to date."""
        for ref, facts in (await self.pool.measure()).items():
            self.board.update(ref, process=facts)

    async def close(self) -> None:
        await self._waking.close()
        await self._following.close()
        await self.sign_ins.close()
        await self.freshness.close()
        await self.refresher.close()
        await self.lists.close()
        await self.pool.close()

    async def _forget(self, ref: ServerRef) -> None:
        await self.sign_ins.forget(ref)
        await self.refresher.cancel(ref)
        await self.discovering.forget(ref)
        await self.pool.disconnect(ref)
        self.board.forget(ref)
        self._redactor.forget(ref)
        self._publish(ServerRemoved(ref))
        await asyncio.to_thread(self._workspaces.cache(ref.workspace).remove, ref.server)
        await asyncio.to_thread(self._workspaces.consents(ref.workspace).forget, ref.server)
        await self.lists.forget(ref)

    def _reset(self, ref: ServerRef) -> None:
        self.board.update(
            ref,
            consented=self._workspaces.has_consent(ref),
            connection=ServerState.IDLE,
            discovery=DiscoveryStatus.NEVER,
            step=None,
            failure=None,
        )
        self.board.announce(ref)

    def _may_run(self, ref: ServerRef) -> bool:
        enabled = not self._workspaces.entry(ref).config.disabled
        return enabled and self.board.condition(ref).consented

    def _refresh_if_stale(self, ref: ServerRef) -> None:
        fresh = self.refresher.is_fresh(ref) and ref not in self.lists.outdated
        if self._serving and self._may_run(ref) and not fresh:
            self.lists.outdated.discard(ref)
            self.refresher.begin(ref)

    def _begin(self, ref: ServerRef) -> None:
        self._refresh_if_stale(ref)
        self._start_if(ref, Lifecycle.EAGER, Lifecycle.ALWAYS)

    def _start_if(self, ref: ServerRef, *lifecycles: Lifecycle) -> None:
        """Start a server if it may run and has one of these lifecycles."""
        wanted = self._workspaces.entry(ref).config.lifecycle in lifecycles
        if self._serving and wanted and self._may_run(ref):
            self.pool.start(ref)

    def _state_changed(self, ref: ServerRef, state: ServerState, failure: Failure | None) -> None:
        self.board.update(ref, connection=state, failure=failure, process=None)
        if state is ServerState.READY and self._serving:
            self.freshness.connected(ref)

    async def _sign_in_ended(self, ref: ServerRef, failure: Failure | None) -> None:
        await self.pool.disconnect(ref)
        if failure is not None:
            self.board.update(ref, connection=ServerState.NEEDS_SIGN_IN, failure=failure)
            return
        self.board.update(ref, connection=ServerState.IDLE, failure=None)
        if self._may_run(ref):
            await self.refresher.refresh(ref)

    def _resource_updated(
        self, ref: ServerRef, session: SessionId | None, params: JsonObject
    ) -> None:
        self.on_resource_updated(ref, session, params)

    def _learnt(self, event: Event) -> None:
        """Pass on what the refresher tells."""
        if isinstance(event, ToolsChanged):
            catalog = self._workspaces.catalog(event.workspace)
            log_event(
                log,
                "tools.registry.updated",
                staticCount=len(meta_tools.TOOLS),
                mcpCount=sum(len(entry.tools) for entry in catalog.servers.values()),
            )
        self._publish(event)

    def _given_up(self, ref: ServerRef, failure: Failure) -> None:
        log.error("%s keeps failing and is given up for now: %s", ref.server, failure.kind)
        self._publish(AttentionNeeded(ref, without_secrets(failure, self._redactor.text)))

    def _said(self, ref: ServerRef, line: str) -> None:
        said = self._redactor.text(line)
        log.debug("%s: %s", ref.server, said)
        self.logs.add(ref, said)


def _ignore_update(_ref: ServerRef, _session: SessionId | None, _params: JsonObject) -> None:
    """Nobody serves clients who could have subscribed."""
