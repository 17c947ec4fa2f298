"""Servers' lists between the disk, the catalogue and the person who approves their tools."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Collection
from dataclasses import replace

from router.api.events import ApprovalsChanged, Publish, ToolsChanged
from router.catalog.server_entry import ServerEntry
from router.catalog.server_status import StatusBoard
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.discovery.vetting.diff import readable, word_diff
from router.discovery.vetting.preparation import basis_of, original_listing
from router.discovery.vetting.process import VettingProcess
from router.domain.errors import NotFound, UpstreamFailed, said
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.tool_lists import (
    ApprovalPolicy,
    CachedListing,
    PendingApproval,
    PreparedListing,
    ServerListing,
)
from router.domain.tools import PendingTool
from router.service.workspace_catalogs import Workspaces

log = logging.getLogger(__name__)


class ToolLists:
    def __init__(
        self,
        workspaces: Workspaces,
        board: StatusBoard,
        settings: Callable[[], Settings],
        publish: Publish,
    ) -> None:
        self._workspaces = workspaces
        self._board = board
        self._settings = settings
        self._publish = publish
        self._vetting = VettingProcess()
        self._policies: dict[WorkspaceId, ApprovalPolicy] = {}
        self.outdated: set[ServerRef] = set()
        """Those whose list was made with other limits, and may lack what these allow."""

    async def close(self) -> None:
        await self._vetting.close()

    async def prepare(self, listing: ServerListing) -> PreparedListing:
        return await self._vetting.prepare(listing, self._settings().list_limits.limits())

    async def load(self, ref: ServerRef) -> None:
        """Take a server's list from the cache, if one fits its configuration; one that was made
        with other limits or rules is looked at again."""
        cached = await self._workspaces.read_listing(ref)
        if cached is None:
            return
        if cached.listing.basis != basis_of(self._settings().list_limits.limits()):
            try:
                prepared = await self.prepare(original_listing(cached.listing))
            except UpstreamFailed as error:
                log.warning("Ignoring the cached tools of %s: %s", ref.server, error.message)
                return
            cached = replace(cached, listing=prepared)
            self.outdated.add(ref)
        await self._take(ref, cached)

    def review(self, ref: ServerRef, listing: PreparedListing) -> dict[str, PendingApproval]:
        """Which tools wait for a person. Reads and writes files: on a thread."""
        catalog = self._workspaces.catalog(ref.workspace)
        config = catalog.entry(ref.server).config
        store = self._workspaces.approvals(ref.workspace)
        return store.review(ref.server, subject_of(config), listing.tools, catalog.config.approval)

    async def follow_policy(self, workspace: WorkspaceId) -> None:
        """See what a policy that was changed means for the tools that are known."""
        policy = self._workspaces.catalog(workspace).config.approval
        if self._policies.setdefault(workspace, policy) == policy:
            return
        self._policies[workspace] = policy
        for server, entry in list(self._workspaces.catalog(workspace).servers.items()):
            if entry.cached is not None:
                await self._take(ServerRef(workspace, server), entry.cached, tell=True)

    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        """A person agrees to these tools as they are now, or to all of a server's that wait."""
        entry = self._workspaces.entry(ref)
        if entry.cached is None:
            if tools:
                raise NotFound(
                    said("The tools of {name} are not known yet.", name=entry.name),
                    said("Have them listed with: toolbooth refresh {server}", server=ref.server),
                )
            return
        known = {tool.name: tool for tool in entry.cached.listing.tools}
        for name in tools or ():
            if name not in known:
                raise NotFound(
                    said("There is no tool {tool}.", tool=ToolKey(ref.server, name)),
                    said("List them with: toolbooth tools {server}", server=ref.server),
                )
        waiting = self._workspaces.catalog(ref.workspace).pending(entry)
        chosen = [known[name] for name in (waiting if tools is None else tools)]
        if chosen:
            store = self._workspaces.approvals(ref.workspace)
            await asyncio.to_thread(store.approve, ref.server, subject_of(entry.config), chosen)
            await self._take(ref, entry.cached, tell=True)

    async def forget(self, ref: ServerRef) -> None:
        await asyncio.to_thread(self._workspaces.approvals(ref.workspace).forget, ref.server)
        self.outdated.discard(ref)

    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        """What waits for a person, in order of server and tool."""
        catalog = self._workspaces.catalog(workspace)
        return tuple(
            _pending(entry, name, held)
            for _, entry in sorted(catalog.servers.items())
            for name, held in sorted(catalog.pending(entry).items())
        )

    def tell_waiting(self, ref: ServerRef) -> None:
        catalog = self._workspaces.catalog(ref.workspace)
        waiting = catalog.pending(catalog.entry(ref.server))
        self._publish(ApprovalsChanged(ref, len(waiting)))

    async def _take(self, ref: ServerRef, cached: CachedListing, *, tell: bool = False) -> None:
        catalog = self._workspaces.catalog(ref.workspace)
        held = await asyncio.to_thread(self.review, ref, cached.listing)
        before = catalog.entry(ref.server)
        after = await asyncio.to_thread(before.with_listing, cached, held)
        waited = catalog.pending(before)
        if catalog.put(before, after) and tell and after.unapproved != before.unapproved:
            self._board.announce(ref)
            self._publish(ToolsChanged(ref.workspace, ref.server, len(after.tools)))
            if catalog.pending(after) != waited:
                self.tell_waiting(ref)


def subject_of(config: ServerConfig) -> str:
    """What a person approves tools of: another command or address is another server."""
    running = [config.command, list(config.args), config.cwd, config.url]
    return hashlib.sha256(json.dumps(running).encode()).hexdigest()


def _pending(entry: ServerEntry, name: str, held: PendingApproval) -> PendingTool:
    tool = next(tool for tool in entry.tools if tool.key.tool == name)
    old = readable(held.approved) if held.approved is not None else ""
    new = readable(tool.wire)
    return PendingTool(
        key=tool.key,
        approval=held.approval,
        old=old,
        new=new,
        difference=word_diff(old, new),
        findings=tool.findings,
    )
