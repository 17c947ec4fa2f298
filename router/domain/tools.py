"""A tool, and what is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject, as_object
from router.domain.permissions import Permission
from router.domain.tool_lists import Approval, DiffPart, Finding, ItemKind


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool, for display."""

    name: str
    type: str
    required: bool
    description: str
    schema: dict[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """Its JSON schema, with references resolved."""


class Effect(StrEnum):
    """What a tool does to the outside world, according to its annotations."""

    READS = "reads"
    WRITES = "writes"
    DESTRUCTIVE = "destructive"
    UNKNOWN = "unknown"


class DataSource(StrEnum):
    RUNTIME = "runtime"
    CACHED = "cached"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of one server, with everything a request needs computed beforehand.

    `wire` is the definition as it is shown, without hidden text and within the limits; it is
    shared, never mutated. Calls need only the tool's own name, which is in `key`.
    """

    key: ToolKey
    server_name: str
    wire: JsonObject
    signature: str
    context_tokens: int
    definition_hash: str = ""
    """SHA-256 over everything an approval covers."""
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        annotations = self.annotations
        return str(self.wire.get("title") or annotations.get("title") or self.key.tool)

    @property
    def description(self) -> str:
        return str(self.wire.get("description") or "")

    @property
    def input_schema(self) -> JsonObject:
        return as_object(self.wire.get("inputSchema"))

    @property
    def annotations(self) -> JsonObject:
        return as_object(self.wire.get("annotations"))


class ToolView(NamedTuple):
    """A tool as window and CLI show it. Made by the thousand, hence a tuple."""

    key: ToolKey
    title: str
    description: str
    signature: str
    parameters: Sequence[Parameter]
    effect: Effect
    context_tokens: int
    permission: Permission
    available: bool
    last_seen: datetime | None
    source: DataSource
    approval: Approval = Approval.APPROVED
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class PendingTool:
    """A tool or a listed item that needs approval, with what is needed to decide."""

    key: ToolKey
    approval: Approval
    old: str
    """The approved definition; empty for a new tool, or if it is no longer known."""
    new: str
    difference: tuple[DiffPart, ...]
    findings: tuple[Finding, ...]
    kind: ItemKind | None = None
    """None for a tool, which can also be blocked here."""
