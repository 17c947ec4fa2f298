"""What clients did: the entries of the activity log, questions to it, what was saved for whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from router.domain.ids import ProjectId, ServerId, WorkspaceId

TOOL_REPORTED = "The tool reported an error."
"""The message of a call that went through to a tool which then failed."""


class ActivityKind(StrEnum):
    SEARCH = "search"
    CALL = "call"
    LIST = "list"
    PROMPT = "prompt"
    RESOURCE = "resource"
    REFUSED = "refused"


class Outcome(StrEnum):
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One thing a client did. `detail` is the text of a search or, if the person turned that on,
    the arguments of a call; only then is it written to disk."""

    at: datetime
    request_id: str
    client: str
    kind: ActivityKind
    outcome: Outcome
    duration_ms: float
    workspace: WorkspaceId | None = None
    project: ProjectId | None = None
    server: ServerId | None = None
    tool: str | None = None
    """The tool, or the prompt's name or the resource's address."""
    detail: str | None = None
    result_count: int | None = None
    context_tokens: int = 0
    """Tokens this answer put into the client's context."""
    saved_tokens: int = 0
    """Tokens it kept out of there, net: negative for a search reply."""
    message: str | None = None
    trace_id: str = ""
    input_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Savings:
    """What Context Optimization spares: per request, today, and in each of the last 24 hours."""

    exposed_tokens: int
    full_tokens: int
    saved_today: int
    requests_today: int
    hourly: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """Which entries are wanted, the newest first; what is None does not matter."""

    since: datetime | None = None
    client: str | None = None
    server: str | None = None
    kind: ActivityKind | None = None
    only_failed: bool = False
    limit: int = 100
    before: int | None = None
    """Only entries older than this place, which an earlier page gave."""


@dataclass(frozen=True, slots=True)
class ActivityPage:
    entries: tuple[ActivityEntry, ...]
    next: int | None = None
    """The place to read on from; None at the end."""


@dataclass(frozen=True, slots=True)
class ClientSavings:
    """What one client was spared, in tokens."""

    client: str
    listings: int
    full_tokens: int
    """What its listings would have loaded with every tool in them."""
    loaded_tokens: int
    """What they did load."""
    discovery_tokens: int
    """What the replies of searches cost."""
    script_tokens: int = 0
    """What stayed inside its scripts, less what they answered."""

    @property
    def saved_tokens(self) -> int:
        return self.full_tokens - self.loaded_tokens - self.discovery_tokens + self.script_tokens
