"""Reads the lists of a server, all pages of them, within limits."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable
from typing import Any

from router.catalog.tool_definition import estimated_json_length
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failure_text import error_words
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.tool_lists import Cut, CutKind, ServerListing
from router.upstream.errors import time_limit
from router.upstream.http.param_headers import has_invalid_param_headers
from router.upstream.limits import LIMITS, UpstreamLimits
from router.upstream.ports import Upstream
from router.wire.mcp import METHOD_NOT_FOUND

log = logging.getLogger(__name__)


async def read_listing(
    upstream: Upstream, limits: UpstreamLimits = LIMITS, deadline: float | None = None
) -> ServerListing:
    """All lists of `upstream`, with a count of what exceeds the limits. Only those in its
    capabilities are requested; a server that declares no capabilities at all may still have tools.

    Only the tools are indispensable: another list that can't be read is noted in `unread`, and may
    take half of the time that is left until `deadline` (of the loop's clock).
    """
    reader = _Reader(upstream, limits, deadline)
    return ServerListing(
        tools=await reader.items("tools/list", "tools"),
        prompts=await reader.readable_items("prompts/list", "prompts"),
        resources=await reader.readable_items("resources/list", "resources"),
        resource_templates=await reader.readable_items(
            "resources/templates/list", "resourceTemplates"
        ),
        capabilities=upstream.capabilities,
        server_info=upstream.server_info,
        instructions=upstream.instructions,
        protocol_version=upstream.protocol_version,
        ttl_ms=min(reader.ttls_ms, default=None),
        unread=reader.unread,
        cuts=tuple(Cut(kind, count) for kind, count in sorted(reader.cuts.items())),
    )


class _Reader:
    def __init__(self, upstream: Upstream, limits: UpstreamLimits, deadline: float | None) -> None:
        self._upstream = upstream
        self._limits = limits
        self._deadline = deadline
        self._declared = upstream.capabilities or {"tools": {}}
        self.ttls_ms: list[int] = []
        """The TTLs that the server gave for its lists."""
        self.unread: dict[str, str] = {}
        """Why a list could not be read, by its field."""
        self.cuts = Counter[CutKind]()

    async def items(self, method: str, field: str) -> tuple[JsonObject, ...]:
        """The items of the list that `method` reads; none if its capability is not declared."""
        if method.partition("/")[0] not in self._declared:
            return ()
        try:
            return await self._all_pages(method, field)
        except UpstreamAnsweredError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return ()

    async def readable_items(self, method: str, field: str) -> tuple[JsonObject, ...]:
        """As `items`, but a list that can't be read is empty and noted."""
        try:
            return await self._in_time(self.items(method, field))
        except (UpstreamAnsweredError, UpstreamFailed) as error:
            log.warning("%s failed: %s", method, error.message)
            self.unread[field] = error_words(error)
            return ()

    async def _in_time(self, items: Awaitable[tuple[JsonObject, ...]]) -> tuple[JsonObject, ...]:
        if self._deadline is None:
            return await items
        left_s = max(0.0, self._deadline - asyncio.get_running_loop().time())
        async with time_limit(round(left_s / 2, 2)):
            return await items

    async def _all_pages(self, method: str, field: str) -> tuple[JsonObject, ...]:
        items: list[JsonObject] = []
        cursors: set[str] = set()
        cursor: str | None = None
        room, listed = self._limits.listing_characters, 0
        for _ in range(self._limits.pages):
            page = await self._upstream.request(method, {"cursor": cursor} if cursor else None)
            cursor = _cursor(page.get("nextCursor"))
            self._add_ttl(page.get("ttlMs"))
            entries = _valid_entries(page.get(field), method)
            # In a thread, so that a large page does not block the loop.
            fitting, room = await asyncio.to_thread(_fitting, entries, room)
            items += fitting[: self._limits.entries - len(items)]
            listed += len(entries)
            if cursor is None or cursor in cursors:
                break
            cursors.add(cursor)  # the rest is read too, to know how much it is
        else:
            listed += 1  # or more: nobody knows how many pages follow
        if cut := listed - len(items):
            kind = CutKind.TOO_MANY_TOOLS if field == "tools" else CutKind.LIST_TOO_LONG
            self.cuts[kind] += cut
            log.warning("%s was cut after %d of %d entries", method, len(items), listed)
        return tuple(items)

    def _add_ttl(self, ttl_ms: object) -> None:
        if isinstance(ttl_ms, int) and not isinstance(ttl_ms, bool) and ttl_ms >= 0:
            self.ttls_ms.append(ttl_ms)


def _fitting(entries: list[JsonObject], room: int) -> tuple[list[JsonObject], int]:
    """The entries that fit into `room`, and the room that is left: none once one did not fit."""
    if room < 0:
        return [], room
    for number, entry in enumerate(entries):
        room -= estimated_json_length(entry, room)
        if room < 0:
            return entries[:number], room
    return entries, room


def _valid_entries(entries: Any, method: str) -> list[JsonObject]:
    """The valid `entries`: objects with a name."""
    candidates = as_array(entries)
    named = [each for each in candidates if isinstance(as_object(each).get("name"), str)]
    if len(named) < len(candidates):
        log.warning("%s: dropped %d entries without a name", method, len(candidates) - len(named))
    fit = [
        each for each in named if not has_invalid_param_headers(as_object(each.get("inputSchema")))
    ]
    if len(fit) < len(named):
        log.warning("%s: dropped %d whose x-mcp-header is wrong", method, len(named) - len(fit))
    return fit


def _cursor(cursor: object) -> str | None:
    return cursor if isinstance(cursor, str) and cursor else None
