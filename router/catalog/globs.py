"""Glob patterns with `*` only. Each literal part is searched once, in order, so matching is linear
for every pattern and text."""

from __future__ import annotations

from collections.abc import Sequence


def glob(pattern: str, text: str) -> bool:
    first, *rest = pattern.split("*")
    return matches_parts(first, rest, text)


def matches_parts(first: str, rest: Sequence[str], text: str) -> bool:
    """Whether `text` starts with `first`, contains the parts of `rest` in order, and ends with the
    last of them; without `rest`, whether it equals `first`."""
    if not rest:
        return text == first
    if not text.startswith(first):
        return False
    position = len(first)
    for part in rest[:-1]:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return len(text) - position >= len(rest[-1]) and text.endswith(rest[-1])
