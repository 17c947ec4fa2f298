"""Permissions and rules: which of them decides about a call."""

from __future__ import annotations

from typing import Any

import pytest

from router.catalog.globs import glob
from router.catalog.permission_policy import Layer, Subject, policy_of
from router.config.workspace import PermissionRule
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission, PermissionKind

WRITE = Subject(PermissionKind.TOOL, ServerId("files"), "write_file")
DELETE = Subject(PermissionKind.TOOL, ServerId("files"), "delete", {"destructiveHint": True})
READ = Subject(PermissionKind.TOOL, ServerId("files"), "read_file", {"readOnlyHint": True})
PROMPT = Subject(PermissionKind.PROMPT, ServerId("files"), "summary")
RESOURCE = Subject(PermissionKind.RESOURCE, ServerId("files"), "file:///etc/passwd")


def rule(permission: str, **conditions: Any) -> PermissionRule:
    return PermissionRule.model_validate({"permission": permission, **conditions})


def layer(*rules: PermissionRule, **words: str) -> Layer:
    named = {key.replace("__", ":"): Permission(word) for key, word in words.items()}
    return named, rules


def decided(subject: Subject, *layers: Layer, arguments: JsonObject | None = None) -> str:
    return policy_of(subject, layers).decide(arguments or {})


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("*", "", True),
        ("read_*", "read_file", True),
        ("*_file", "read_file", True),
        ("r*d*e", "read_file", True),
        ("read", "read_file", False),
        ("aa*aa", "aaa", False),
        ("[a-z]", "b", False),
        ("a.c", "abc", False),
    ],
)
def test_a_star_matches_anything_and_nothing_else_is_special(
    pattern: str, text: str, fits: bool
) -> None:
    assert glob(pattern, text) is fits


def test_no_pattern_backtracks() -> None:
    """One that backtracks would exceed the timeout of any test."""
    assert not glob("*a" * 50 + "b", "a" * 1_000_000)


@pytest.mark.proves("META-5")
def test_without_a_permission_or_rule_everything_is_allowed() -> None:
    assert decided(WRITE) == "allow"
    assert decided(WRITE, layer(rule("deny", server="web"))) == "allow"


@pytest.mark.proves("META-5")
def test_the_first_match_decides_project_before_workspace_and_permissions_before_rules() -> None:
    workspace = layer(rule("deny", tool="write_*"), rule("ask"), files__write_file="ask")
    assert decided(WRITE, workspace) == "ask"
    assert (
        decided(Subject(PermissionKind.TOOL, ServerId("files"), "write_all"), workspace) == "deny"
    )
    assert decided(READ, workspace) == "ask"
    project = layer(rule("allow", tool="read_*"))
    assert decided(READ, project, workspace) == "allow"
    assert decided(WRITE, layer(files__write_file="deny"), workspace) == "deny"


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("conditions", "covered"),
    [
        ({"destructive": True}, {WRITE.name, DELETE.name}),
        ({"destructive": False}, {READ.name}),
        ({"readOnly": True}, {READ.name}),
        ({"readOnly": False}, {WRITE.name, DELETE.name}),
        ({"openWorld": False}, set[str]()),
        ({"destructive": True, "tool": "del*"}, {DELETE.name}),
        ({"server": "fil*"}, {WRITE.name, DELETE.name, READ.name, PROMPT.name, RESOURCE.name}),
        ({"resource": "file:///etc/*"}, {RESOURCE.name}),
        ({"prompt": "*"}, {PROMPT.name}),
        ({"prompt": "*", "tool": "read_file"}, {PROMPT.name, READ.name}),
    ],
)
def test_a_rule_applies_where_all_its_conditions_match(
    conditions: JsonObject, covered: set[str]
) -> None:
    """A tool without annotations may be destructive, as MCP specifies."""
    denied = layer(rule("deny", **conditions))
    subjects = (WRITE, DELETE, READ, PROMPT, RESOURCE)
    assert {s.name for s in subjects if decided(s, denied) == "deny"} == covered


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("conditions", "arguments", "fits"),
    [
        ({"path": "/etc/*"}, {"path": "/etc/passwd"}, True),
        ({"path": "/etc/*"}, {"path": "/home"}, False),
        ({"path": "/etc/*"}, {}, False),
        ({"path": "/etc/*"}, {"path": ["/home", "/etc/x"]}, True),
        ({"edit.force": True}, {"edit": {"force": True}}, True),
        ({"edit.force": True}, {"edit": {"force": 1}}, False),
        ({"files.path": "*.key"}, {"files": [{"path": "a"}, {"path": "b.key"}]}, True),
        ({"count": 3, "path": "*"}, {"count": 3}, False),
        ({"note": None}, {"note": None}, True),
    ],
)
def test_a_rule_may_match_arguments(
    conditions: JsonObject, arguments: JsonObject, fits: bool
) -> None:
    denied = layer(rule("deny", arguments=conditions))
    assert decided(WRITE, denied, arguments=arguments) == ("deny" if fits else "allow")


@pytest.mark.proves("META-5")
def test_allow_needs_every_value_to_match_and_deny_needs_one() -> None:
    layers = layer(rule("allow", arguments={"paths": "/tmp/*"}), rule("deny"))
    assert decided(WRITE, layers, arguments={"paths": ["/tmp/a", "/tmp/b"]}) == "allow"
    assert decided(WRITE, layers, arguments={"paths": ["/tmp/a", "/etc/b"]}) == "deny"
    assert decided(WRITE, layers, arguments={"paths": []}) == "deny"


@pytest.mark.proves("META-5")
def test_a_tool_is_hidden_only_if_no_call_of_it_can_be_permitted() -> None:
    some = layer(rule("allow", arguments={"path": "/tmp/*"}), rule("deny"))
    none = layer(rule("deny", arguments={"path": "/tmp/*"}), rule("deny"))
    assert not policy_of(WRITE, [some]).hidden
    assert policy_of(WRITE, [none]).hidden
