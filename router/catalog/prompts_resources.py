"""Prompts and resources as clients see them: under a name or URI that identifies the server.

A prompt is called `server__prompt` like a tool. A resource keeps its own URI; if two servers have
the same one, each gets a `toolbooth:` URI with its server's id. A URI that could belong to more
than one server is not resolved, so that no server can answer for another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest
from urllib.parse import quote, unquote

from router.catalog.globs import matches_parts
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import exposed_names

_OWN_SCHEME = "toolbooth://"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_EXPRESSION = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class ExposedItem:
    """A prompt, resource or resource template under the name or URI that clients use for it."""

    server: ServerId
    original: str
    wire: JsonObject


def exposed_prompts(
    wires: Iterable[tuple[ServerId, JsonObject]], *, prefixed: bool = True
) -> dict[str, ExposedItem]:
    """Prompts by exposed name, in order of name."""
    known = {ToolKey(server, str(wire["name"])): wire for server, wire in wires}
    return {
        name: ExposedItem(key.server, key.tool, {**known[key], "name": name})
        for name, key in exposed_names(known, prefixed=prefixed).items()
    }


def exposed_resources(
    wires: Iterable[tuple[ServerId, JsonObject]], field: str
) -> dict[str, ExposedItem]:
    """Resources or templates by the URI in `field`, in order of URI."""
    listed = [(server, str(wire[field]), wire) for server, wire in wires if wire.get(field)]
    servers: dict[str, set[ServerId]] = {}
    for server, uri, _ in listed:
        servers.setdefault(uri, set()).add(server)
    items: dict[str, ExposedItem] = {}
    for server, uri, wire in listed:
        unique = len(servers[uri]) == 1 and not uri.startswith(_OWN_SCHEME)
        shown = uri if unique else qualified_uri(server, uri)
        items[shown] = ExposedItem(server, uri, {**wire, field: shown})
    return dict(sorted(items.items()))


def qualified_uri(server: ServerId, uri: str) -> str:
    """A URI with its server's id; the expressions of a URI template stay expressions."""
    literals = [quote(part, safe="") for part in _EXPRESSION.split(uri)]
    parts = zip_longest(literals, _EXPRESSION.findall(uri), fillvalue="")
    return f"{_OWN_SCHEME}{server}/" + "".join(chain.from_iterable(parts))


def server_of_uri(uri: str) -> ServerId | None:
    """The server that a URI made by `qualified_uri` names."""
    server, slash, _ = uri.removeprefix(_OWN_SCHEME).partition("/")
    return ServerId(server) if uri.startswith(_OWN_SCHEME) and slash else None


def resolve_uri(
    uri: str, resources: Mapping[str, ExposedItem], templates: Mapping[str, ExposedItem]
) -> tuple[ServerId, str] | None:
    """The server a URI belongs to, and its URI there; None if no single server has it."""
    if (item := resources.get(uri)) is not None:
        return item.server, item.original
    if uri.startswith(_OWN_SCHEME):
        server, slash, quoted = uri.removeprefix(_OWN_SCHEME).partition("/")
        known = {item.server for item in (*resources.values(), *templates.values())}
        return (ServerId(server), unquote(quoted)) if slash and server in known else None
    if any(uri == item.original for item in resources.values()):
        return None
    claimants = {item.server for item in templates.values() if matches(item.original, uri)}
    return (claimants.pop(), uri) if len(claimants) == 1 else None


def matches(template: str, uri: str) -> bool:
    """Whether `uri` can be an expansion of a URI template. Only its literal parts are compared,
    in linear time. A template that begins with an expression would match every URI, so it matches
    none."""
    first, *rest = _EXPRESSION.split(template)
    if rest and not _SCHEME.match(first):
        return False
    return matches_parts(first, rest, uri)
