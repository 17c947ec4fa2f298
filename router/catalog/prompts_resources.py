"""Prompts and resources as clients see them: under a name or address that leads back to its server.

A prompt is called `server__prompt` like a tool. A resource keeps its own address; only where two
servers have the same one does each get an address of ours that names its server. An address that
could be more than one server's leads nowhere, so that no server can answer in another's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from router.catalog.globs import follows
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import exposed_names

_OURS = "toolbooth://"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXPRESSION = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Offer:
    """Something of a server's under the name or address that clients use for it."""

    server: ServerId
    original: str
    wire: JsonObject


def prompt_offers(
    wires: Iterable[tuple[ServerId, JsonObject]], *, prefixed: bool = True
) -> dict[str, Offer]:
    """Prompts by exposed name, in order of name."""
    known = {ToolKey(server, str(wire["name"])): wire for server, wire in wires}
    return {
        name: Offer(key.server, key.tool, {**known[key], "name": name})
        for name, key in exposed_names(known, prefixed=prefixed).items()
    }


def address_offers(wires: Iterable[tuple[ServerId, JsonObject]], field: str) -> dict[str, Offer]:
    """Resources or templates by the address in `field`, in order of address."""
    offered = [(server, str(wire[field]), wire) for server, wire in wires if wire.get(field)]
    servers: dict[str, set[ServerId]] = {}
    for server, address, _ in offered:
        servers.setdefault(address, set()).add(server)
    offers: dict[str, Offer] = {}
    for server, address, wire in offered:
        free = len(servers[address]) == 1 and not address.startswith(_OURS)
        shown = address if free else our_address(server, address)
        offers[shown] = Offer(server, address, {**wire, field: shown})
    return dict(sorted(offers.items()))


def our_address(server: ServerId, address: str) -> str:
    """An address that names its server; expressions of a template stay readable as such."""
    quoted = _EXPRESSION.sub(lambda m: f"\0{m.group()}\0", address)
    parts = quoted.split("\0")
    return f"{_OURS}{server}/" + "".join(
        part if _EXPRESSION.fullmatch(part) else quote(part, safe="") for part in parts
    )


def find_address(
    address: str, resources: Mapping[str, Offer], templates: Mapping[str, Offer]
) -> tuple[ServerId, str] | None:
    """The server an address leads to, and the address to use there."""
    if (offer := resources.get(address)) is not None:
        return offer.server, offer.original
    if address.startswith(_OURS):
        server, slash, quoted = address.removeprefix(_OURS).partition("/")
        known = {offer.server for offer in (*resources.values(), *templates.values())}
        return (ServerId(server), unquote(quoted)) if slash and server in known else None
    if any(address == offer.original for offer in resources.values()):
        return None
    claimants = {offer.server for offer in templates.values() if matches(offer.original, address)}
    return (claimants.pop(), address) if len(claimants) == 1 else None


def matches(template: str, address: str) -> bool:
    """Whether `address` could come from a URI template. Looks for its fixed parts in their order,
    so that no template a server thinks up can make this slow. One that begins with an expression
    could be any address, and so is none."""
    first, *rest = _EXPRESSION.split(template)
    if rest and not _SCHEME.match(first):
        return False
    return follows(first, rest, address)


def pairs(
    listings: Iterable[tuple[ServerId, tuple[JsonObject, ...]]],
) -> Iterator[tuple[ServerId, JsonObject]]:
    """Each definition with its server."""
    return ((server, wire) for server, wires in listings for wire in wires)
