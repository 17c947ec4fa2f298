"""The tool lists of servers: adopted from discovery or the cache, with their approvals applied.

`ToolLists._adopt` is the only way a list gets into the catalog.

| list | written to the cache | published |
|---|---|---|
| discovered, new or changed | yes | yes |
| discovered, the same as before | only its time | no |
| read from the cache at start or after a change of configuration | no | no |
| read from the cache and vetted again with other limits | no | yes |
| known, after approvals or the approval policy changed | no | if something else needs approval |
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace
from functools import partial

from router.api.events import ToolsChanged
from router.catalog.listed_items import listed_items
from router.catalog.server_entry import ServerEntry
from router.catalog.server_status import ServerStatuses
from router.config.server import ServerConfig
from router.discovery.vetting.diff import readable, readable_item, word_diff
from router.discovery.vetting.preparation import original_listing, vetting_version
from router.discovery.vetting.process import VettingProcess
from router.domain.errors import NotFound, UpstreamFailed, sentence
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.tool_lists import (
    Approvable,
    ApprovalPolicy,
    CachedListing,
    ListedItem,
    ListLimits,
    PendingApproval,
    PreparedListing,
)
from router.domain.tools import PendingTool
from router.gateway.tools import meta_tools
from router.runtime.tracing import log_event
from router.service.context import ServiceContext
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.tool_list_cache import ToolListCache

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ToolLists:
    _context: ServiceContext
    _statuses: ServerStatuses
    _vetting: VettingProcess
    _policies: dict[WorkspaceId, ApprovalPolicy] = field(
        default_factory=dict[WorkspaceId, ApprovalPolicy]
    )
    revetted: set[ServerRef] = field(default_factory=set[ServerRef])
    """Servers whose cached list was vetted again with other limits or rules: it may lack what
    these allow, so it counts as never discovered."""

    @property
    def _catalogs(self) -> WorkspaceCatalogs:
        return self._context.catalogs

    def limits(self) -> ListLimits:
        """The limits that lists are vetted with now."""
        return self._context.settings().list_limits.limits()

    async def adopt_discovered(
        self, ref: ServerRef, config_hash: str, listing: PreparedListing
    ) -> None:
        """Adopt the result of a discovery, unless the server was removed or reconfigured since it
        began: then another discovery provides its list."""
        if (entry := self._catalogs.find_unchanged(ref, config_hash)) is None:
            return
        self.revetted.discard(ref)
        known = entry.cached
        listing = self._completed(listing, known.listing if known else PreparedListing())
        if known is not None and known.listing.fingerprint == listing.fingerprint:
            await self._confirm(ref, known)
            return
        cached = CachedListing(listing, config_hash, self._context.clock())
        await self._write(ref, cached)
        _log_findings(ref, listing)
        await self._adopt(ref, cached)

    def _completed(self, listing: PreparedListing, known: PreparedListing) -> PreparedListing:
        """`listing`, with what is known of the lists that could not be read this time."""
        unread = {name: self._context.redactor.text(why) for name, why in listing.unread.items()}
        return replace(
            listing,
            unread=unread,
            prompts=known.prompts if "prompts" in unread else listing.prompts,
            resources=known.resources if "resources" in unread else listing.resources,
            resource_templates=known.resource_templates
            if "resourceTemplates" in unread
            else listing.resource_templates,
        )

    async def load(self, ref: ServerRef, *, publish: bool = False) -> None:
        """Adopt the cached list of a server, if there is one for its configuration. A list that was
        vetted with other limits or rules is vetted again."""
        cache, config_hash = self._cache(ref), self._catalogs.entry(ref).config.config_hash
        cached = await asyncio.to_thread(cache.read, ref.server, config_hash)
        if cached is None:
            return
        if cached.listing.vetting_version != vetting_version(self.limits()):
            try:
                original = original_listing(cached.listing)
                listing = await self._vetting.prepare(original, self.limits())
            except UpstreamFailed as error:
                log.warning("Ignoring the cached tools of %s: %s", ref.server, error.message)
                return
            cached = replace(cached, listing=listing)
            self.revetted.add(ref)
        await self._adopt(ref, cached, publish=publish)

    async def apply_policy(self, workspace: WorkspaceId) -> None:
        """Review the known lists of a workspace if its approval policy has changed."""
        policy = self._catalogs.catalog(workspace).config.approval
        if self._policies.setdefault(workspace, policy) == policy:
            return
        self._policies[workspace] = policy
        for ref in self._catalogs.refs(workspace):
            await self._adopt(ref)

    async def approve(self, ref: ServerRef, tools: Collection[str] | None = None) -> None:
        """Approve these tools and items, by name, in their current form; None: all that need
        approval."""
        entry = self._catalogs.entry(ref)
        known = self._known(entry, tools or ())
        waiting = self._catalogs.catalog(ref.workspace).pending(entry)
        chosen = [known[name] for name in (waiting if tools is None else tools)]
        if chosen:
            store = self._catalogs.approvals(ref.workspace)
            await asyncio.to_thread(
                store.approve, ref.server, approval_identity(entry.config), chosen
            )
            await self._adopt(ref)

    async def dismiss(self, ref: ServerRef, tools: Collection[str]) -> None:
        """Dismiss the findings in these tools, until their definition changes."""
        entry = self._catalogs.entry(ref)
        known = self._known(entry, tools)
        store = self._catalogs.approvals(ref.workspace)
        await asyncio.to_thread(
            store.dismiss,
            ref.server,
            approval_identity(entry.config),
            [known[name] for name in tools],
        )
        await self._adopt(ref)

    def _known(self, entry: ServerEntry, named: Collection[str]) -> dict[str, Approvable]:
        """What a server lists, by name. Raises `NotFound` if one of `named` is not among them."""
        if entry.cached is None and named:
            raise NotFound(
                sentence("The tools of {name} have not been discovered yet.", name=entry.name),
                terminal=sentence(
                    "Discover them with: toolbooth refresh {server}", server=entry.id
                ),
            )
        known = _by_name(entry)
        for name in named:
            if name not in known:
                raise NotFound(
                    sentence("There is no tool {tool}.", tool=ToolKey(entry.id, name)),
                    sentence("List them with: toolbooth tools {server}", server=entry.id),
                )
        return known

    async def forget(self, ref: ServerRef) -> None:
        await asyncio.to_thread(self._cache(ref).remove, ref.server)
        await asyncio.to_thread(self._catalogs.approvals(ref.workspace).forget, ref.server)
        self.revetted.discard(ref)
        self._context.deferred_writes.forget(_cached(ref))

    def pending(self, workspace: WorkspaceId) -> tuple[PendingTool, ...]:
        """The tools and items that need approval, by server and name."""
        catalog = self._catalogs.catalog(workspace)
        return tuple(
            _pending_tool(entry, name, pending)
            for _, entry in sorted(catalog.servers.items())
            for name, pending in sorted(catalog.pending(entry).items())
        )

    async def _adopt(
        self, ref: ServerRef, new: CachedListing | None = None, *, publish: bool = True
    ) -> None:
        """Apply the approvals to a list, put it into the catalog and publish the change.

        `new` None: the known list, whose approvals have changed. Thousands of tools are built on a
        thread; if the entry was replaced meanwhile, that is done again for the new one.
        """
        while (before := self._catalogs.find(ref)) is not None:
            cached = new or before.cached
            if cached is None or cached.config_hash != before.config.config_hash:
                return
            catalog = self._catalogs.catalog(ref.workspace)
            policy = catalog.config.approval
            after = await asyncio.to_thread(self._reviewed, ref, before, cached, policy)
            if catalog.put(before, after):
                reviewed = after.unapproved, after.dismissed
                if publish and (new or reviewed != (before.unapproved, before.dismissed)):
                    self._publish_change(ref, after)
                return

    def _reviewed(
        self, ref: ServerRef, entry: ServerEntry, cached: CachedListing, policy: ApprovalPolicy
    ) -> ServerEntry:
        """`entry` with this list and what of it needs approval. Reads and writes files."""
        store = self._catalogs.approvals(ref.workspace)
        tools = cached.listing.tools
        subject = approval_identity(entry.config)
        listed = (*listed_items(cached.listing), *tools)
        pending = store.review(ref.server, subject, listed, policy)
        return entry.with_listing(cached, pending, store.dismissed(ref.server, subject, tools))

    def _publish_change(self, ref: ServerRef, entry: ServerEntry) -> None:
        self.log_registry(ref.workspace)
        self._statuses.announce(ref)
        self._context.publish(ToolsChanged(ref.workspace, ref.server, len(entry.tools)))

    def log_registry(self, workspace: WorkspaceId) -> None:
        """Log how many tools there are now."""
        servers = self._catalogs.catalog(workspace).servers.values()
        log_event(
            log,
            "tools.registry.updated",
            staticCount=len(meta_tools.TOOLS),
            mcpCount=sum(len(each.tools) for each in servers if not each.config.disabled),
        )

    async def _confirm(self, ref: ServerRef, cached: CachedListing) -> None:
        """The server sent the known list again: only its age changes."""
        now = self._context.clock()
        self._catalogs.catalog(ref.workspace).checked(ref.server, now)
        await asyncio.to_thread(self._cache(ref).touch, ref.server, now)

    async def _write(self, ref: ServerRef, cached: CachedListing) -> None:
        """A list that can't be written is used all the same."""
        write = partial(self._cache(ref).write, ref.server, cached)
        await asyncio.to_thread(self._context.deferred_writes.write, _cached(ref), write)

    def _cache(self, ref: ServerRef) -> ToolListCache:
        return self._catalogs.cache(ref.workspace)


