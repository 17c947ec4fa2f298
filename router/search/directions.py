"""Where tools point, and how near each is to a query: roughly for all, exactly for a few.

The vectors of the meaning table have their telling dimensions first. So the first quarter of them
says which tools of very many are worth a closer look, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from router.search.meaning import MeaningTable, Vectors

ROUGH_WIDTH = 32


class Pointers:
    """The directions of a block of tools."""

    def __init__(self, parts: Sequence[Vectors]) -> None:
        """`parts` have a row for each tool."""
        self.rows = np.concatenate(parts)
        # Tools as columns: one direction is multiplied with many tools twice as fast as with rows.
        self.rough = np.ascontiguousarray(self.rows[:, :ROUGH_WIDTH].T)


class Directions:
    def __init__(self, table: MeaningTable, blocks: Sequence[Pointers]) -> None:
        self.table = table
        self._blocks = blocks
        self._starts = np.cumsum([0, *(len(each.rows) for each in blocks)])

    def rough(self, vector: Vectors) -> Vectors:
        """About how near each tool is."""
        return _in_a_row([vector[:ROUGH_WIDTH] @ each.rough for each in self._blocks])

    def near(self, vector: Vectors, numbers: NDArray[np.int64] | slice) -> Vectors:
        """How near each of some tools is, given in their order, or with a slice all of them."""
        if isinstance(numbers, slice):
            return _in_a_row([each.rows @ vector for each in self._blocks])
        ends = pairwise(numbers.searchsorted(self._starts).tolist())
        blocks = zip(self._blocks, self._starts, ends, strict=False)
        rows = [each.rows[numbers[a:b] - start] for each, start, (a, b) in blocks]
        return np.concatenate(rows) @ vector


def _in_a_row(parts: Sequence[Vectors]) -> Vectors:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
