"""Access tokens of clients."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from router.domain.clients import IssuedToken, TokenSummary
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId


class TokensPort(Protocol):
    def list(self) -> tuple[TokenSummary, ...]: ...
    async def issue(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        """Without a workspace the token follows the active one. `servers` limits what it can
        reach; without `lifetime` it does not expire."""
        ...

    async def revoke(self, token: TokenId) -> None: ...
