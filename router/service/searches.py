"""Searching as its person sees it: trying it out, what it has learned, and the cloud service.

Also keeps indexes ready: after tool lists change, those that are searched are built anew before the
next search asks, off the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Protocol

from router.errors import InvalidInput, NotFound, SecretUnavailable
from router.events import Event, ToolsChanged, WorkspacesChanged
from router.gateway.exposures import Exposures
from router.gateway.metatools import Inquiry
from router.model import Caller, Optimization, ProjectId, WorkspaceId
from router.ports import SecretStore
from router.search.cloud import TOKEN_NAME, CloudFailed, check_address
from router.search.provider import Provider
from router.searching import Learned, SearchTrial
from router.service.learning import Learning
from router.service.workspaces import Workspaces
from router.settings import Settings
from router.tasks import spawn, stop

QUIET_S = 0.2
"""Lists change in bursts; an index is built when a burst is over."""
_MAX_KEPT_READY = 8


class Owner(Protocol):
    """What of the router this room needs."""

    def settings(self) -> Settings: ...
    def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Caller: ...
    async def apply_settings(self, settings: Settings) -> None: ...


class Searches:
    """The one production implementation of `ports.SearchPort`."""

    def __init__(
        self,
        router: Owner,
        workspaces: Workspaces,
        exposures: Exposures,
        learning: Learning,
        provider: Provider,
        secrets: SecretStore,
    ) -> None:
        self._router = router
        self._workspaces = workspaces
        self._exposures = exposures
        self._learning = learning
        self._provider = provider
        self._secrets = secrets
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
        inquiry = Inquiry.read(arguments, self._router.settings().results_per_search)
        trials = [await self._exposures.try_search(caller, inquiry, each) for each in strategies]
        return tuple(trials)

    def learned(self, workspace: WorkspaceId, project: ProjectId | None) -> Learned:
        return self._learning.learned(workspace, project)

    async def forget(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        self._router.local_caller(workspace, project)
        await self._learning.clear(workspace, project)

    async def set_cloud(self, url: str, token: str | None = None) -> None:
        if url:
            try:
                check_address(url)
            except CloudFailed as error:
                raise InvalidInput(f"The service can't be used: {error.message}.") from None
        if token:
            await self._secrets.set(TOKEN_NAME, token)
        settings = self._router.settings()
        await self._router.apply_settings(settings.model_copy(update={"cloud_search_url": url}))
        if not url:
            with contextlib.suppress(SecretUnavailable):  # Without a keyring there is none in it.
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
            if project is not None and project not in catalog.config.projects:
                continue
            view = catalog.view(project)
            if view.optimization is not None and view.tools:
                await view.index.prepare(view.optimization)
