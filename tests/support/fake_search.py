"""Typed fakes of the search ports."""

from __future__ import annotations

from collections.abc import Sequence

from router.api.search import CloudChange
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ToolKey, WorkspaceId
from router.domain.search import SearchReply, SearchTrial, UsageHistory, UsageSignal
from router.domain.workspaces import Optimization


class FakeSearch:
    """Returns what `replies` has for a strategy; records the feedback."""

    def __init__(self) -> None:
        self.replies: dict[Optimization, SearchReply] = {}
        self.asked: list[tuple[str, ...]] = []
        self.history = UsageHistory()
        self.cloud: tuple[str, str | None] = ("", None)
        self._clouds: list[tuple[str, str | None]] = []
        self.has_keyring = True
        self.took_ms: dict[Optimization, float] = {}

    async def find(self, principal: Principal, queries: Sequence[str], limit: int) -> SearchReply:
        return self.replies.get(Optimization.BM25, SearchReply((), Optimization.BM25))

    async def try_out(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        queries: Sequence[str],
        *,
        context: str = "",
        strategies: Sequence[Optimization] = (Optimization.BM25, Optimization.HYBRID),
    ) -> tuple[SearchTrial, ...]:
        self.asked.append((*queries, *strategies))
        replies = (self.replies.get(each, SearchReply((), each)) for each in strategies)
        return tuple(SearchTrial(reply, 2.4, 640) for reply in replies)

    def usage_history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        return self.history

    async def clear_usage_history(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        self.history = UsageHistory()

    async def set_cloud(self, url: str, token: str | None = None) -> CloudChange:
        self._clouds.append(self.cloud)
        self.cloud = (url, token)
        return CloudChange(str(len(self._clouds) - 1))

    async def undo_cloud(self, change: CloudChange) -> None:
        self.cloud = self._clouds[int(change.undo)]

    def is_cloud_token_kept(self) -> bool:
        return self.has_keyring or self.cloud[1] is None

    def typical_ms(self, strategy: Optimization) -> float | None:
        return self.took_ms.get(strategy)


class FakeSearchFeedback:
    """Has the usage signals it is given, and records the feedback."""

    def __init__(self) -> None:
        self.usage: tuple[UsageSignal, ...] = ()
        self.searches: list[tuple[tuple[str, ...], tuple[ToolKey, ...]]] = []
        self.executions: list[ToolKey] = []

    def usage_signals(self, principal: Principal) -> tuple[UsageSignal, ...]:
        return self.usage

    def record_search(
        self, principal: Principal, queries: Sequence[str], found: Sequence[ToolKey]
    ) -> None:
        self.searches.append((tuple(queries), tuple(found)))

    def record_use(self, principal: Principal, key: ToolKey) -> None:
        self.executions.append(key)
