"""What `tools/list` answers: the tools by which others are found, then those that are pinned.

The same object until something changes, so that whoever compares or encodes it does that once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from router.catalog.view import View
from router.gateway import metatools, progressive
from router.model import Exposure, JsonObject


@dataclass(frozen=True, slots=True)
class Listing:
    answer: JsonObject
    context_tokens: int


_SEARCH = Listing(metatools.LISTING, metatools.LISTING_TOKENS)
_WITH_EXECUTE = Listing(metatools.LISTING_WITH_EXECUTE, metatools.LISTING_WITH_EXECUTE_TOKENS)
_PROGRESSIVE = Listing(progressive.LISTING, progressive.LISTING_TOKENS)


class Listings:
    def __init__(self, offers_execute: Callable[[], bool]) -> None:
        self._offers_execute = offers_execute
        self._made: WeakKeyDictionary[View, dict[int, Listing]] = WeakKeyDictionary()

    def of(self, view: View) -> Listing:
        if view.optimization is None:
            return Listing(view.direct_listing, view.full_tokens)
        base = self._base(view)
        if not view.pinned:
            return base
        made = self._made.setdefault(view, {})
        if id(base) not in made:
            made[id(base)] = _with_pinned(base, view)
        return made[id(base)]

    def _base(self, view: View) -> Listing:
        if view.exposure is Exposure.PROGRESSIVE:
            return _PROGRESSIVE
        return _WITH_EXECUTE if self._offers_execute() else _SEARCH


def _with_pinned(base: Listing, view: View) -> Listing:
    pinned = [(name, view.tools[key]) for name, key in view.pinned.items()]
    tools = [*base.answer["tools"], *({**tool.wire, "name": name} for name, tool in pinned)]
    tokens = base.context_tokens + sum(tool.context_tokens for _, tool in pinned)
    return Listing({"tools": tools}, tokens)
