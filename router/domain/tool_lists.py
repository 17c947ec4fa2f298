"""A server's tool list: its limits, what was cut from it, findings in it, and its approval.

Plain values without heavy imports, because the vetting process uses them too. A tool is stored as
it is shown to clients: without hidden text and within the limits. Where that differs from what the
server sent, the original is stored beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListLimits:
    """How much of a server's list is shown. The defaults fit real servers."""

    tools: int = 2000
    description_characters: int = 8000
    schema_bytes: int = 64 * 1024
    schema_description_characters: int = 4000
    composed_schemas: bool = True
    """Whether `$ref`, `allOf`, `anyOf`, `oneOf`, `if`, `then` and `else` stay in schemas."""


DEFAULT_LIMITS = ListLimits()
STRICT_LIMITS = ListLimits(
    tools=50,
    description_characters=200,
    schema_bytes=8 * 1024,
    schema_description_characters=500,
    composed_schemas=False,
)


class CutKind(StrEnum):
    """Why something was cut from a tool list."""

    TOO_MANY_TOOLS = "too_many_tools"
    LIST_TOO_LONG = "list_too_long"
    """Of its prompts, resources or templates."""
    BAD_NAME = "bad_name"
    SAME_NAME = "same_name"
    LONG_DESCRIPTION = "long_description"
    LARGE_SCHEMA = "large_schema"
    DEEP_SCHEMA = "deep_schema"
    LONG_SCHEMA_DESCRIPTION = "long_schema_description"
    SCHEMA_KEYWORD = "schema_keyword"
    OUTSIDE_REFERENCE = "outside_reference"
    MARKUP = "markup"
    HIDDEN_TEXT = "hidden_text"
    ICON = "icon"


@dataclass(frozen=True, slots=True)
class Cut:
    kind: CutKind
    count: int


class FindingKind(StrEnum):
    HIDDEN_TEXT = "hidden_text"
    """Characters that a model reads and people don't see."""
    POISONING = "poisoning"
    """Text that gives instructions to a model instead of describing a tool."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something suspicious: the rule that matched, where, and the exact text."""

    kind: FindingKind
    rule: str
    where: str
    quote: str


class Approval(StrEnum):
    """The approval of a tool in its current form."""

    APPROVED = "approved"
    PENDING = "pending"
    """New, not approved yet."""
    CHANGED = "changed"
    """Differs from what was approved."""


@dataclass(frozen=True, slots=True)
class PendingApproval:
    """Why a tool or a listed item needs approval, and its approved form, if that is known."""

    approval: Approval
    approved: dict[str, Any] | None = None


class ApprovalPolicy(StrEnum):
    """When what the servers of a workspace list needs approval."""

    TRUST = "trust"
    ASK_ON_CHANGE = "ask_on_change"
    """The first list of a server counts as approved; later changes need approval."""
    ASK_ALWAYS = "ask_always"


class ItemKind(StrEnum):
    """What a server lists about itself, besides its tools."""

    PROMPT = "prompt"
    RESOURCE = "resource"
    RESOURCE_TEMPLATE = "resource_template"
    SERVER = "server"
    """The server's own title, description and instructions."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """A prompt, a resource, a resource template or a server's instructions: like a tool, clients
    get it only in the form that was approved."""

    kind: ItemKind
    original: str
    """Its name or URI at the server."""
    shown: dict[str, Any]
    """What an approval covers."""
    definition_hash: str

    @property
    def name(self) -> str:
        """Among all that needs approval. A tool of the same name makes neither usable."""
        return f"{self.kind}:{self.original}"


class Approvable(Protocol):
    """A tool or a listed item, as approvals see it."""

    @property
    def name(self) -> str: ...
    @property
    def shown(self) -> dict[str, Any]: ...
    @property
    def definition_hash(self) -> str: ...


class WordChange(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A run of words that both texts have, or only the old or the new one."""

    change: WordChange
    text: str


@dataclass(frozen=True, slots=True)
class _Listing(Generic[T]):
    """Everything a server lists about itself."""

    tools: tuple[T, ...] = ()
    prompts: tuple[dict[str, Any], ...] = ()
    resources: tuple[dict[str, Any], ...] = ()
    resource_templates: tuple[dict[str, Any], ...] = ()
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    server_info: dict[str, Any] = field(default_factory=dict[str, Any])
    instructions: str = ""
    protocol_version: str = ""
    ttl_ms: int | None = None
    """How long the list is valid, according to the server."""
    unread: dict[str, str] = field(default_factory=dict[str, str])
    """Why a list could not be read: `prompts`, `resources` or `resourceTemplates`, as MCP names
    them, and the server's words."""
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerListing(_Listing[dict[str, Any]]):
    """What a server lists, unchanged."""


