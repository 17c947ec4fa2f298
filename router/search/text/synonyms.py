"""Synonyms: words that tool authors and the users of a search use for the same thing.

Few and general: the verbs of every API, and things with two everyday names. Domain words are left
to the embeddings.
"""

from __future__ import annotations

from router.search.text.stemmer import stem

_GROUPS = """
get fetch retrieve read obtain
show display view
create add make new insert generate
delete remove drop erase destroy
update edit modify change alter
search find lookup query
list enumerate
send deliver
run execute launch start
stop halt terminate kill
picture image photo
directory folder
website webpage page site
email mail
repository repo
document doc
compute calculate
price cost
"""


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _GROUPS.split("\n"):
        group = [stem(word) for word in line.split()]
        for token in group:
            others = (other for other in group if other != token)
            table[token] = (*table.get(token, ()), *others)
    return table


SYNONYMS = _table()
"""The synonyms of a token, as tokens."""
