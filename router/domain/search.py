"""Search: the values and ports between the search package, the gateway, the service and the UIs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from router.domain.clients import Principal
from router.domain.ids import ToolKey
from router.domain.tools import Tool
from router.domain.workspaces import Optimization


class MatchReasons(NamedTuple):
    """Why a tool was found, for UIs that explain it in the user's language."""

    words: tuple[str, ...] = ()
    """Words of the query that the tool has."""
    similarity: float | None = None
    """Similarity of meaning in 0..1; None where it explains nothing."""
    used_before: bool = False
    """Whether it was used after such a search before."""
    exact_key: bool = False
    """Whether the query is its key."""


class SearchHit(NamedTuple):
    """One result of a search: relevance in 0..1, and in a few words why it matched."""

    tool: Tool
    relevance: float
    explanation: str
    also_on: tuple[ToolKey, ...] = ()
    """The keys of the same tool on other servers."""
    reasons: MatchReasons | None = None
    """The explanation as data; None if it comes from a cloud service."""


@dataclass(frozen=True, slots=True)
class SearchReply:
    """The hits of a search, best first, and the strategy that found them."""

    hits: tuple[SearchHit, ...]
    strategy: Optimization
    note: str = ""
    """Why it is not the strategy that was requested."""


@dataclass(frozen=True, slots=True)
class SearchTrial:
    """A search that was tried out, and what it would cost a client."""

    reply: SearchReply
    duration_ms: float
    context_tokens: int
    """Of the reply in a conversation."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool was used after a search. Only the search's content words are kept, sorted."""

    words: tuple[str, ...]
    tool: str
    count: float
    """How often, decayed with time; as of `at`."""
    at: datetime


@dataclass(frozen=True, slots=True)
class AbandonedSearch:
    """A search after which none of its hits was used."""

    words: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class UsageHistory:
    """What followed the searches of one project."""

    uses: tuple[ToolUse, ...] = ()
    abandoned: tuple[AbandonedSearch, ...] = ()


@dataclass(frozen=True, slots=True)
class UsageSignal:
    """A past search after which a tool was used, as ranking reads it: the search's tokens, and how
    much the use still counts, in 0..1."""

    tokens: frozenset[str]
    tool: str
    strength: float


@dataclass(frozen=True, slots=True)
class SearchRequest:
    queries: tuple[str, ...]
    limit: int
    strategy: Optimization = Optimization.HYBRID
    context: str = ""
    """The task behind it: decides between tools that score the same."""
    usage: tuple[UsageSignal, ...] = ()


class SearchIndex(Protocol):
    """An index over a fixed set of tools, built once per catalog change, off the event loop."""

    async def search(self, request: SearchRequest) -> SearchReply:
        """Never raises: if a strategy can't answer, the next one does, and the reply says so."""
        ...

    async def prepare(self, strategy: Optimization) -> None:
        """Build what the first search by a strategy needs."""
        ...


class SearchProvider(Protocol):
    def index(self, tools: Sequence[Tool]) -> SearchIndex: ...


class SearchFeedback(Protocol):
    """Records what follows searches. On the router's event loop; nothing here raises or waits."""

    def usage_signals(self, principal: Principal) -> tuple[UsageSignal, ...]: ...
    def record_search(
        self, principal: Principal, queries: Sequence[str], found: Sequence[ToolKey]
    ) -> None: ...
    def record_use(self, principal: Principal, key: ToolKey) -> None:
        """A tool was called successfully."""
        ...
