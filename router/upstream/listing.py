"""Reading everything a server offers: all pages of its lists, within bounds."""

from __future__ import annotations

import logging
from typing import Any, cast

from router.errors import UpstreamAnsweredError
from router.model import JsonObject
from router.ports import ServerListing, Upstream
from router.upstream.protocol import METHOD_NOT_FOUND

log = logging.getLogger(__name__)

MAX_PAGES = 100
MAX_ITEMS = 5_000


async def read_listing(upstream: Upstream) -> ServerListing:
    """What `upstream` says it has. Only the lists its capabilities announce are asked for; a
    server that announces nothing at all may still have tools."""
    announced = upstream.capabilities
    tools = "tools" in announced or not announced
    prompts, resources = "prompts" in announced, "resources" in announced
    return ServerListing(
        tools=await _items(upstream, "tools/list", "tools") if tools else (),
        prompts=await _items(upstream, "prompts/list", "prompts") if prompts else (),
        resources=await _items(upstream, "resources/list", "resources") if resources else (),
        resource_templates=(
            await _items(upstream, "resources/templates/list", "resourceTemplates")
            if resources
            else ()
        ),
        capabilities=announced,
        server_info=upstream.server_info,
        instructions=upstream.instructions,
        protocol_version=upstream.protocol_version,
    )


async def _items(upstream: Upstream, method: str, field: str) -> tuple[JsonObject, ...]:
    try:
        return await _all_pages(upstream, method, field)
    except UpstreamAnsweredError as error:
        if error.code != METHOD_NOT_FOUND:
            raise
        return ()


async def _all_pages(upstream: Upstream, method: str, field: str) -> tuple[JsonObject, ...]:
    items: list[JsonObject] = []
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        params = None if cursor is None else {"cursor": cursor}
        page = await upstream.request(method, params)
        items += _named(page.get(field), method)
        cursor = _text(page.get("nextCursor"))
        if cursor is None or cursor in cursors or len(items) > MAX_ITEMS:
            break
        cursors.add(cursor)
    if cursor is not None or len(items) > MAX_ITEMS:
        log.warning("%s was cut after %d entries: it seems to have no end", method, len(items))
    return tuple(items[:MAX_ITEMS])


def _named(entries: Any, method: str) -> list[JsonObject]:
    """Those of `entries` that are what they should be: objects with a name."""
    candidates = cast("list[object]", entries) if isinstance(entries, list) else []
    named = [cast(JsonObject, entry) for entry in candidates if _has_name(entry)]
    if len(named) < len(candidates):
        log.warning("%s: dropped %d entries without a name", method, len(candidates) - len(named))
    return named


def _has_name(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(cast(JsonObject, entry).get("name"), str)


def _text(cursor: object) -> str | None:
    return cursor if isinstance(cursor, str) and cursor else None
