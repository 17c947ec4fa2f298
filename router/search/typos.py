"""Mistyped words: which known token is one slip of the finger away.

Two words that differ by one letter left out, added, exchanged or swapped with its neighbour become
the same when the right letter is deleted from each. So a table of all words with one letter deleted
finds them without comparing with every word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

MIN_LENGTH = 5
"""Shorter words are one slip away from too many others."""


class Typos:
    """Follows a vocabulary that only grows; the table is made when a word is first missing."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._seen = 0
        self._table: dict[str, list[str]] = defaultdict(list)

    def meant(self, token: str) -> Iterator[str]:
        """Known tokens that `token` may have been meant to be."""
        if len(token) < MIN_LENGTH or not token.isalpha():
            return
        self._catch_up()
        found: dict[str, None] = {}
        for variant in _variants(token):
            found.update(dict.fromkeys(self._table.get(variant, ())))
        yield from (other for other in found if _one_slip(token, other))

    def _catch_up(self) -> None:
        if self._seen == len(self._numbers):
            return
        tokens = list(self._numbers)
        for token in tokens[self._seen :]:
            if len(token) >= MIN_LENGTH - 1 and token.isascii() and token.isalpha():
                for variant in _variants(token):
                    self._table[variant].append(token)
        self._seen = len(tokens)


def _variants(token: str) -> set[str]:
    return {token, *(token[:at] + token[at + 1 :] for at in range(len(token)))}


def _one_slip(one: str, other: str) -> bool:
    """Whether they differ by one letter: the table also brings some that differ by two."""
    if one[0] != other[0] or one == other:
        return False
    if len(one) == len(other):
        wrong = [at for at in range(len(one)) if one[at] != other[at]]
        if len(wrong) == 2:
            first, second = wrong
            return (
                second == first + 1 and one[first] == other[second] and one[second] == other[first]
            )
        return len(wrong) == 1
    return abs(len(one) - len(other)) == 1
