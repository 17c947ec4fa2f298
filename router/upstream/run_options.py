"""The options one server runs with, by its configuration and the settings of now."""

from __future__ import annotations

from dataclasses import dataclass

from router.config.server import DEFAULT_CONCURRENT_CALLS, DEFAULT_SESSIONS, Lifecycle, Sharing


@dataclass(frozen=True, slots=True)
class RunOptions:
    name: str = ""
    """Its display name."""
    lifecycle: Lifecycle = Lifecycle.LAZY
    sharing: Sharing = Sharing.SHARED
    follows_client: bool = False
    """Whether it works in the folder of its client."""
    max_sessions: int = DEFAULT_SESSIONS
    idle_timeout_s: float = 600
    max_concurrent_calls: int = DEFAULT_CONCURRENT_CALLS
    memory_limit_mb: int | None = None
