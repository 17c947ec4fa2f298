"""Questions to the activity log: which entries, and what Context Optimization saved each client."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from router.model import ActivityEntry, ActivityKind


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

    @property
    def saved_tokens(self) -> int:
        return self.full_tokens - self.loaded_tokens - self.discovery_tokens
