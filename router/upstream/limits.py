"""Limits on a server's output, so that no server can exhaust the router.

Measured on CPython 3.11, where `json.loads` holds the GIL in any thread: text takes 3 to 7 ms per
MiB, many small values up to 130 ms and 30 MB of memory per MiB. So the size of a message and the
number of its values are both limited.
"""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024
_VALUES_PER_MIB = 25_000
_TOOLS_PER_PAGE = 20
_CHARACTERS_PER_TOOL = 1024


@dataclass(frozen=True, slots=True)
class UpstreamLimits:
    message_bytes: int = 8 * _MIB
    """One line, body or event, after decompression."""
    overflow_bytes: int = 256 * _MIB
    """How much of a line that is too long is read and dropped before the server is stopped."""
    values: int = 200_000
    """Objects, arrays, strings and so on in one message."""
    batch: int = 1_000
    """Messages in one batch."""
    depth: int = 200
    """Nesting. Beyond about 250 levels the SDK can't encode a result."""
    pages: int = 100
    """Pages of one list."""
    listing_characters: int = 2 * _MIB
    """The approximate size of all pages of one list."""
    entries: int = 2_000
    """Tools of one server; likewise its prompts, resources and templates."""

    @property
    def message_size(self) -> str:
        """The largest message, as people write it."""
        return f"{self.message_bytes / _MIB:g} MB"


LIMITS = UpstreamLimits()


def upstream_limits(message_mb: int, tools: int) -> UpstreamLimits:
    """The limits that follow from the settings; none is lower than those of `LIMITS` but that of a
    message, and what it may hold."""
    return UpstreamLimits(
        message_bytes=message_mb * _MIB,
        overflow_bytes=max(LIMITS.overflow_bytes, 2 * message_mb * _MIB),
        values=message_mb * _VALUES_PER_MIB,
        pages=max(LIMITS.pages, tools // _TOOLS_PER_PAGE),
        listing_characters=max(LIMITS.listing_characters, tools * _CHARACTERS_PER_TOOL),
        entries=max(LIMITS.entries, tools),
    )
