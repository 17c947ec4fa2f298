"""Which characters a person can see, in text that decides something or comes from elsewhere."""

from __future__ import annotations

import unicodedata

_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by category, but nothing is drawn for them."""
_SELECTORS = (("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
"""Variation selectors: a run of them can carry a hidden message."""


def is_visible(character: str) -> bool:
    """Whether it is drawn, or a space; else it may hide or reorder the text beside it."""
    return not (
        unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or character in _BLANKS
        or any(first <= character <= last for first, last in _SELECTORS)
    )
