"""What a rule of the search for poisoned words is: a pattern, and how much it weighs."""

from __future__ import annotations

import re
from dataclasses import dataclass

STRONG, HALF, HINT = 1.0, 0.6, 0.4


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    words: frozenset[str]
    """Without any of these the pattern can't match; empty: it may match any text."""
    weight: float
    pattern: re.Pattern[str]

    def search(self, text: str, words: frozenset[str]) -> re.Match[str] | None:
        """A look at the words is cheap and spares most texts most patterns."""
        possible = not self.words or not self.words.isdisjoint(words)
        return self.pattern.search(text) if possible or not text.isascii() else None


def rule(name: str, words: str, weight: float, *patterns: str, exact: bool = False) -> Rule:
    pattern = re.compile("|".join(patterns), 0 if exact else re.IGNORECASE)
    return Rule(name, frozenset(words.split()), weight, pattern)
