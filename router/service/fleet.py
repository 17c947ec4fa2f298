"""The servers at run time: started when they may be, listed when they should be, stopped when gone.

Joins the pool of upstreams with the status board and the refresher.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from datetime import datetime

from router.advice import advise
from router.catalog.statuses import StatusBoard
from router.discovery.refresher import Refresher
from router.errors import UpstreamFailed
from router.events import Publish, ServerRemoved
from router.model import (
    DiscoveryStatus,
    Failure,
    FailureKind,
    JsonObject,
    ServerRef,
    ServerState,
)
from router.ports import SecretStore
from router.service.sign_ins import SignIns
from router.service.workspaces import Reconciled, Workspaces
from router.store.secrets import resolve
from router.tasks import spawn
from router.upstream.oauth.failures import sign_in_needed
from router.upstream.pool import LaunchPlan, UpstreamPool

log = logging.getLogger(__name__)

_LIST_CHANGED = frozenset(
    f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")
)


class Fleet:
    def __init__(
        self,
        workspaces: Workspaces,
        secrets: SecretStore,
        publish: Publish,
        clock: Callable[[], datetime],
    ) -> None:
        self._workspaces = workspaces
        self._secrets = secrets
        self._publish = publish
        self._refreshes_by_itself = False
        self.sign_ins = SignIns(workspaces, secrets, clock, self._sign_in_ended)
        self.board = StatusBoard(workspaces.catalogs, publish)
        self.pool = UpstreamPool(
            launch=self._launch,
            publish_state=self._state_changed,
            on_notification=self._notified,
            on_stderr=self._said,
        )
        self.refresher = Refresher(
            upstreams=self.pool,
            catalogs=workspaces.catalogs,
            caches=workspaces.cache,
            board=self.board,
            publish=publish,
            clock=clock,
        )

    def start_refreshing(self) -> None:
        """From now on lists are kept fresh in the background, beginning with the stale ones."""
        self._refreshes_by_itself = True
        for workspace, catalog in self._workspaces.catalogs.items():
            for server in catalog.servers:
                self._refresh_if_stale(ServerRef(workspace, server))

    async def apply(self, reconciled: Reconciled) -> None:
        """Do what a changed configuration asks for."""
        await self._forget(reconciled.removed)
        for ref in reconciled.restarted:
            await self.sign_ins.forget(ref)
            await self.pool.disconnect(ref)
            await self._workspaces.load_listing(ref)
            self._reset(ref)
        for ref in reconciled.kept:
            if self._workspaces.entry(ref).config.disabled:
                await self.pool.disconnect(ref)
            self.board.update(ref, consented=self._workspaces.has_consent(ref))
            self.board.announce(ref)
        for ref in (*reconciled.restarted, *reconciled.kept):
            self._refresh_if_stale(ref)

    async def approve(self, ref: ServerRef) -> None:
        """A person has seen what would run and agrees."""
        entry = self._workspaces.entry(ref)
        consents = self._workspaces.consents(ref.workspace)
        await asyncio.to_thread(consents.grant, ref.server, entry.config)
        self.board.update(ref, consented=True, failure=None)
        self._refresh_if_stale(ref)

    async def refresh(self, refs: Iterable[ServerRef]) -> None:
        """Learn lists anew, side by side; one failure harms no other. A person wants it, so a
        server that waited for a sign-in is asked again whether it still does."""
        chosen = [ref for ref in refs if self._may_run(ref)]
        for ref in chosen:
            self.sign_ins.reconsider(ref)
        await asyncio.gather(*(self.refresher.refresh(ref) for ref in chosen))

    async def sign_out(self, ref: ServerRef) -> None:
        await self.sign_ins.sign_out(ref)
        await self._sign_in_ended(ref, sign_in_needed(ref.server, "you signed out"))

    async def close(self) -> None:
        await self.sign_ins.close()
        await self.refresher.close()
        await self.pool.close()

    async def _forget(self, refs: Iterable[ServerRef]) -> None:
        for ref in refs:
            await self.sign_ins.forget(ref)
            await self.pool.disconnect(ref)
            self.board.forget(ref)
            self._publish(ServerRemoved(ref))
            await asyncio.to_thread(self._workspaces.cache(ref.workspace).remove, ref.server)
            await asyncio.to_thread(self._workspaces.consents(ref.workspace).forget, ref.server)

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
        if self._refreshes_by_itself and self._may_run(ref) and not self.refresher.is_fresh(ref):
            spawn(self.refresher.refresh(ref), name=f"refresh {ref.server}")

    async def _launch(self, ref: ServerRef) -> LaunchPlan:
        """How to start a server; asked at each start, so that secrets don't outlive their use."""
        entry = self._workspaces.entry(ref)
        if entry.config.disabled:
            raise _refused(Failure(FailureKind.DISABLED), entry.name)
        if not await asyncio.to_thread(self._workspaces.has_consent, ref):
            failure = Failure(FailureKind.CONSENT_NEEDED, entry.id, entry.config.target)
            raise _refused(failure, entry.name)
        return LaunchPlan(
            config=entry.config,
            env=await resolve(entry.config.env, self._secrets, os.environ),
            headers=await resolve(entry.config.headers, self._secrets, os.environ),
            credentials=await self.sign_ins.credentials(ref),
        )

    def _state_changed(self, ref: ServerRef, state: ServerState, failure: Failure | None) -> None:
        self.board.update(ref, connection=state, failure=failure)
        if state is ServerState.READY:
            self._refresh_if_stale(ref)

    async def _sign_in_ended(self, ref: ServerRef, failure: Failure | None) -> None:
        await self.pool.disconnect(ref)
        if failure is not None:
            self.board.update(ref, connection=ServerState.NEEDS_SIGN_IN, failure=failure)
            return
        self.board.update(ref, connection=ServerState.IDLE, failure=None)
        if self._may_run(ref):
            await self.refresher.refresh(ref)

    def _notified(self, ref: ServerRef, method: str, _: JsonObject) -> None:
        if method in _LIST_CHANGED:
            spawn(self.refresher.refresh(ref), name=f"refresh {ref.server}")

    def _said(self, ref: ServerRef, line: str) -> None:
        log.debug("%s: %s", ref.server, line)


def _refused(failure: Failure, name: str) -> UpstreamFailed:
    advice = advise(failure, name)
    return UpstreamFailed(failure, advice.cause, advice.suggestion)
