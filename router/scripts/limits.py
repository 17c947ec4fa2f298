"""How much one script may use. Each limit ends a script, or a call, with a sentence of its own."""

from __future__ import annotations

from dataclasses import dataclass

from router.domain.json_values import JsonObject

_MB = 1024 * 1024
_SMALL = 64 * 1024
_AROUND_LUA_MB = 192
"""What Python itself takes of a process's address space, with room for the messages."""


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    wall_s: float = 300.0
    """From start to end, waiting for servers included."""
    busy_s: float = 10.0
    """Of computing, however little Lua notices of it: a pattern can take for ever."""
    instructions: int = 500_000_000
    memory_mb: int = 64
    calls: int = 1000
    at_once: int = 16
    """Calls that servers work on at a time; others wait their turn."""
    pending: int = 256
    """Calls without an answer, those that wait their turn included."""
    output_bytes: int = 64 * 1024
    """Of the result, and of what is printed."""
    arguments_bytes: int = _MB
    """Of one call's arguments."""
    message_bytes: int = 4 * _MB
    """Of one call's result."""

    def for_lua(self) -> JsonObject:
        return {
            "instructions": self.instructions,
            "calls": self.calls,
            "at_once": self.at_once,
            "pending": self.pending,
            "output_bytes": self.output_bytes,
            "arguments_bytes": self.arguments_bytes,
        }

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb * _MB

    @property
    def process_bytes(self) -> int:
        return (self.memory_mb + _AROUND_LUA_MB) * _MB + 8 * self.message_bytes

    @property
    def line_bytes(self) -> int:
        """The longest line a worker may send: the calls of one go, each with its arguments."""
        return self.at_once * (self.arguments_bytes + _SMALL) + 8 * self.output_bytes + _SMALL
