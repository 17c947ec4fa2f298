"""The activity log: its entries, queries, and the context tokens that were saved."""

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
    """One request of a client. `detail` is the text of a search or, if the user turned that on,
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
    """The name of the tool or prompt, or the resource's URI."""
    detail: str | None = None
    result_count: int | None = None
    context_tokens: int = 0
    """Tokens that the response added to the client's context."""
    saved_tokens: int = 0
    """Tokens that it kept out of the context, net: negative for a search reply."""
    message: str | None = None
    trace_id: str = ""
    input_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens that Context Optimization saves: per request, today, and in each of the last 24
    hours."""

    exposed_tokens: int
    full_tokens: int
    saved_today: int
    requests_today: int
    hourly: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """Which entries to return, newest first; a field that is None does not filter."""

    since: datetime | None = None
    client: str | None = None
    server: str | None = None
    kind: ActivityKind | None = None
    only_failed: bool = False
    limit: int = 100
    before: int | None = None
    """Only entries older than this `ActivityQueryResult.next`."""


@dataclass(frozen=True, slots=True)
class ActivityQueryResult:
    entries: tuple[ActivityEntry, ...]
    next: int | None = None
    """`ActivityQuery.before` of the next page; None at the end."""


@dataclass(frozen=True, slots=True)
class ClientSavings:
    """What one client saved, in tokens."""

    client: str
    listings: int
    full_tokens: int
    """What its listings would have cost with every tool in them."""
    loaded_tokens: int
    """What they cost."""
    discovery_tokens: int
    """What its search replies cost."""
    script_tokens: int = 0
    """What its scripts kept out of the context, less what they returned."""

    @property
    def saved_tokens(self) -> int:
        return self.full_tokens - self.loaded_tokens - self.discovery_tokens + self.script_tokens
