"""Access tokens of clients: checks what they name, stores them, publishes changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import ParamSpec, TypeVar

from router.api.events import Publish, TokensChanged
from router.catalog import config_edits
from router.domain.clients import IssuedToken, TokenSummary
from router.domain.errors import InvalidInput
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.runtime.clock import Clock
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.tokens import StoredToken, TokenStore

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The production implementation of `api.tokens.TokensPort`."""

    _store: TokenStore
    _catalogs: WorkspaceCatalogs
    _publish: Publish
    _clock: Clock

    def list(self) -> tuple[TokenSummary, ...]:
        return self._store.list()

    def verify(self, secret: str) -> TokenSummary | None:
        """The token with this secret, if it is valid."""
        return self._store.verify(secret)

    async def issue(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        self._check_scope(workspace, project, servers)
        name = config_edits.checked_name(name)
        expires_at = config_edits.expiry(lifetime, self._clock())
        generation: str | None = None
        if workspace is not None:
            config = self._catalogs.catalog(workspace).config
            generation = config_edits.generation(config, project) or None
        return await self._change(
            self._store.issue, name, workspace, project, expires_at, servers, generation
        )

    async def revoke(self, token: TokenId) -> None:
        await self._change(self._store.revoke, token)

    async def withdraw(self, token: TokenId) -> StoredToken | None:
        """Revoke a token so that `reinstate` can undo it."""
        return await self._change(self._store.withdraw, token)

    async def reinstate(self, withdrawn: StoredToken) -> None:
        await self._change(self._store.reinstate, withdrawn)

    async def reload(self) -> None:
        """Follow what another process wrote."""
        if await asyncio.to_thread(self._store.reload_if_changed):
            self._publish(TokensChanged())

    async def flush(self) -> None:
        """Write when tokens were last used."""
        await asyncio.to_thread(self._store.flush)

    async def _change(self, write: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        result = await asyncio.to_thread(write, *args, **kwargs)
        self._publish(TokensChanged())
        return result

    def _check_scope(
        self,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        servers: Sequence[ServerId] | None,
    ) -> None:
        """Raises `InvalidInput` unless everything a token is limited to exists in one workspace."""
        if workspace is None:
            if project is not None or servers is not None:
                raise InvalidInput(
                    "A token for a project or for specific servers also needs a workspace.",
                    "Add --workspace.",
                )
            return
        catalog = self._catalogs.catalog(workspace)
        if project is not None:
            catalog.project(project)
        for server in servers or ():
            catalog.entry(server)
