"""What `tools/list` answers: the tools by which others are found, then those that are pinned; or,
where all are exposed, each of them.

The same object until something changes, so that whoever compares or writes it does that once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from router.catalog.view import View
from router.domain.json_values import JsonObject, as_object
from router.domain.workspaces import Exposure
from router.gateway.http.jsonrpc import written
from router.gateway.tools import meta_tools, progressive

_MARK = b'"x-mcp-header"'


@dataclass(frozen=True, eq=False)
class Listing:
    answer: JsonObject
    context_tokens: int

    @cached_property
    def written(self) -> bytes:
        """The answer as it goes to clients, written for the first who asks."""
        return written(self.answer)

    @cached_property
    def mirrored(self) -> Mapping[str, JsonObject]:
        """By name, the input schemas that want arguments repeated in headers. Hardly any does, and
        that is known by one look at what is written."""
        if _MARK not in self.written:
            return {}
        schemas = {
            str(tool["name"]): as_object(tool["inputSchema"]) for tool in self.answer["tools"]
        }
        return {name: schema for name, schema in schemas.items() if _MARK in written(schema)}


_SEARCH = Listing(meta_tools.LISTING, meta_tools.LISTING_TOKENS)
_WITH_EXECUTE = Listing(meta_tools.LISTING_WITH_EXECUTE, meta_tools.LISTING_WITH_EXECUTE_TOKENS)
_PROGRESSIVE = Listing(progressive.LISTING, progressive.LISTING_TOKENS)


class Listings:
    def __init__(self, offers_execute: Callable[[], bool]) -> None:
        self._offers_execute = offers_execute
        self._made: WeakKeyDictionary[View, dict[Listing | None, Listing]] = WeakKeyDictionary()

    def of(self, view: View) -> Listing:
        base = None if view.optimization is None else self._base(view)
        if base is not None and not view.pinned:
            return base
        made = self._made.setdefault(view, {})
        if base not in made:
            made[base] = _direct(view) if base is None else _with_pinned(base, view)
        return made[base]

    def _base(self, view: View) -> Listing:
        if view.exposure is Exposure.PROGRESSIVE:
            return _PROGRESSIVE
        return _WITH_EXECUTE if self._offers_execute() else _SEARCH


def _direct(view: View) -> Listing:
    return Listing(view.direct_listing, view.full_tokens)


def _with_pinned(base: Listing, view: View) -> Listing:
    pinned = [(name, view.tools[key]) for name, key in view.pinned.items()]
    tools = [*base.answer["tools"], *({**tool.wire, "name": name} for name, tool in pinned)]
    tokens = base.context_tokens + sum(tool.context_tokens for _, tool in pinned)
    return Listing({"tools": tools}, tokens)