@dataclass(frozen=True, slots=True)
class PreparedTool:
    shown: dict[str, Any]
    """The definition as clients and people see it. Shared, never mutated."""
    signature: str
    context_tokens: int
    definition_hash: str
    """SHA-256 over everything an approval covers."""
    findings: tuple[Finding, ...] = ()
    original: dict[str, Any] | None = None
    """The definition as the server sent it, where it differs."""

    @property
    def name(self) -> str:
        return self.shown["name"]

    @property
    def wire(self) -> dict[str, Any]:
        return self.shown if self.original is None else self.original


@dataclass(frozen=True, slots=True)
class PreparedListing(_Listing[PreparedTool]):
    """What a server lists, vetted; tools are sorted by name."""

    fingerprint: str = ""
    """Identifies the list as sent and the limits it was vetted with."""
    vetting_version: str = ""
    """Identifies the rules and limits it was vetted with."""


def tool_to_json(tool: PreparedTool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "shown": tool.shown,
        "signature": tool.signature,
        "contextTokens": tool.context_tokens,
        "pin": tool.definition_hash,
    }
    if tool.findings:
        value["findings"] = [[f.kind, f.rule, f.where, f.quote] for f in tool.findings]
    if tool.original is not None:
        value["original"] = tool.original
    return value


def tool_from_json(value: Mapping[str, Any]) -> PreparedTool:
    """Raises `ValueError`, `TypeError` or `KeyError` if it is not a tool."""
    shown = value["shown"]
    if not isinstance(shown["name"], str) or not shown["name"]:
        raise ValueError("a tool has no name")
    return PreparedTool(
        shown,
        str(value["signature"]),
        int(value["contextTokens"]),
        str(value["pin"]),
        tuple(Finding(FindingKind(k), str(r), str(w), str(x)) for k, r, w, x in value["findings"])
        if "findings" in value
        else (),
        value.get("original"),
    )


def head_to_json(listing: PreparedListing) -> dict[str, Any]:
    """Everything except the tools."""
    return {
        "serverVersion": str(listing.server_info.get("version", "")),
        "protocolVersion": listing.protocol_version,
        "serverInfo": listing.server_info,
        "capabilities": listing.capabilities,
        "instructions": listing.instructions,
        "prompts": list(listing.prompts),
        "resources": list(listing.resources),
        "resourceTemplates": list(listing.resource_templates),
        "ttlMs": listing.ttl_ms,
        "unread": listing.unread,
        "cuts": cuts_to_json(listing.cuts),
        "fingerprint": listing.fingerprint,
        "basis": listing.vetting_version,
    }


def listing_from_json(head: Mapping[str, Any], tools: tuple[PreparedTool, ...]) -> PreparedListing:
    """Raises `ValueError`, `TypeError` or `KeyError` if it is not a listing."""
    ttl_ms = head["ttlMs"]
    return PreparedListing(
        tools=tools,
        prompts=tuple(map(_object, head["prompts"])),
        resources=tuple(map(_object, head["resources"])),
        resource_templates=tuple(map(_object, head["resourceTemplates"])),
        capabilities=_object(head["capabilities"]),
        server_info=_object(head["serverInfo"]),
        instructions=str(head["instructions"]),
        protocol_version=str(head["protocolVersion"]),
        ttl_ms=None if ttl_ms is None else int(ttl_ms),
        unread={name: str(why) for name, why in _object(head.get("unread", {})).items()},
        cuts=cuts_from_json(head["cuts"]),
        fingerprint=str(head["fingerprint"]),
        vetting_version=str(head["basis"]),
    )


def cuts_to_json(cuts: Iterable[Cut]) -> dict[str, int]:
    return {cut.kind: cut.count for cut in cuts}


def cuts_from_json(value: Any) -> tuple[Cut, ...]:
    """Raises `ValueError` or `TypeError` for anything else."""
    return tuple(Cut(CutKind(kind), int(count)) for kind, count in _object(value).items())


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value  # pyright: ignore[reportUnknownVariableType]


@dataclass(frozen=True, slots=True)
class CachedListing:
    """A cached tool list: which configuration it belongs to, and how old it is."""

    listing: PreparedListing
    config_hash: str
    cached_at: datetime
    checked_at: datetime | None = None
    """When a later discovery found the same list; None: not since it was cached."""

    @property
    def seen_at(self) -> datetime:
        return self.checked_at or self.cached_at
