"""The strategies behind `domain.search.SearchProvider`, and the fallback when one can't answer.

An index is built off the event loop, on a thread of its own, and is then only read: a search keeps
the index it began with.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from threading import Event
from typing import TYPE_CHECKING

from router.domain.errors import Sentence, ToolboothError, sentence
from router.domain.search import SearchReply, SearchRequest
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.runtime.tasks import spawn
from router.search.cloud import CloudSearch

# numpy takes time to import and megabytes of memory: only a router that searches loads it.
if TYPE_CHECKING:
    from router.search.index.index_builder import IndexBuilder
    from router.search.ranker import Ranker

log = logging.getLogger(__name__)

_ON_LOOP_UP_TO = 20_000
"""Up to this many tools, a search is fast enough to run on the event loop."""


class Provider:
    """Builds indexes. One for the whole router, so that projects share what was indexed."""

    def __init__(self, cloud: CloudSearch | None = None) -> None:
        self.cloud = cloud
        self._ending = Event()
        self.thread = ThreadPoolExecutor(1, "search-index", self._begin_thread)

    def index(self, tools: Sequence[Tool]) -> StrategyIndex:
        return StrategyIndex(self, tools)

    def build(self, tools: Sequence[Tool], *, embeddings: bool) -> Ranker:
        """Blocking: for the provider's own thread, or where there is no event loop."""
        from router.search.ranker import Ranker

        return Ranker(self._builder.build(tools, embeddings=embeddings))

    @cached_property
    def _builder(self) -> IndexBuilder:
        from router.search.index.index_builder import IndexBuilder

        return IndexBuilder()

    def _begin_thread(self) -> None:
        from router.search.index.gil_throttle import end_when

        end_when(self._ending)

    def close(self) -> None:
        """End the build that runs, within a few tools."""
        self._ending.set()
        self.thread.shutdown(wait=False, cancel_futures=True)


class StrategyIndex:
    """The `domain.search.SearchIndex` of a set of tools, for the strategy that a request names."""

    def __init__(self, provider: Provider, tools: Sequence[Tool]) -> None:
        self._provider = provider
        self._tools = tools
        self._builds: dict[bool, asyncio.Task[Ranker]] = {}

    async def search(self, request: SearchRequest) -> SearchReply:
        notes: list[Sentence] = []
        if request.strategy is Optimization.CLOUD:
            try:
                return await self._search_cloud(request)
            except ToolboothError as error:
                why = sentence(error.message)
                notes.append(sentence("cloud search failed ({reason})", reason=why))
        if request.strategy is not Optimization.BM25:
            try:
                return await self._search_local(request, Optimization.HYBRID, notes)
            except (OSError, ValueError) as error:
                log.warning("The embeddings can't be loaded: %s", error)
                notes.append(sentence("the embedding model can't be used"))
        return await self._search_local(request, Optimization.BM25, notes)

    async def prepare(self, strategy: Optimization) -> None:
        await self._ranker(embeddings=strategy is not Optimization.BM25)

    async def _search_cloud(self, request: SearchRequest) -> SearchReply:
        if self._provider.cloud is None:
            raise ToolboothError("cloud search is not set up")
        hits = await self._provider.cloud.search(self._tools, request)
        return SearchReply(tuple(hits), Optimization.CLOUD)

    async def _search_local(
        self, request: SearchRequest, strategy: Optimization, notes: Sequence[Sentence]
    ) -> SearchReply:
        ranker = await self._ranker(embeddings=strategy is Optimization.HYBRID)
        if len(self._tools) <= _ON_LOOP_UP_TO:
            hits = ranker.search(request)
        else:
            hits = await asyncio.to_thread(ranker.search, request)
        return SearchReply(tuple(hits), strategy, _note(notes, strategy))

    async def _ranker(self, *, embeddings: bool) -> Ranker:
        """Concurrent searches share one build; a build that failed is tried again."""
        task = self._builds.get(embeddings)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = spawn(self._build(embeddings), name="build search index")
            self._builds[embeddings] = task
        return await asyncio.shield(task)

    async def _build(self, embeddings: bool) -> Ranker:
        loop, thread = asyncio.get_running_loop(), self._provider.thread
        return await loop.run_in_executor(
            thread, lambda: self._provider.build(self._tools, embeddings=embeddings)
        )


def _note(notes: Sequence[Sentence], strategy: Optimization) -> str:
    """Why `strategy` answered and not the one that was requested."""
    if not notes:
        return ""
    why = reduce(lambda one, other: sentence("{one}; {other}", one=one, other=other), notes)
    return sentence("{why}: answered by {strategy}", why=why, strategy=strategy)
