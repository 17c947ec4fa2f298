"""Synonyms: words that tool authors and the users of a search use for the same thing.

`resources/search/synonyms.txt` has a group in each line. Few and general: the verbs of every API,
and things with two everyday names. Domain words are left to the embeddings.
"""

from __future__ import annotations

import resources
from router.search.text.stemmer import stem


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in resources.read_text("search", "synonyms.txt").splitlines():
        group = [stem(word) for word in line.split()]
        for token in group:
            others = (other for other in group if other != token)
            table[token] = (*table.get(token, ()), *others)
    return table


SYNONYMS = _table()
"""The synonyms of a token, as tokens."""
