"""What a person's words and rules say about a tool, a prompt or a resource. Pure.

A word names exactly one tool; a rule covers all that fit it. The first that fits decides: the
project's word, the project's rules in their order, the workspace's word, the workspace's rules, and
without any of them it is allowed. Rules that look at arguments can only be decided by a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from router.catalog.globs import glob
from router.config.workspace import PermissionRule
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import Kind, Permission

Layer: TypeAlias = tuple[Mapping[str, Permission], Sequence[PermissionRule]]
"""The words and the rules of a project or of a workspace."""

_EVERY = "*"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a permission is asked for."""

    kind: Kind
    server: ServerId
    name: str
    annotations: JsonObject = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        return f"{self.server}:{self.name}"


@dataclass(frozen=True, slots=True)
class Policy:
    """All that holds for one subject: rules about arguments, then the word for all other calls."""

    exceptions: tuple[PermissionRule, ...] = ()
    otherwise: Permission = Permission.ALLOW

    @property
    def hidden(self) -> bool:
        """Whether no call at all can be permitted."""
        words = {rule.permission for rule in self.exceptions} | {self.otherwise}
        return words == {Permission.DENY}

    def decide(self, arguments: JsonObject) -> Permission:
        for rule in self.exceptions:
            if _arguments_fit(rule, arguments):
                return rule.permission
        return self.otherwise


ALLOWED = Policy()


def policy_of(subject: Subject, layers: Iterable[Layer]) -> Policy:
    """The policy for a subject; `layers` are those of the project, then of the workspace."""
    exceptions: list[PermissionRule] = []
    for words, rules in layers:
        if subject.kind is Kind.TOOL and (word := words.get(str(subject))) is not None:
            return Policy(tuple(exceptions), word)
        for rule in rules:
            if not _covers(rule, subject):
                continue
            if not rule.arguments:
                return Policy(tuple(exceptions), rule.permission)
            exceptions.append(rule)
    return Policy(tuple(exceptions)) if exceptions else ALLOWED


def _covers(rule: PermissionRule, subject: Subject) -> bool:
    return (
        glob(rule.server, subject.server)
        and _named(rule, subject)
        and all(_hint(subject, name) is wanted for name, wanted in _hints_of(rule))
    )


def _named(rule: PermissionRule, subject: Subject) -> bool:
    """A rule that speaks of tools says nothing of prompts and resources, and so on; one that names
    nothing but a server covers all that the server has."""
    patterns = {
        Kind.TOOL: rule.tool,
        Kind.PROMPT: rule.prompt,
        Kind.RESOURCE: rule.resource,
    }
    if patterns[Kind.TOOL] is None and (rule.arguments or any(_hints_of(rule))):
        patterns[Kind.TOOL] = _EVERY
    if all(pattern is None for pattern in patterns.values()):
        return True
    pattern = patterns[subject.kind]
    return pattern is not None and glob(pattern, subject.name)


def _hints_of(rule: PermissionRule) -> list[tuple[str, bool]]:
    hints = {
        "readOnlyHint": rule.read_only,
        "destructiveHint": rule.destructive,
        "openWorldHint": rule.open_world,
    }
    return [(name, wanted) for name, wanted in hints.items() if wanted is not None]


def _hint(subject: Subject, name: str) -> bool:
    """What a tool says of itself; for one that says nothing, what the protocol says: it may change
    things, destroy them, and reach out."""
    said = subject.annotations.get(name)
    if isinstance(said, bool):
        return said
    if name == "destructiveHint":
        return subject.annotations.get("readOnlyHint") is not True
    return name == "openWorldHint"


def _arguments_fit(rule: PermissionRule, arguments: JsonObject) -> bool:
    """Of several values one is enough to ask or deny; to allow, all of them must fit."""
    enough = all if rule.permission is Permission.ALLOW else any
    return all(
        (found := values_at(arguments, path.split(".")))
        and enough(_equals(wanted, v) for v in found)
        for path, wanted in rule.arguments.items()
    )


def values_at(value: object, path: Sequence[str]) -> list[object]:
    """The values at a path; a list on the way stands for each of its items."""
    if isinstance(value, list):
        items = cast(list[object], value)
        return [found for item in items for found in values_at(item, path)]
    if not path:
        return [value]
    if isinstance(value, dict) and path[0] in value:
        return values_at(cast(JsonObject, value)[path[0]], path[1:])
    return []


def _equals(wanted: object, value: object) -> bool:
    """Text is compared with a pattern, all else as it is; `true` is not 1."""
    if isinstance(wanted, str):
        return isinstance(value, str) and glob(wanted, value)
    return type(wanted) is type(value) and wanted == value
