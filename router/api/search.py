"""Search as the window and the command line use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from router.domain.clients import Principal
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.search import SearchReply, SearchTrial, UsageHistory
from router.domain.workspaces import Optimization


@dataclass(frozen=True, slots=True)
class CloudChange:
    """A change of the cloud service that can be undone. It does not contain the token."""

    undo: str


class SearchPort(Protocol):
    async def find(self, principal: Principal, queries: Sequence[str], limit: int) -> SearchReply:
        """What a client finds by the strategy of its project."""
        ...

    async def try_out(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        queries: Sequence[str],
        *,
        context: str = "",
        strategies: Sequence[Optimization] = (Optimization.BM25, Optimization.HYBRID),
    ) -> tuple[SearchTrial, ...]:
        """What a client would find with each strategy. Recorded nowhere. `CLOUD` sends queries and
        tools to the service, as a client's search would."""
        ...

    def usage_history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        """What followed a project's searches. A query."""
        ...

    async def clear_usage_history(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> None: ...
    async def set_cloud(self, url: str, token: str | None = None) -> CloudChange:
        """Set the service's address; its token goes into the keyring. Without `token` the current
        one is kept, unless the address is another service's. An empty `url` removes both."""
        ...

    async def undo_cloud(self, change: CloudChange) -> None:
        """Restore the address and token from before a change."""
        ...

    def is_cloud_token_kept(self) -> bool:
        """False: there is no keyring, and the token is lost when the router stops. A query."""
        ...

    def typical_ms(self, strategy: Optimization) -> float | None:
        """How long this strategy took recently; None: too few searches to tell. A query."""
        ...
