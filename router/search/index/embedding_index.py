"""The embedding index: dense retrieval by the cosine similarity of query and tools.

The vectors have their most significant dimensions first. The first quarter of them is enough to
select candidates from very many tools, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from router.search.index.arrays import Float32Array, Int64Array
from router.search.index.embeddings import WordEmbeddings

COARSE_DIMENSIONS = 32


class EmbeddingBlock:
    """The embeddings of a block of tools."""

    def __init__(self, parts: Sequence[Float32Array]) -> None:
        """`parts` have a row for each tool."""
        self.rows = np.concatenate(parts)
        # Tools as columns: a vector is multiplied with many columns twice as fast as with rows.
        self.coarse = np.ascontiguousarray(self.rows[:, :COARSE_DIMENSIONS].T)


class EmbeddingIndex:
    def __init__(self, model: WordEmbeddings, blocks: Sequence[EmbeddingBlock]) -> None:
        self.model = model
        self._blocks = blocks
        self._starts = np.cumsum([0, *(len(each.rows) for each in blocks)])

    def coarse_similarities(self, vector: Float32Array) -> Float32Array:
        """Approximate similarity of every tool."""
        return _joined([vector[:COARSE_DIMENSIONS] @ each.coarse for each in self._blocks])

    def similarities(self, vector: Float32Array, tools: Int64Array | slice) -> Float32Array:
        """Exact similarity of some tools, given in ascending order; with a slice, of all tools."""
        if isinstance(tools, slice):
            return _joined([each.rows @ vector for each in self._blocks])
        ends = pairwise(tools.searchsorted(self._starts).tolist())
        blocks = zip(self._blocks, self._starts, ends, strict=False)
        rows = [each.rows[tools[a:b] - start] for each, start, (a, b) in blocks]
        return np.concatenate(rows) @ vector


def _joined(parts: Sequence[Float32Array]) -> Float32Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
