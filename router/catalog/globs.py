"""Patterns in which `*` stands for anything. Each fixed part is looked for once, in order, so that
no pattern and no text can make this slow."""

from __future__ import annotations

from collections.abc import Sequence


def glob(pattern: str, text: str) -> bool:
    first, *rest = pattern.split("*")
    return follows(first, rest, text)


def follows(first: str, rest: Sequence[str], text: str) -> bool:
    """Whether `text` begins with `first`, has the parts of `rest` in order, and ends with the last
    of them; without `rest`, whether it is `first`."""
    if not rest:
        return text == first
    if not text.startswith(first):
        return False
    place = len(first)
    for part in rest[:-1]:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return len(text) - place >= len(rest[-1]) and text.endswith(rest[-1])
