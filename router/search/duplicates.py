"""The same tool on several servers: found once, with the others named beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from router.domain.json_values import as_object
from router.domain.tools import Tool


class Duplicates:
    def __init__(self, likenesses: Sequence[NDArray[np.int64]]) -> None:
        """`likenesses` are those of all tools, in some pieces."""
        self._groups: dict[int, list[int]] = {}
        if not likenesses:
            return
        _, kind, counts = np.unique(
            np.concatenate(likenesses), return_inverse=True, return_counts=True
        )
        groups: dict[int, list[int]] = defaultdict(list)
        for number in np.flatnonzero(counts[kind] > 1).tolist():
            group = groups[int(kind[number])]
            group.append(number)
            self._groups[number] = group

    def others(self, number: int) -> Sequence[int]:
        """The tools of other servers that are the same as this one."""
        if (group := self._groups.get(number)) is None:
            return ()
        return [other for other in group if other != number]

    def distinct(self, numbers: Iterable[int], limit: int) -> list[int]:
        """The first `limit` of `numbers` that are different tools."""
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


def likeness(tool: Tool) -> int:
    """The same number for tools that are the same; one without a description is like no other."""
    parameters = tuple(sorted(as_object(tool.input_schema.get("properties"))))
    return hash((tool.key.tool, tool.description or str(tool.key), parameters))
