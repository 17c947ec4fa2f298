"""What a server lists besides its tools, as approvals cover it.

The hash covers what a model or a person reads of an item. What changes with every use of a
resource (its size, when it was modified) is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable
from dataclasses import replace

from router.catalog.permission_policy import Subject
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import PermissionKind
from router.domain.tool_lists import ItemKind, ListedItem, PreparedListing

INSTRUCTIONS = "instructions"
_IDENTIFIED_BY = {
    ItemKind.PROMPT: "name",
    ItemKind.RESOURCE: "uri",
    ItemKind.RESOURCE_TEMPLATE: "uriTemplate",
}
_PERMISSION_KINDS = {
    ItemKind.PROMPT: PermissionKind.PROMPT,
    ItemKind.RESOURCE: PermissionKind.RESOURCE,
    ItemKind.RESOURCE_TEMPLATE: PermissionKind.RESOURCE,
}
_COVERED = ("name", "title", "description", "arguments", "uri", "uriTemplate", "mimeType")
_ABOUT_SERVER = ("title", "description")


def listed_items(listing: PreparedListing) -> tuple[ListedItem, ...]:
    """Everything of a list that needs approval, besides the tools."""
    about = {key: value for key in _ABOUT_SERVER if (value := listing.server_info.get(key))}
    if listing.instructions:
        about[INSTRUCTIONS] = listing.instructions
    server = [_item(ItemKind.SERVER, INSTRUCTIONS, about)] if about else []
    return (
        *_items(ItemKind.PROMPT, listing.prompts),
        *_items(ItemKind.RESOURCE, listing.resources),
        *_items(ItemKind.RESOURCE_TEMPLATE, listing.resource_templates),
        *server,
    )


def item_subject(server: ServerId, item: ListedItem) -> Subject | None:
    """None for a server's instructions, which no permission is about."""
    kind = _PERMISSION_KINDS.get(item.kind)
    return Subject(kind, server, item.original) if kind else None


def without(listing: PreparedListing, held: Container[str]) -> PreparedListing:
    """`listing` without the items of these names; its tools are all kept."""

    def rest(kind: ItemKind, wires: Iterable[JsonObject]) -> tuple[JsonObject, ...]:
        return tuple(w for w in wires if _name(kind, _identifier(kind, w)) not in held)

    about_held = _name(ItemKind.SERVER, INSTRUCTIONS) in held
    return replace(
        listing,
        prompts=rest(ItemKind.PROMPT, listing.prompts),
        resources=rest(ItemKind.RESOURCE, listing.resources),
        resource_templates=rest(ItemKind.RESOURCE_TEMPLATE, listing.resource_templates),
        server_info={} if about_held else listing.server_info,
        instructions="" if about_held else listing.instructions,
    )


def _items(kind: ItemKind, wires: Iterable[JsonObject]) -> Iterable[ListedItem]:
    """Of several with the same name or URI, all are one item: none changes unseen."""
    alike: dict[str, list[JsonObject]] = {}
    for wire in wires:
        covered = {key: wire[key] for key in _COVERED if wire.get(key) is not None}
        alike.setdefault(_identifier(kind, wire), []).append(covered)
    for original, covered in alike.items():
        yield _item(kind, original, covered[0] if len(covered) == 1 else {"listed": covered})


def _item(kind: ItemKind, original: str, shown: JsonObject) -> ListedItem:
    text = json.dumps([kind, original, shown], sort_keys=True, separators=(",", ":"))
    return ListedItem(kind, original, shown, hashlib.sha256(text.encode()).hexdigest())


def _identifier(kind: ItemKind, wire: JsonObject) -> str:
    return str(wire.get(_IDENTIFIED_BY[kind]) or "")


def _name(kind: ItemKind, original: str) -> str:
    return f"{kind}:{original}"
