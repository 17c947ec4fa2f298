"""Search as the window and the command line use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from router.domain.clients import Principal
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.search import Learned, SearchReply, SearchTrial
from router.domain.workspaces import Optimization


@dataclass(frozen=True, slots=True)
class CloudChange:
    """A change of the cloud service that can be taken back. The token it had is not in here."""

    undo: str


class SearchPort(Protocol):
    """Searching, as its person tries it out and looks at what it has learned."""

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
        """What a client would find by each of the strategies, without a trace of it. `CLOUD` sends
        queries and tools to the service, as a client's search would."""
        ...

    def learned(self, workspace: WorkspaceId, project: ProjectId | None) -> Learned:
        """What a project's searches have taught, and those that led to nothing. A query."""
        ...

    async def forget(self, workspace: WorkspaceId, project: ProjectId | None) -> None: ...
    async def set_cloud(self, url: str, token: str | None = None) -> CloudChange:
        """Where the cloud service is, its token going into the keyring. Without `token` the one it
        has stays, unless the address is another service's. Without an address there is none, and
        its token is gone."""
        ...

    async def undo_cloud(self, change: CloudChange) -> None:
        """Have address and token as they were before."""
        ...

    def is_cloud_token_kept(self) -> bool:
        """False: there is no keyring, and the token is gone when the router stops. A query."""
        ...

    def typical_ms(self, strategy: Optimization) -> float | None:
        """How long this strategy took lately; None: it was not asked often enough. A query."""
        ...
