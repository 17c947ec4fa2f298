"""The terms on which one server runs, as its configuration and the settings have them now."""

from __future__ import annotations

from dataclasses import dataclass

from router.settings import DEFAULT_CONCURRENT_CALLS, Lifecycle


@dataclass(frozen=True, slots=True)
class Terms:
    name: str = ""
    """What people call it."""
    lifecycle: Lifecycle = Lifecycle.LAZY
    idle_timeout_s: float | None = 600
    max_concurrent_calls: int = DEFAULT_CONCURRENT_CALLS
    memory_limit_mb: int | None = None
