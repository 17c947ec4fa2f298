"""Duplicate tools: the same tool on several servers is one search hit that names the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from router.domain.json_values import as_object
from router.domain.tools import Tool
from router.search.index.arrays import Int64Array


class Duplicates:
    def __init__(self, fingerprints: Sequence[Int64Array]) -> None:
        """`fingerprints` are those of all tools, in any number of arrays."""
        self._groups: dict[int, list[int]] = {}
        if not fingerprints:
            return
        _, kind, counts = np.unique(
            np.concatenate(fingerprints), return_inverse=True, return_counts=True
        )
        groups: dict[int, list[int]] = defaultdict(list)
        for number in np.flatnonzero(counts[kind] > 1).tolist():
            group = groups[int(kind[number])]
            group.append(number)
            self._groups[number] = group

    def others(self, number: int) -> Sequence[int]:
        """The duplicates of a tool on other servers."""
        if (group := self._groups.get(number)) is None:
            return ()
        return [other for other in group if other != number]

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


def fingerprint(tool: Tool) -> int:
    """Equal for duplicates: same name, description and parameter names. A tool without a
    description has no duplicates."""
    parameters = tuple(sorted(as_object(tool.input_schema.get("properties"))))
    return hash((tool.key.tool, tool.description or str(tool.key), parameters))
