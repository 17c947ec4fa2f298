"""The limits of one script. Each has its own error message."""

from __future__ import annotations

from dataclasses import dataclass

from router.domain.json_values import JsonObject

_MB = 1024 * 1024
_OVERHEAD_BYTES = 64 * 1024
_ENFORCED_BY_LUA = "instructions calls at_once pending output_bytes arguments_bytes".split()
_PYTHON_MB = 192
"""The address space of Python itself, and of messages."""


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    wall_s: float = 300.0
    """From start to end, including the time spent waiting for servers."""
    busy_s: float = 10.0
    """Computing time. Lua's instruction count misses some of it: a pattern match can take
    forever."""
    instructions: int = 500_000_000
    memory_mb: int = 64
    calls: int = 1000
    at_once: int = 16
    """Concurrent calls; others are queued."""
    pending: int = 256
    """Calls without a result, including queued ones."""
    output_bytes: int = 64 * 1024
    """Of the result, and of the printed output."""
    arguments_bytes: int = _MB
    """Of one call's arguments."""
    message_bytes: int = 4 * _MB
    """Of one call's result."""

    def for_lua(self) -> JsonObject:
        """Those that the Lua sandbox enforces."""
        return {name: getattr(self, name) for name in _ENFORCED_BY_LUA}

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb * _MB

    @property
    def process_bytes(self) -> int:
        return (self.memory_mb + _PYTHON_MB) * _MB + 8 * self.message_bytes

    @property
    def line_bytes(self) -> int:
        """The longest line a worker may send: all concurrent calls with their arguments."""
        return (
            self.at_once * (self.arguments_bytes + _OVERHEAD_BYTES)
            + 8 * self.output_bytes
            + _OVERHEAD_BYTES
        )
