"""The strategies behind `searching.SearchProvider`, and what happens when one can't answer.

An index is made ready off the loop, in a thread of its own, and is then only read: a search that
runs keeps the one it began with. What was read of a server's tools is kept while recent indexes
use it, so a change of one server reads that server's tools only.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from router.domain.errors import Sentence, ToolboothError, said, sentence
from router.domain.ids import ServerId
from router.domain.search import SearchReply, SearchRequest
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.runtime.tasks import spawn
from router.search.cloud import CloudSearch

# Arrays take a moment to import and megabytes to hold: only a router that searches does either.
if TYPE_CHECKING:
    from router.search.ranking import Ranking
    from router.search.reading import Block, ReadTools

log = logging.getLogger(__name__)

_RECENT = 16
"""How many indexes keep what was read of their servers, so that the next can use it."""
_AT_ONCE = 20_000
"""Up to so many tools a search is quick enough to run on the loop."""

_Same: TypeAlias = tuple[int, ...]
"""The ids of what something was made of, which it keeps."""


class Provider:
    """Makes indexes. One for the whole router, so that projects share what was read."""

    def __init__(self, cloud: CloudSearch | None = None) -> None:
        self.cloud = cloud
        self.thread = ThreadPoolExecutor(1, "search-index")
        self._parts: WeakValueDictionary[_Same, ReadTools] = WeakValueDictionary()
        self._blocks: WeakValueDictionary[_Same, Block] = WeakValueDictionary()
        self._recent: deque[Sequence[Block]] = deque(maxlen=_RECENT)

    def index(self, tools: Sequence[Tool]) -> StrategyIndex:
        return StrategyIndex(self, tools)

    def build(self, tools: Sequence[Tool], *, meaning: bool) -> Ranking:
        """Blocks: for the provider's own thread, or where there is no loop."""
        from router.search import reading

        parts = [self._part(group) for group in _by_server(tools)]
        blocks = [self._block(group) for group in reading.in_blocks(parts)]
        self._recent.append(blocks)
        return reading.ranking(blocks, meaning=meaning)

    def _part(self, tools: Sequence[Tool]) -> ReadTools:
        from router.search import reading

        key = tuple(map(id, tools))
        if (part := self._parts.get(key)) is None:
            in_order = sorted(tools, key=lambda tool: tool.key)
            part = self._parts[key] = reading.read_tools(in_order)
        return part

    def _block(self, parts: Sequence[ReadTools]) -> Block:
        from router.search import reading

        key = tuple(map(id, parts))
        if (block := self._blocks.get(key)) is None:
            block = self._blocks[key] = reading.Block(parts)
        return block

    def close(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)


class StrategyIndex:
    """The `searching.SearchIndex` of a set of tools, by whichever strategy a request names."""

    def __init__(self, provider: Provider, tools: Sequence[Tool]) -> None:
        self._provider = provider
        self._tools = tools
        self._building: dict[bool, asyncio.Task[Ranking]] = {}

    async def search(self, request: SearchRequest) -> SearchReply:
        notes: list[Sentence] = []
        if request.strategy is Optimization.CLOUD:
            try:
                return await self._asked(request)
            except ToolboothError as error:
                why = sentence(error.message)
                notes.append(said("cloud search failed ({reason})", reason=why))
        if request.strategy is not Optimization.BM25:
            try:
                return await self._ranked(request, Optimization.HYBRID, notes)
            except (OSError, ValueError) as error:
                log.warning("The meaning model can't be used: %s", error)
                notes.append(said("the meaning model can't be used"))
        return await self._ranked(request, Optimization.BM25, notes)

    async def prepare(self, strategy: Optimization) -> None:
        """Be ready before the first search asks."""
        await self._ranking(meaning=strategy is not Optimization.BM25)

    async def _asked(self, request: SearchRequest) -> SearchReply:
        if self._provider.cloud is None:
            raise ToolboothError("no cloud search is set up")
        hits = await self._provider.cloud.search(self._tools, request)
        return SearchReply(tuple(hits), Optimization.CLOUD)

    async def _ranked(
        self, request: SearchRequest, strategy: Optimization, notes: Sequence[Sentence]
    ) -> SearchReply:
        ranking = await self._ranking(meaning=strategy is Optimization.HYBRID)
        if len(self._tools) <= _AT_ONCE:
            hits = ranking.search(request)
        else:
            hits = await asyncio.to_thread(ranking.search, request)
        return SearchReply(tuple(hits), strategy, _note(notes, strategy))

    async def _ranking(self, *, meaning: bool) -> Ranking:
        task = self._building.get(meaning)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._building[meaning] = spawn(self._build(meaning), name="build search index")
        return await asyncio.shield(task)

    async def _build(self, meaning: bool) -> Ranking:
        loop, thread = asyncio.get_running_loop(), self._provider.thread
        return await loop.run_in_executor(
            thread, lambda: self._provider.build(self._tools, meaning=meaning)
        )


def _note(notes: Sequence[Sentence], strategy: Optimization) -> str:
    """Why it was `strategy` that answered."""
    if not notes:
        return ""
    why = reduce(lambda one, other: said("{one}; {other}", one=one, other=other), notes)
    return said("{why}: answered by {strategy}", why=why, strategy=strategy)


def _by_server(tools: Sequence[Tool]) -> list[list[Tool]]:
    """Server by server, in the order of their ids."""
    groups: dict[ServerId, list[Tool]] = defaultdict(list)
    for tool in tools:
        groups[tool.key.server].append(tool)
    return [groups[server] for server in sorted(groups)]
