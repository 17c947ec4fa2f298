"""How much of a server's output is taken: declared once, so that no server can exhaust the router.

Measured on CPython 3.11, where `json.loads` keeps the interpreter to itself on whichever thread it
runs: text takes 3 to 7 ms per MiB, many small values up to 130 ms and 30 MB of memory per MiB. So
the size of a message bounds the one, the number of its values the other.
"""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    message_bytes: int = 8 * _MIB
    """One line, body or event, after decompression."""
    overflow_bytes: int = 256 * _MIB
    """What is read and dropped of a line that is too long, before its server is given up."""
    values: int = 200_000
    """Objects, arrays, strings and so on in one message."""
    batch: int = 1_000
    """Messages in one batch."""
    depth: int = 200
    """Nesting. Beyond about 250 levels the SDK can't write a result to the client."""
    pages: int = 100
    """Pages of one list."""
    listing_characters: int = 2 * _MIB
    """About what all pages of one list may hold."""
    entries: int = 2_000
    """Tools of one server; likewise its prompts, resources and templates."""


LIMITS = Limits()
