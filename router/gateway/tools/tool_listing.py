"""The result of `tools/list`: the meta-tools, then the pinned tools; or, where all are exposed,
every tool.

The same object until something changes, so that it is compared and encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from router.catalog.tool_definition import context_tokens
from router.catalog.view import View
from router.domain.json_values import JsonObject, as_object
from router.domain.workspaces import Exposure
from router.gateway.tools import meta_tools, progressive
from router.wire.jsonrpc import encode

_MARK = b'"x-mcp-header"'


@dataclass(frozen=True, eq=False)
class ToolListing:
    result: JsonObject
    context_tokens: int

    @cached_property
    def encoded(self) -> bytes:
        """The result as clients get it, encoded on first use."""
        return encode(self.result)

    @cached_property
    def param_header_schemas(self) -> Mapping[str, JsonObject]:
        """By name, the input schemas that require arguments to be repeated in headers. Most
        listings have none, so the encoded result is searched first."""
        if _MARK not in self.encoded:
            return {}
        schemas = {
            str(tool["name"]): as_object(tool["inputSchema"]) for tool in self.result["tools"]
        }
        return {name: schema for name, schema in schemas.items() if _MARK in encode(schema)}


_LISTINGS = (
    meta_tools.LISTING,
    meta_tools.LISTING_WITH_EXECUTE,
    progressive.LISTING,
    {"tools": [*progressive.TOOLS, meta_tools.SCRIPT_SEARCH]},
)
_SEARCH, _WITH_EXECUTE, _PROGRESSIVE, _WITH_SEARCH = (
    ToolListing(listing, context_tokens(listing)) for listing in _LISTINGS
)


class ToolListings:
    def __init__(self, offers_execute: Callable[[], bool]) -> None:
        self._offers_execute = offers_execute
        self._made: WeakKeyDictionary[View, dict[ToolListing | None, ToolListing]] = (
            WeakKeyDictionary()
        )

    def of(self, view: View) -> ToolListing:
        base = None if view.optimization is None else self._base(view)
        if base is not None and not view.pinned:
            return base
        made = self._made.setdefault(view, {})
        if base not in made:
            made[base] = _direct(view) if base is None else _with_pinned(base, view)
        return made[base]

    def _base(self, view: View) -> ToolListing:
        if view.exposure is Exposure.PROGRESSIVE:
            return _WITH_SEARCH if view.offer_search else _PROGRESSIVE
        return _WITH_EXECUTE if self._offers_execute() else _SEARCH


def _direct(view: View) -> ToolListing:
    return ToolListing(view.direct_listing, view.full_tokens)


def _with_pinned(base: ToolListing, view: View) -> ToolListing:
    pinned = [(name, view.tools[key]) for name, key in view.pinned.items()]
    tools = [*base.result["tools"], *({**tool.wire, "name": name} for name, tool in pinned)]
    tokens = base.context_tokens + sum(tool.context_tokens for _, tool in pinned)
    return ToolListing({"tools": tools}, tokens)
