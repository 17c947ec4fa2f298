"""From a server's list to one that can be shown: each tool cleaned, pinned, searched, measured."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

from router.catalog.tool_definition import context_tokens, listable, signature
from router.catalog.vetting import poisoning, texts
from router.catalog.vetting.cleaning import Cleaner
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
)

RULES_VERSION = 2
"""Goes up when the same words would be cleaned or judged in another way."""

_PINNED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_MAX_NAME = 256


def basis_of(limits: ListLimits) -> str:
    """Names the rules and limits a list is prepared with."""
    return _digest([RULES_VERSION, asdict(limits)])


def pin_of(wire: JsonObject) -> str:
    """SHA-256 over what an approval holds for, the same however the server orders its keys."""
    return _digest({key: wire[key] for key in _PINNED if wire.get(key) is not None})


def prepare(listing: ServerListing, limits: ListLimits = DEFAULT_LIMITS) -> PreparedListing:
    cuts: Counter[CutKind] = Counter()
    wires = _acceptable(listing.tools, limits, cuts)
    tools = [_prepare_tool(wire, limits, cuts) for wire in wires]
    rest = Cleaner(limits)
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
        cuts=tuple(Cut(kind, n) for kind, n in sorted((cuts + rest.account.cuts).items())),
        fingerprint=_fingerprint(listing, limits),
        basis=basis_of(limits),
    )


def original_listing(listing: PreparedListing) -> ServerListing:
    """What the server said, as far as that was kept: what was left out altogether is gone."""
    return ServerListing(
        tools=tuple(tool.wire for tool in listing.tools),
        prompts=listing.prompts,
        resources=listing.resources,
        resource_templates=listing.resource_templates,
        capabilities=listing.capabilities,
        server_info=listing.server_info,
        instructions=listing.instructions,
        protocol_version=listing.protocol_version,
        ttl_ms=listing.ttl_ms,
    )


def _fingerprint(listing: ServerListing, limits: ListLimits) -> str:
    """Tools come in any order; how long a list holds is no part of it."""
    tools = sorted(_digest(wire) for wire in listing.tools)
    rest = [listing.prompts, listing.resources, listing.resource_templates, listing.capabilities]
    about = [listing.server_info, listing.instructions, listing.protocol_version]
    return _digest([tools, rest, about, basis_of(limits)])


def _acceptable(
    wires: Iterable[JsonObject], limits: ListLimits, cuts: Counter[CutKind]
) -> list[JsonObject]:
    """Those that can be called by a name a person can read, each name once, as many as may be."""
    named: dict[str, JsonObject] = {}
    for wire in wires:
        name = str(wire["name"])
        if not name or len(name) > _MAX_NAME or not texts.is_readable(name):
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
    cleaner = Cleaner(limits)
    shown = listable({key: _field(key, value, cleaner) for key, value in wire.items()})
    account = cleaner.account
    for rule, where, words in poisoning.search(account.texts):
        account.find(FindingKind.POISONING, rule, where, words)
    cuts.update(account.cuts)
    return PreparedTool(
        shown=shown,
        signature=signature(escaped_name(str(wire["name"])), shown["inputSchema"]),
        context_tokens=context_tokens(shown),
        pin=pin_of(wire),
        findings=tuple(account.findings),
        original=None if shown == wire else wire,
    )


def _field(key: str, value: object, cleaner: Cleaner) -> object:
    if key == "name":
        cleaner.account.texts.append((key, str(value)))
        return value
    if key in ("description", "title") and isinstance(value, str):
        return cleaner.description(value, key)
    if key in ("inputSchema", "outputSchema") and isinstance(value, dict):
        return cleaner.schema(as_object(value), key)  # pyright: ignore[reportUnknownArgumentType]
    if key == "icons":
        return cleaner.icons(as_array(value))
    return cleaner.value(value, key)


def _prompt(prompt: JsonObject, cleaner: Cleaner) -> JsonObject:
    shown = _described(prompt, cleaner)
    if "arguments" in prompt:
        arguments = as_array(prompt["arguments"])
        shown["arguments"] = [_described(as_object(each), cleaner) for each in arguments]
    return shown


def _described(wire: JsonObject, cleaner: Cleaner) -> JsonObject:
    """A prompt, resource or template: its texts for people cleaned, the rest as it is."""
    return {
        key: cleaner.description(value, key)
        if key in ("title", "description") and isinstance(value, str)
        else value
        for key, value in wire.items()
    }


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
