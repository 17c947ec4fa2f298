"""The index of one set of tools: what the stages of the pipeline read. Immutable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from router.domain.ids import ToolKey
from router.search.index.arrays import Int64Array
from router.search.index.bm25_index import BM25Index
from router.search.index.embedding_index import EmbeddingIndex
from router.search.index.segments import Segment
from router.search.text.spelling import SpellingIndex

DEPRECATED_PRIOR = 0.85
"""The share of its score that a deprecated tool keeps: it ranks below the one that replaces it."""


class Duplicates:
    """The same tool on several servers is one search hit that names the others."""

    def __init__(self, fingerprints: Sequence[Int64Array]) -> None:
        """`fingerprints` are those of all tools, in any number of arrays."""
        self._groups: dict[int, list[int]] = {}
        every = np.concatenate([np.empty(0, dtype=np.int64), *fingerprints])
        _, kind, counts = np.unique(every, return_inverse=True, return_counts=True)
        groups: dict[int, list[int]] = defaultdict(list)
        for number in np.flatnonzero(counts[kind] > 1).tolist():
            group = groups[int(kind[number])]
            group.append(number)
            self._groups[number] = group

    def others(self, number: int) -> Sequence[int]:
        """The duplicates of a tool on other servers."""
        return [other for other in self._groups.get(number, ()) if other != number]

    def distinct(self, numbers: Iterable[int], limit: int) -> list[int]:
        """The first `limit` of `numbers` without duplicates."""
        chosen: list[int] = []
        seen: set[int] = set()
        for number in numbers:
            if len(chosen) == limit:
                break
            group = self._groups.get(number)
            first = number if group is None else group[0]
            if first not in seen:
                chosen.append(number)
                seen.add(first)
        return chosen


class ToolIndex:
    """Tools are numbered consecutively over all segments; those numbers are the documents of the
    BM25 index and the rows of the embedding index."""

    def __init__(
        self,
        segments: Sequence[Segment],
        bm25: BM25Index,
        spelling: SpellingIndex,
        embeddings: EmbeddingIndex | None = None,
    ) -> None:
        """Without `embeddings` the search is lexical."""
        self.tools = list(chain.from_iterable(each.tools for each in segments))
        self.count = len(self.tools)
        self.bm25 = bm25
        self.spelling = spelling
        self.embeddings = embeddings
        empty = np.empty(0, dtype=np.bool_)
        deprecated = np.concatenate([empty, *(each.deprecated for each in segments)])
        self.priors = np.where(deprecated, DEPRECATED_PRIOR, 1.0)
        """A factor of each tool's score that no query changes."""
        self.duplicates = Duplicates([each.fingerprints for each in segments])

    def also_on(self, number: int) -> tuple[ToolKey, ...]:
        """The keys of a tool's duplicates on other servers."""
        return tuple([self.tools[other].key for other in self.duplicates.others(number)])

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each tool by its key."""
        return {str(tool.key): number for number, tool in enumerate(self.tools)}