def _cached(ref: ServerRef) -> Hashable:
    """The subject of writing a cached list."""
    return "tool list", ref


def approval_identity(config: ServerConfig) -> str:
    """What approvals belong to: another command or address is another server."""
    running = [config.command, list(config.args), config.cwd, config.url]
    return hashlib.sha256(json.dumps(running).encode()).hexdigest()


def _log_findings(ref: ServerRef, listing: PreparedListing) -> None:
    for cut in listing.cuts:
        log.warning("%s: of its list %s was cut %d times", ref.server, cut.kind, cut.count)
    for tool in listing.tools:
        for finding in tool.findings:
            what = f"{finding.kind} ({finding.rule}) in {finding.where}"
            quote = " ".join(finding.quote.split())
            log.warning("%s:%s: %s: %s", ref.server, tool.name, what, quote)


def _by_name(entry: ServerEntry) -> dict[str, Approvable]:
    return {each.name: each for each in (*entry.items, *entry.listing.tools)}


def _pending_tool(entry: ServerEntry, name: str, pending: PendingApproval) -> PendingTool:
    known, kind, findings = _by_name(entry)[name], None, ()
    if isinstance(known, ListedItem):
        text, new, kind = readable_item, readable_item(known.shown), known.kind
    else:
        tool = next(tool for tool in entry.tools if tool.key.tool == name)
        text, new, findings = readable, readable(tool.wire), tool.findings
    old = text(pending.approved) if pending.approved is not None else ""
    return PendingTool(
        key=ToolKey(entry.id, name),
        approval=pending.approval,
        old=old,
        new=new,
        difference=word_diff(old, new),
        findings=findings,
        kind=kind,
    )
