"""The permission for a tool, prompt or resource, and for one call of it: allow, ask or deny, as
permissions and rules say. Pure. The answers users have given, and so whether a permission request
is sent, are known in `gateway/tools/permission_requests.py`.

A permission is set for exactly one tool; a rule covers everything that matches it. The first match
decides, in this order: the project's permission, the project's rules, the workspace's permission,
the workspace's rules. Without a match it is allowed. Rules with arguments are decided per call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from router.catalog.argument_match import arguments_match
from router.catalog.globs import glob
from router.catalog.text_forms import Located, covers, nowhere
from router.config.workspace import PermissionRule
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission, PermissionKind

Layer: TypeAlias = tuple[Mapping[str, Permission], Sequence[PermissionRule]]
"""The permissions and the rules of a project or a workspace."""

_ANY = "*"
_STRICTNESS = (Permission.ALLOW, Permission.ASK, Permission.DENY)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a policy is about: a tool, a prompt or a resource."""

    kind: PermissionKind
    server: ServerId
    name: str
    annotations: JsonObject = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        return f"{self.server}:{self.name}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy for one subject: rules with arguments, then the permission for all other calls."""

    exceptions: tuple[PermissionRule, ...] = ()
    otherwise: Permission = Permission.ALLOW
    at_least: Policy | None = None
    """Another policy, which decides where it is stricter."""

    @property
    def hidden(self) -> bool:
        """Whether every call is denied."""
        permissions = {rule.permission for rule in self.exceptions} | {self.otherwise}
        also = self.at_least is not None and self.at_least.hidden
        return also or permissions == {Permission.DENY}

    @property
    def depends_on_arguments(self) -> bool:
        also = self.at_least is not None and self.at_least.depends_on_arguments
        return also or bool(self.exceptions)

    def decide(
        self, arguments: JsonObject, schema: JsonObject | None = None, located: Located = nowhere
    ) -> Permission:
        """The permission for one call. `schema` describes its arguments."""
        permission = self._decide(arguments, schema or {}, located)
        if self.at_least is None:
            return permission
        other = self.at_least.decide(arguments, schema, located)
        return max(permission, other, key=_STRICTNESS.index)

    def _decide(self, arguments: JsonObject, schema: JsonObject, located: Located) -> Permission:
        for rule in self.exceptions:
            if arguments_match(rule, arguments, schema, located):
                return rule.permission
        return self.otherwise


ALLOWED = Policy()


def policy_of(
    subject: Subject,
    layers: Iterable[Layer],
    located: Located = nowhere,
    at_least: Iterable[Layer] = (),
) -> Policy:
    """The policy for a subject; `layers` are those of the project, then of the workspace. What is
    stricter by the layers `at_least` is decided by those."""
    policy = _policy_of(subject, layers, located)
    floor = _policy_of(subject, at_least, located)
    return policy if floor is ALLOWED else replace(policy, at_least=floor)


def _policy_of(subject: Subject, layers: Iterable[Layer], located: Located) -> Policy:
    exceptions: list[PermissionRule] = []
    for permissions, rules in layers:
        if subject.kind is PermissionKind.TOOL and (permission := permissions.get(str(subject))):
            return Policy(tuple(exceptions), permission)
        for rule in rules:
            if not _covers(rule, subject, located):
                continue
            if not rule.arguments:
                return Policy(tuple(exceptions), rule.permission)
            exceptions.append(rule)
    return Policy(tuple(exceptions)) if exceptions else ALLOWED


def _covers(rule: PermissionRule, subject: Subject, located: Located) -> bool:
    return (
        glob(rule.server, subject.server)
        and _name_matches(rule, subject, located)
        and all(_hint(subject, name) is wanted for name, wanted in _required_hints(rule))
    )


def _name_matches(rule: PermissionRule, subject: Subject, located: Located) -> bool:
    """A rule with a tool pattern covers no prompts or resources, and so on; a rule that names only
    a server covers everything of it."""
    patterns = {
        PermissionKind.TOOL: rule.tool,
        PermissionKind.PROMPT: rule.prompt,
        PermissionKind.RESOURCE: rule.resource,
    }
    if patterns[PermissionKind.TOOL] is None and (rule.arguments or any(_required_hints(rule))):
        patterns[PermissionKind.TOOL] = _ANY
    if all(pattern is None for pattern in patterns.values()):
        return True
    if (pattern := patterns[subject.kind]) is None:
        return False
    if subject.kind is not PermissionKind.RESOURCE:
        return glob(pattern, subject.name)
    certain = rule.permission is Permission.ALLOW
    return covers(pattern, subject.name, certain=certain, located=located)


def _required_hints(rule: PermissionRule) -> list[tuple[str, bool]]:
    hints = {
        "readOnlyHint": rule.read_only,
        "destructiveHint": rule.destructive,
        "openWorldHint": rule.open_world,
    }
    return [(name, wanted) for name, wanted in hints.items() if wanted is not None]


def _hint(subject: Subject, name: str) -> bool:
    """The tool's annotation, else the default of the specification: not read-only, destructive,
    open world."""
    hint = subject.annotations.get(name)
    if isinstance(hint, bool):
        return hint
    if name == "destructiveHint":
        return subject.annotations.get("readOnlyHint") is not True
    return name == "openWorldHint"
