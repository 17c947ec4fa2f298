"""Where tools point, and how near each is to a query: roughly for all, exactly for a few.

The vectors of the meaning table have their telling dimensions first. So the first quarter of them
says which tools of very many are worth a closer look, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from router.search.meaning import MeaningTable, Vectors

ROUGH_WIDTH = 32


class Directions:
    def __init__(self, table: MeaningTable, parts: Sequence[Vectors]) -> None:
        """`parts` have a row for each tool."""
        empty: Vectors = np.empty((0, table.width), dtype=np.float32)
        self.table = table
        self._rows = np.concatenate([empty, *parts])
        # Tools as columns: one direction is multiplied with many tools twice as fast as with rows.
        self._rough = np.ascontiguousarray(self._rows[:, :ROUGH_WIDTH].T)

    def rough(self, vector: Vectors) -> Vectors:
        """About how near each tool is."""
        return vector[:ROUGH_WIDTH] @ self._rough

    def near(self, vector: Vectors, numbers: NDArray[np.int64] | None = None) -> Vectors:
        """How near each tool is, or each of some."""
        return (self._rows if numbers is None else self._rows[numbers]) @ vector
