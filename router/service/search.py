"""Search as the window and the command line use it: trials, usage history, the cloud service.

Also keeps indexes ready: after tool lists change, the indexes of a workspace are built again before
the next search, off the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex

from router.api.events import Event, ToolsChanged, WorkspacesChanged
from router.api.search import CloudChange
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NotFound, sentence
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.search import SearchReply, SearchTrial, UsageHistory
from router.domain.workspaces import Optimization
from router.gateway.tools.meta_tools import DiscoveryArguments
from router.gateway.tools.tool_methods import ToolMethods
from router.runtime.tasks import spawn, stop
from router.search.cloud import TOKEN_NAME, CloudFailed, check_address
from router.service.search_feedback import UsageRecorder
from router.service.settings import SettingsService
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.secrets import LayeredSecrets

QUIET_S = 1.0
"""Tool lists change in bursts, as when many servers are discovered. An index is built once they
have not changed for so long; a search before that builds it at once."""
_LONGEST_BURST_S = 10.0
_MAX_PROJECTS_PREPARED = 8
_MAX_UNDO = 20


@dataclass(frozen=True, slots=True)
class _CloudService:
    url: str
    token: str | None = field(repr=False)


@dataclass(slots=True)
class SearchService:
    """The production implementation of `api.search.SearchPort`."""

    _settings: SettingsService
    _catalogs: WorkspaceCatalogs
    _tool_methods: ToolMethods
    _recorder: UsageRecorder
    _secrets: LayeredSecrets
    _undo: dict[str, _CloudService] = field(default_factory=dict[str, _CloudService])
    """The service before each change, by the change's undo id."""
    _preparations: dict[WorkspaceId, asyncio.Task[None]] = field(
        default_factory=dict[WorkspaceId, asyncio.Task[None]]
    )
    _changed: dict[WorkspaceId, float] = field(default_factory=dict[WorkspaceId, float])
    """When the tools of each workspace last changed, on the monotonic clock."""

    async def open(self) -> None:
        for workspace in self._catalogs.catalogs:
            await self._recorder.open(workspace)

    async def close(self) -> None:
        """Stop building indexes."""
        for task in self._preparations.values():
            await stop(task)

    async def find(self, principal: Principal, queries: Sequence[str], limit: int) -> SearchReply:
        return await self._tool_methods.search(principal, DiscoveryArguments(tuple(queries), limit))

    async def try_out(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        queries: Sequence[str],
        *,
        context: str = "",
        strategies: Sequence[Optimization] = (Optimization.BM25, Optimization.HYBRID),
    ) -> tuple[SearchTrial, ...]:
        principal = self._catalogs.local_principal(workspace, project)
        arguments = {"query": list(queries), "context": context}
        query = DiscoveryArguments.read(arguments, self._settings.current().results_per_search)
        try_search = self._tool_methods.try_search
        return tuple([await try_search(principal, query, each) for each in strategies])

    def usage_history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        return self._recorder.history(workspace, project)

    async def clear_usage_history(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        self._catalogs.local_principal(workspace, project)
        await self._recorder.clear(workspace, project)

    async def set_cloud(self, url: str, token: str | None = None) -> CloudChange:
        if url:
            try:
                check_address(url)
            except CloudFailed as error:
                raise InvalidInput(
                    sentence("The service can't be used: {reason}.", reason=sentence(error.message))
                ) from None
        held = await self._secrets.find(TOKEN_NAME)
        before = _CloudService(self._settings.current().cloud_search_url, held)
        kept = before.token if _origin(url) == _origin(before.url) else None
        await self._apply_cloud(_CloudService(url, (token or kept) if url else None))
        change = CloudChange(token_hex(8))
        self._undo[change.undo] = before
        for oldest in list(self._undo)[:-_MAX_UNDO]:
            del self._undo[oldest]
        return change

    async def undo_cloud(self, change: CloudChange) -> None:
        before = self._undo.get(change.undo)
        if before is None:
            raise NotFound("This can no longer be undone.", "Enter the address and key again.")
        await self._apply_cloud(before)
        del self._undo[change.undo]

    def is_cloud_token_kept(self) -> bool:
        return self._secrets.persisted(TOKEN_NAME)

    def typical_ms(self, strategy: Optimization) -> float | None:
        return self._tool_methods.search_times.typical_ms(strategy)

    async def _apply_cloud(self, wanted: _CloudService) -> None:
        """The token first: an address without its token would fail in every search."""
        held = await self._secrets.find(TOKEN_NAME)
        await self._store_token(held, wanted.token)
        try:
            await self._settings.update({"cloud_search_url": wanted.url})
        except BaseException:
            await self._store_token(wanted.token, held)
            raise

    async def _store_token(self, held: str | None, wanted: str | None) -> None:
        if wanted == held:
            return
        if wanted:
            await self._secrets.set(TOKEN_NAME, wanted)
        else:
            await self._secrets.delete(TOKEN_NAME)

    def on_event(self, event: Event) -> None:
        """Build indexes again when their tools have changed. On the router's event loop."""
        if not isinstance(event, ToolsChanged | WorkspacesChanged):
            return
        self._changed[event.workspace] = time.monotonic()
        running = self._preparations.get(event.workspace)
        if running is None or running.done():
            preparing = self.prepare(event.workspace)
            self._preparations[event.workspace] = spawn(preparing, name="prepare search")

    async def prepare(self, workspace: WorkspaceId) -> None:
        await self._burst_end(workspace)
        if (catalog := self._catalogs.catalogs.get(workspace)) is None:
            return
        for project in [None, *list(catalog.config.projects)[:_MAX_PROJECTS_PREPARED]]:
            with suppress(NotFound):  # the project was removed meanwhile
                view = await asyncio.to_thread(catalog.view, project)
                if view.optimization is not None and view.tools:
                    await view.index.prepare(view.optimization)

    async def _burst_end(self, workspace: WorkspaceId) -> None:
        now = time.monotonic()
        latest = now + _LONGEST_BURST_S
        while (end := min(self._changed.get(workspace, 0) + QUIET_S, latest)) > now:
            await asyncio.sleep(end - now)
            now = time.monotonic()


def _origin(url: str) -> list[str]:
    """Scheme, host and port: a token is never sent to another origin than it was entered for."""
    return url.lower().split("/")[:3]
