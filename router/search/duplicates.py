"""The same tool on several servers: found once, with the others named beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from router.model import Tool, ToolKey, as_object


class Duplicates:
    def __init__(self, tools: Sequence[Tool]) -> None:
        groups: dict[object, list[int]] = defaultdict(list)
        for number, tool in enumerate(tools):
            groups[_likeness(tool)].append(number)
        self._tools = tools
        self._groups = {
            number: group for group in groups.values() if len(group) > 1 for number in group
        }

    def of(self, number: int) -> tuple[ToolKey, ...]:
        """The keys under which other servers have this tool."""
        others = (other for other in self._groups.get(number, ()) if other != number)
        return tuple(self._tools[other].key for other in others)

    def distinct(self, numbers: Iterable[int], limit: int) -> list[int]:
        """The first `limit` of `numbers` that are different tools."""
        chosen: list[int] = []
        seen: set[int] = set()
        for number in numbers:
            first = self._groups.get(number, (number,))[0]
            if first not in seen and len(chosen) < limit:
                chosen.append(number)
            seen.add(first)
        return chosen


def _likeness(tool: Tool) -> tuple[str, str, tuple[str, ...]]:
    """What two tools share if they are the same; one without a description is like no other."""
    parameters = tuple(sorted(as_object(tool.input_schema.get("properties"))))
    return tool.key.tool, tool.description or str(tool.key), parameters
