"""Turns a server's list into one that may be shown: tools cleaned, searched, pinned, measured."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import cast

from router.catalog.tool_definition import context_tokens, signature, valid_definition
from router.discovery.vetting import hidden_text, poisoning
from router.discovery.vetting.sanitizer import Sanitizer
from router.domain.ids import escaped_name
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.tool_lists import (
    DEFAULT_LIMITS,
    Cut,
    CutKind,
    FindingKind,
    ListLimits,
    PreparedListing,
    PreparedTool,
    ServerListing,
    cuts_to_json,
)

RULES_VERSION = 3
"""To be increased when the same text would be cleaned or judged differently."""

_HASHED_FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_MAX_NAME = 256
_LEFT_OUT = (CutKind.TOO_MANY_TOOLS, CutKind.LIST_TOO_LONG, CutKind.BAD_NAME, CutKind.SAME_NAME)


def vetting_version(limits: ListLimits) -> str:
    """Identifies the rules and limits a list is prepared with."""
    return _digest([RULES_VERSION, asdict(limits)])


def definition_hash(wire: JsonObject) -> str:
    """SHA-256 of what an approval covers, independent of the order of keys."""
    return _digest({key: wire[key] for key in _HASHED_FIELDS if wire.get(key) is not None})


def prepare(listing: ServerListing, limits: ListLimits = DEFAULT_LIMITS) -> PreparedListing:
    cuts = Counter({cut.kind: cut.count for cut in listing.cuts})
    wires = _acceptable(listing.tools, limits, cuts)
    tools = [_prepare_tool(wire, limits, cuts) for wire in wires]
    rest = Sanitizer(limits)
    return PreparedListing(
        tools=tuple(sorted(tools, key=lambda tool: tool.name)),
        prompts=tuple(_prompt(prompt, rest) for prompt in listing.prompts),
        resources=tuple(_described(resource, rest) for resource in listing.resources),
        resource_templates=tuple(_described(each, rest) for each in listing.resource_templates),
        capabilities=listing.capabilities,
        server_info=as_object(rest.value(listing.server_info, "serverInfo")),
        instructions=rest.description(listing.instructions, "instructions"),
        protocol_version=listing.protocol_version,
        ttl_ms=listing.ttl_ms,
        unread={name: rest.description(why, "unread") for name, why in listing.unread.items()},
        cuts=tuple(Cut(kind, n) for kind, n in sorted((cuts + rest.cuts).items())),
        fingerprint=_fingerprint(listing, limits),
        vetting_version=vetting_version(limits),
    )


def original_listing(listing: PreparedListing) -> ServerListing:
    """The list as the server sent it, without what was left out altogether, which is counted."""
    content = {each.name: getattr(listing, each.name) for each in fields(ServerListing)}
    content["tools"] = tuple(tool.wire for tool in listing.tools)
    content["cuts"] = tuple(cut for cut in listing.cuts if cut.kind in _LEFT_OUT)
    return ServerListing(**content)


def _fingerprint(listing: ServerListing, limits: ListLimits) -> str:
    """Independent of the order of tools, of how long the list is valid, and of why a part of it
    could not be read."""
    tools = sorted(_digest(wire) for wire in listing.tools)
    rest = [listing.prompts, listing.resources, listing.resource_templates, listing.capabilities]
    rest += [cuts_to_json(listing.cuts)] if listing.cuts else []
    about = [listing.server_info, listing.instructions, listing.protocol_version]
    return _digest([tools, rest, about, sorted(listing.unread), vetting_version(limits)])


def _acceptable(
    wires: Iterable[JsonObject], limits: ListLimits, cuts: Counter[CutKind]
) -> list[JsonObject]:
    """The tools with a readable name, the first of each name, up to the limit."""
    named: dict[str, JsonObject] = {}
    for wire in wires:
        name = str(wire["name"])
        if not name or len(name) > _MAX_NAME or not hidden_text.is_readable(name):
            cuts[CutKind.BAD_NAME] += 1
        elif name in named:
            cuts[CutKind.SAME_NAME] += 1
        else:
            named[name] = wire
    kept = list(named.values())[: limits.tools]
    if len(kept) < len(named):
        cuts[CutKind.TOO_MANY_TOOLS] += len(named) - len(kept)
    return kept


def _prepare_tool(wire: JsonObject, limits: ListLimits, cuts: Counter[CutKind]) -> PreparedTool:
    sanitizer = Sanitizer(limits)
    shown = valid_definition({key: _field(key, value, sanitizer) for key, value in wire.items()})
    for where, text in sanitizer.texts:
        for rule, quote in poisoning.detect(text, parameter="Schema." in where):
            sanitizer.add_finding(FindingKind.POISONING, rule, where, quote)
    cuts.update(sanitizer.cuts)
    return PreparedTool(
        shown=shown,
        signature=signature(escaped_name(str(wire["name"])), shown["inputSchema"]),
        context_tokens=context_tokens(shown),
        definition_hash=definition_hash(wire),
        findings=tuple(sanitizer.findings),
        original=None if shown == wire else wire,
    )


def _field(key: str, value: object, sanitizer: Sanitizer) -> object:
    if key == "name":
        sanitizer.texts.append((key, str(value)))
        return value
    if key in ("description", "title") and isinstance(value, str):
        return sanitizer.description(value, key)
    if key in ("inputSchema", "outputSchema") and isinstance(value, dict):
        return sanitizer.schema(cast(JsonObject, value), key)
    if key == "icons":
        return sanitizer.icons(as_array(value))
    return sanitizer.value(value, key)


def _prompt(prompt: JsonObject, sanitizer: Sanitizer) -> JsonObject:
    shown = _described(prompt, sanitizer)
    if "arguments" in prompt:
        arguments = as_array(prompt["arguments"])
        shown["arguments"] = [_described(as_object(each), sanitizer) for each in arguments]
    return shown


def _described(wire: JsonObject, sanitizer: Sanitizer) -> JsonObject:
    """A prompt, resource or template with its title and description cleaned."""
    return {
        key: sanitizer.description(value, key)
        if key in ("title", "description") and isinstance(value, str)
        else value
        for key, value in wire.items()
    }


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
