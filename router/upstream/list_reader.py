"""Reading everything a server offers: all pages of its lists, within bounds."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, cast

from router.catalog.tool_definition import estimated_json_length
from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_object
from router.domain.tool_lists import ServerListing
from router.upstream.http.param_headers import has_bad_marks
from router.upstream.limits import LIMITS, Limits
from router.upstream.ports import Upstream
from router.wire.mcp import METHOD_NOT_FOUND

log = logging.getLogger(__name__)


async def read_listing(upstream: Upstream, limits: Limits = LIMITS) -> ServerListing:
    """What `upstream` says it has. Only the lists its capabilities announce are asked for; a
    server that announces nothing at all may still have tools."""
    announced = upstream.capabilities
    tools = "tools" in announced or not announced
    prompts, resources = "prompts" in announced, "resources" in announced
    reader = _Reader(upstream, limits)
    return ServerListing(
        tools=await reader.items("tools/list", "tools") if tools else (),
        prompts=await reader.items("prompts/list", "prompts") if prompts else (),
        resources=await reader.items("resources/list", "resources") if resources else (),
        resource_templates=(
            await reader.items("resources/templates/list", "resourceTemplates") if resources else ()
        ),
        capabilities=announced,
        server_info=upstream.server_info,
        instructions=upstream.instructions,
        protocol_version=upstream.protocol_version,
        ttl_ms=min(reader.ttls_ms, default=None),
    )


class _Reader:
    def __init__(self, upstream: Upstream, limits: Limits) -> None:
        self._upstream = upstream
        self._limits = limits
        self.ttls_ms: list[int] = []
        """How long the server says that its lists hold, as far as it does."""

    async def items(self, method: str, field: str) -> tuple[JsonObject, ...]:
        try:
            return await self._all_pages(method, field)
        except UpstreamAnsweredError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return ()

    async def _all_pages(self, method: str, field: str) -> tuple[JsonObject, ...]:
        items: list[JsonObject] = []
        cursors: set[str] = set()
        cursor: str | None = None
        room = self._limits.listing_characters
        for _ in range(self._limits.pages):
            page = await self._upstream.request(method, {"cursor": cursor} if cursor else None)
            cursor = _text(page.get("nextCursor"))
            self._note_ttl(page.get("ttlMs"))
            entries = _named(page.get(field), method)
            # Weighed on a thread, where a large page keeps nobody waiting.
            fitting, room = await asyncio.to_thread(_fitting, entries, room)
            items += fitting[: self._limits.entries - len(items)]
            full = room < 0 or len(items) >= self._limits.entries
            if full or cursor is None or cursor in cursors:
                break
            cursors.add(cursor)
        if cursor is not None or room < 0 or len(items) >= self._limits.entries:
            log.warning("%s was cut after %d entries: it is too long", method, len(items))
        return tuple(items)

    def _note_ttl(self, ttl_ms: object) -> None:
        if isinstance(ttl_ms, int) and not isinstance(ttl_ms, bool) and ttl_ms >= 0:
            self.ttls_ms.append(ttl_ms)


def _fitting(entries: list[JsonObject], room: int) -> tuple[list[JsonObject], int]:
    """The entries up to the first for which there is no room, and the room that is left."""
    for number, entry in enumerate(entries):
        room -= estimated_json_length(entry, room)
        if room < 0:
            return entries[:number], room
    return entries, room


def _named(entries: Any, method: str) -> list[JsonObject]:
    """Those of `entries` that are what they should be: objects with a name."""
    candidates = cast("list[object]", entries) if isinstance(entries, list) else []
    named = [cast(JsonObject, entry) for entry in candidates if _has_name(entry)]
    if len(named) < len(candidates):
        log.warning("%s: dropped %d entries without a name", method, len(candidates) - len(named))
    fit = [entry for entry in named if not has_bad_marks(as_object(entry.get("inputSchema")))]
    if len(fit) < len(named):
        log.warning("%s: dropped %d whose x-mcp-header is wrong", method, len(named) - len(fit))
    return fit


def _has_name(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(cast(JsonObject, entry).get("name"), str)


def _text(cursor: object) -> str | None:
    return cursor if isinstance(cursor, str) and cursor else None
