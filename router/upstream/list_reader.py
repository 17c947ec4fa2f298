"""Reads the lists of a server, all pages of them, within limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

from router.catalog.tool_definition import estimated_json_length
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failure_text import error_words
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.tool_lists import ServerListing
from router.upstream.errors import time_limit
from router.upstream.http.param_headers import has_invalid_param_headers
from router.upstream.limits import LIMITS
from router.upstream.ports import Upstream
from router.wire.mcp import METHOD_NOT_FOUND

log = logging.getLogger(__name__)


async def read_listing(upstream: Upstream, deadline: float | None = None) -> ServerListing:
    """All lists of `upstream`. Only those in its capabilities are requested; a server that declares
    no capabilities at all may still have tools.

    Only the tools are indispensable: another list that can't be read is noted in `unread`, and may
    take half of the time that is left until `deadline` (of the loop's clock).
    """
    reader = _Reader(upstream, deadline)
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
    )


class _Reader:
    def __init__(self, upstream: Upstream, deadline: float | None) -> None:
        self._upstream = upstream
        self._deadline = deadline
        self._declared = upstream.capabilities or {"tools": {}}
        self.ttls_ms: list[int] = []
        """The TTLs that the server gave for its lists."""
        self.unread: dict[str, str] = {}
        """Why a list could not be read, by its field."""

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
        room, full = LIMITS.listing_characters, False
        for _ in range(LIMITS.pages):
            page = await self._upstream.request(method, {"cursor": cursor} if cursor else None)
            cursor = _cursor(page.get("nextCursor"))
            self._add_ttl(page.get("ttlMs"))
            entries = _valid_entries(page.get(field), method)
            # In a thread, so that a large page does not block the loop.
            fitting, room = await asyncio.to_thread(_fitting, entries, room)
            items += fitting[: LIMITS.entries - len(items)]
            full = room < 0 or len(items) >= LIMITS.entries
            if full or cursor is None or cursor in cursors:
                break
            cursors.add(cursor)
        if cursor is not None or full:
            log.warning("%s was cut after %d entries: it is too long", method, len(items))
        return tuple(items)

    def _add_ttl(self, ttl_ms: object) -> None:
        if isinstance(ttl_ms, int) and not isinstance(ttl_ms, bool) and ttl_ms >= 0:
            self.ttls_ms.append(ttl_ms)


def _fitting(entries: list[JsonObject], room: int) -> tuple[list[JsonObject], int]:
    """The entries that fit into `room`, and the room that is left."""
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
