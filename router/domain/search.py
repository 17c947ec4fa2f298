"""Searching: what is asked of an index and of those who learn from searches, and what the person at
the keyboard may ask. Ports and the values that pass through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from router.domain.clients import Principal
from router.domain.ids import ToolKey
from router.domain.tools import Tool
from router.domain.workspaces import Optimization


class Why(NamedTuple):
    """Why a tool was found, for those who say it in a language of their own."""

    words: tuple[str, ...] = ()
    """Of the query, that the tool has."""
    meaning: float | None = None
    """How near the two are in meaning, in 0..1; None where that says nothing for the tool."""
    learned: bool = False
    """Whether it was run after such a search before."""
    named: bool = False
    """Whether the query is its key."""


class SearchHit(NamedTuple):
    """One answer of a search: relevance in 0..1, and in a few words why it matched."""

    tool: Tool
    relevance: float
    explanation: str
    also: tuple[ToolKey, ...] = ()
    """Where other servers have the same tool."""
    why: Why | None = None
    """What the explanation says, unless those are someone else's words."""


@dataclass(frozen=True, slots=True)
class SearchReply:
    """What a search found, best first, and which strategy found it."""

    hits: tuple[SearchHit, ...]
    strategy: Optimization
    note: str = ""
    """Why it was not the strategy that was asked for."""


@dataclass(frozen=True, slots=True)
class SearchTrial:
    """A search that was tried out, and what a client would have paid for it."""

    reply: SearchReply
    duration_ms: float
    context_tokens: int
    """Of the reply, as it would stand in a conversation."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A search after which a tool was run: its telling words, never their order or the rest."""

    words: tuple[str, ...]
    tool: str
    count: float
    """How often, with what is long ago counting less."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Miss:
    """A search after which nothing that it found was run."""

    words: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Learned:
    """What searches of one project have taught."""

    lessons: tuple[Lesson, ...] = ()
    misses: tuple[Miss, ...] = ()


@dataclass(frozen=True, slots=True)
class Experience:
    """A past search after which a tool was run: what was asked, in tokens, and how much that still
    counts, in 0..1."""

    tokens: frozenset[str]
    tool: str
    strength: float


@dataclass(frozen=True, slots=True)
class SearchRequest:
    queries: tuple[str, ...]
    limit: int
    strategy: Optimization = Optimization.HYBRID
    context: str = ""
    """The task behind it: decides between tools that are otherwise as good as each other."""
    experiences: tuple[Experience, ...] = ()


class SearchIndex(Protocol):
    """An index over a fixed set of tools, built once per catalogue change, off the loop."""

    async def search(self, request: SearchRequest) -> SearchReply:
        """Never raises: a strategy that can't answer is stood in for, and the reply says so."""
        ...

    async def prepare(self, strategy: Optimization) -> None:
        """Be ready before the first search asks."""
        ...


class SearchProvider(Protocol):
    def index(self, tools: Sequence[Tool]) -> SearchIndex: ...


class Lessons(Protocol):
    """What searches teach. On the router's loop; none of these raises or waits."""

    def experiences(self, caller: Principal) -> tuple[Experience, ...]: ...
    def searched(
        self, caller: Principal, queries: Sequence[str], found: Sequence[ToolKey]
    ) -> None: ...
    def executed(self, caller: Principal, key: ToolKey) -> None: ...
