"""Searching as its person sees it: trying it out, what it has learned, and the cloud service.

Also keeps indexes ready: after tool lists change, those that are searched are built anew before the
next search asks, off the loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Protocol

from router.api.events import Event, ToolsChanged, WorkspacesChanged
from router.api.search import CloudChange
from router.config.settings import Settings
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NotFound, SecretUnavailable, said, sentence
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.search import Learned, SearchTrial
from router.domain.workspaces import Optimization
from router.gateway.tools.exposures import Exposures
from router.gateway.tools.meta_tools import DiscoveryArguments
from router.runtime.tasks import spawn, stop
from router.search.cloud import TOKEN_NAME, CloudFailed, check_address
from router.search.provider import Provider
from router.service.learning import Learning
from router.service.workspace_catalogs import Workspaces
from router.store.secrets import LayeredSecrets

QUIET_S = 0.2
"""Lists change in bursts; an index is built when a burst is over."""
_MAX_KEPT_READY = 8
_UNDO_KEPT = 20


@dataclass(frozen=True, slots=True)
class _Cloud:
    url: str
    token: str | None = field(repr=False)


class Owner(Protocol):
    """What of the router this room needs."""

    def settings(self) -> Settings: ...
    def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal: ...
    async def apply_settings(self, settings: Settings) -> None: ...


class Searches:
    """The one production implementation of `searching.SearchPort`."""

    def __init__(
        self,
        router: Owner,
        workspaces: Workspaces,
        exposures: Exposures,
        learning: Learning,
        provider: Provider,
        secrets: LayeredSecrets,
    ) -> None:
        self._router = router
        self._workspaces = workspaces
        self._exposures = exposures
        self._learning = learning
        self._provider = provider
        self._secrets = secrets
        self._clouds: dict[str, _Cloud] = {}
        """What held before a change, by its undo."""
        self._preparing: dict[WorkspaceId, asyncio.Task[None]] = {}

    async def open(self) -> None:
        for workspace in self._workspaces.catalogs:
            await self._learning.open(workspace)

    async def close(self) -> None:
        for task in self._preparing.values():
            await stop(task)
        await self._learning.close()
        self._provider.close()

    async def try_out(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        queries: Sequence[str],
        *,
        context: str = "",
        strategies: Sequence[Optimization] = (Optimization.BM25, Optimization.HYBRID),
    ) -> tuple[SearchTrial, ...]:
        caller = self._router.local_caller(workspace, project)
        arguments = {"query": list(queries), "context": context}
        inquiry = DiscoveryArguments.read(arguments, self._router.settings().results_per_search)
        trials = [await self._exposures.try_search(caller, inquiry, each) for each in strategies]
        return tuple(trials)

    def learned(self, workspace: WorkspaceId, project: ProjectId | None) -> Learned:
        return self._learning.learned(workspace, project)

    async def forget(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        self._router.local_caller(workspace, project)
        await self._learning.clear(workspace, project)

    async def set_cloud(self, url: str, token: str | None = None) -> CloudChange:
        if url:
            try:
                check_address(url)
            except CloudFailed as error:
                raise InvalidInput(
                    said("The service can't be used: {reason}.", reason=sentence(error.message))
                ) from None
        before = _Cloud(self._router.settings().cloud_search_url, await self._cloud_token())
        kept = before.token if _service(url) == _service(before.url) else None
        await self._keep_cloud(_Cloud(url, (token or kept) if url else None))
        change = CloudChange(token_hex(8))
        self._clouds[change.undo] = before
        for oldest in list(self._clouds)[:-_UNDO_KEPT]:
            del self._clouds[oldest]
        return change

    async def undo_cloud(self, change: CloudChange) -> None:
        before = self._clouds.get(change.undo)
        if before is None:
            raise NotFound("This can't be undone any more.", "Enter address and key again.")
        await self._keep_cloud(before)
        del self._clouds[change.undo]

    def is_cloud_token_kept(self) -> bool:
        return self._secrets.persisted(TOKEN_NAME)

    def typical_ms(self, strategy: Optimization) -> float | None:
        return self._exposures.search_times.typical_ms(strategy)

    async def _keep_cloud(self, wanted: _Cloud) -> None:
        """The token first: an address without the token it needs would fail in every search."""
        held = await self._cloud_token()
        await self._keep_cloud_token(held, wanted.token)
        change = {"cloud_search_url": wanted.url}
        try:
            await self._router.apply_settings(self._router.settings().model_copy(update=change))
        except BaseException:
            await self._keep_cloud_token(wanted.token, held)
            raise

    async def _cloud_token(self) -> str | None:
        try:
            return await self._secrets.get(TOKEN_NAME)
        except SecretUnavailable:
            return None

    async def _keep_cloud_token(self, held: str | None, wanted: str | None) -> None:
        if wanted == held:
            return
        if wanted:
            await self._secrets.set(TOKEN_NAME, wanted)
        else:
            await self._secrets.delete(TOKEN_NAME)

    def follow(self, event: Event) -> None:
        """Build indexes anew when the lists they stand for have changed. On the router's loop."""
        if not isinstance(event, ToolsChanged | WorkspacesChanged):
            return
        running = self._preparing.get(event.workspace)
        if running is None or running.done():
            preparing = self.prepare(event.workspace)
            self._preparing[event.workspace] = spawn(preparing, name="prepare search")

    async def prepare(self, workspace: WorkspaceId) -> None:
        await asyncio.sleep(QUIET_S)
        try:
            catalog = self._workspaces.catalog(workspace)
        except NotFound:
            return
        for project in [None, *list(catalog.config.projects)[:_MAX_KEPT_READY]]:
            try:
                view = await asyncio.to_thread(catalog.view, project)
            except NotFound:  # removed meanwhile
                continue
            if view.optimization is not None and view.tools:
                await view.index.prepare(view.optimization)


def _service(url: str) -> list[str]:
    """Scheme, host and port: whoever is there is given the key that was meant for them."""
    return url.lower().split("/")[:3]
