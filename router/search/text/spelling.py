"""Spelling correction: which known tokens are one edit away from an unknown one.

Two words that differ by one letter deleted, inserted, replaced or transposed become equal when the
right letter is deleted from each. So a table of all words with one letter deleted finds them
without a comparison with every word (as SymSpell does).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

MIN_LENGTH = 5
"""Shorter words are one edit away from too many others."""


class SpellingIndex:
    """Follows a vocabulary that only grows. The table is built when a token is first unknown."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._indexed = 0
        self._table: dict[str, list[str]] = defaultdict(list)

    def corrections(self, token: str) -> Iterator[str]:
        """Known tokens that `token` may be a misspelling of."""
        if len(token) < MIN_LENGTH or not token.isalpha():
            return
        self._update()
        found: dict[str, None] = {}
        for variant in _deletions(token):
            found.update(dict.fromkeys(self._table.get(variant, ())))
        yield from (other for other in found if _is_one_edit(token, other))

    def _update(self) -> None:
        if self._indexed == len(self._vocabulary):
            return
        tokens = list(self._vocabulary)
        for token in tokens[self._indexed :]:
            if len(token) >= MIN_LENGTH - 1 and token.isascii() and token.isalpha():
                for variant in _deletions(token):
                    self._table[variant].append(token)
        self._indexed = len(tokens)


def _deletions(token: str) -> set[str]:
    return {token, *(token[:at] + token[at + 1 :] for at in range(len(token)))}


def _is_one_edit(one: str, other: str) -> bool:
    """The table also finds some words that differ by two edits."""
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
