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


def decided(
    subject: Subject,
    *layers: Layer,
    arguments: JsonObject | None = None,
    schema: JsonObject | None = None,
) -> str:
    return policy_of(subject, layers).decide(arguments or {}, schema)


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
        ({"edit.force": True}, {"edit": {"force": False}}, False),
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


OPTIONS: JsonObject = {
    "properties": {
        "options": {"anyOf": [{"$ref": "#/$defs/Options"}, {"type": "null"}]},
        "paths": {"type": "array", "items": {"type": "string"}},
    },
    "$defs": {
        "Options": {
            "properties": {
                "force": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
                "count": {"type": "integer", "default": 5},
                "level": {"type": ["string", "null"]},
            }
        }
    },
}


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("permission", ["ask", "deny"])
@pytest.mark.parametrize(
    ("conditions", "arguments"),
    [
        *(
            ({"options.force": True}, {"options": {"force": value}})
            for value in (1, 1.0, 0, "true", "yes", "1", "on", "", {}, {"x": 1}, [True], [1], None)
        ),
        *(
            ({"options.force": True}, {"options": value})
            for value in ('{"force": true}', '{"force":false}', "x", 1, True, None, [1], [None])
        ),
        ({"options.force": True}, {"Options": {"FORCE": True}}),
        ({"options.force": True}, {"options": [{"force": False}, {"force": "y"}]}),
        ({"options.force": False}, {"options": {"force": 0}}),
        ({"count": 5}, {"count": 5.0}),
        ({"count": 5.0}, {"count": 5}),
        ({"count": 5}, {"count": "5"}),
        ({"count": 1}, {"count": True}),
        ({"count": 2**53}, {"count": 2**53 + 1}),
        ({"name": "5"}, {"name": 5}),
        ({"paths": "/etc/*"}, {"paths": '["/tmp/a", "/etc/passwd"]'}),
        ({"paths": "/etc/*"}, {"paths": ' "/etc/passwd"'}),
        ({"paths": "/etc/*"}, {"paths": '{"0": "/etc/passwd"}'}),
        ({"paths": "/etc/*"}, {"paths": '"[\\"/etc/passwd\\"]"'}),
    ],
)
def test_what_a_server_may_convert_to_a_forbidden_value_is_forbidden(
    permission: str, conditions: JsonObject, arguments: JsonObject
) -> None:
    """Whatever the schema says or leaves out."""
    assert decided(WRITE, layer(rule(permission, arguments=conditions)), arguments=arguments) == (
        permission
    )


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("conditions", "arguments", "fits"),
    [
        ({"options.force": True}, {"options": {"force": None}}, False),
        ({"options.force": True}, {"options": None}, False),
        ({"options.force": True}, {"options": {"force": False}}, False),
        ({"options.force": True}, {"options": {"force": "false"}}, True),
        ({"options.count": 5}, {"options": {}}, True),
        ({"options.count": 5}, {"options": {"count": 6}}, False),
        ({"options.count": 5}, {}, False),
        ({"options.level": "high"}, {"options": {"level": None}}, False),
        ({"options.level": None}, {"options": {"level": "low"}}, False),
        ({"options.level": None}, {"options": {"level": 3}}, True),
        ({"paths": "/etc/*"}, {"paths": "a,b"}, True),
        ({"paths": "/etc/*"}, {"paths": ["a", "b"]}, False),
    ],
)
def test_a_schema_says_which_values_are_as_good_as_left_out(
    conditions: JsonObject, arguments: JsonObject, fits: bool
) -> None:
    denied = layer(rule("deny", arguments=conditions))
    found = decided(WRITE, denied, arguments=arguments, schema=OPTIONS)
    assert found == ("deny" if fits else "allow")


@pytest.mark.proves("META-5")
def test_a_schema_without_end_is_followed_only_so_far() -> None:
    """Following it would exceed the timeout of any test."""
    levels: JsonObject = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"} for _ in range(40)]} for n in range(200)
    }
    schema: JsonObject = {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": levels}
    circle: JsonObject = {"properties": {"a": {"$ref": "#/properties/a"}}}
    denied = layer(rule("deny", arguments={"a.b": True}))
    for each in (schema, circle, {"$ref": "http://127.0.0.1:1/schema"}):
        assert decided(WRITE, denied, arguments={"a": "x"}, schema=each) == "deny"
        assert decided(WRITE, denied, arguments={"a": {"b": False}}, schema=each) == "allow"


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("conditions", "arguments"),
    [
        ({"force": True}, {"force": 1}),
        ({"force": True}, {"force": "true"}),
        ({"count": 1}, {"count": True}),
        ({"options.force": True}, {"options": '{"force": true}'}),
        ({"options.force": True}, {"Options": {"force": True}}),
        ({"path": "/tmp/*"}, {"path": "/tmp/../etc/passwd"}),
        ({"path": "/tmp/*"}, {"path": "/tmp/%2e%2e/etc/passwd"}),
        ({"path": "/tmp/*"}, {"path": "/tmp/..\\etc/passwd"}),
        ({"path": "/tmp/*"}, {"path": "/TMP/a"}),
        ({"url": "https://good.example*"}, {"url": "https://good.example@evil.example/"}),
        ({"url": "https://good.example/*"}, {"url": "https://good.example\\@evil.example/"}),
    ],
)
def test_only_what_is_certain_is_allowed(conditions: JsonObject, arguments: JsonObject) -> None:
    layers = layer(rule("allow", arguments=conditions), rule("deny"))
    assert decided(WRITE, layers, arguments=arguments) == "deny"


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("/tmp/*", "/tmp/a b/%25.txt"),
        ("https://good.example/*", "https://good.example/a%20b?next=/../c#d"),
        ("https://*.good.example/*", "https://a.good.example/b"),
        ("src/*", "src/a.py"),
        ("*.py", "src/a.py"),
        ("report*", "report-1"),
        ("~/work/*", "~/work/a"),
        ("C:\\work\\*", "C:\\work\\a"),
        ("C:/work/*", "C:/work/a"),
        ("*", "anything\nat all"),
    ],
)
def test_a_plain_address_is_certain(pattern: str, value: str) -> None:
    layers = layer(rule("allow", arguments={"path": pattern}), rule("deny"))
    assert decided(WRITE, layers, arguments={"path": value}) == "allow"


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        *(
            ("/etc/*", value)
            for value in (
                "/var/../etc/passwd",
                "/etc/./passwd",
                "//etc//passwd",
                "/./etc/passwd",
                "/ETC/passwd",
                "\\etc\\passwd",
                " /etc/passwd",
                "%2Fetc%2Fpasswd",
                "/var/%2e%2e/etc/passwd",
                "/var/%252e%252e/etc/passwd",
                "file:///etc/passwd",
                "FILE:///etc/passwd",
                "file:/etc/passwd",
                "file://localhost/etc/passwd",
                "file:///var/../etc/passwd",
                "file:///%65tc/passwd",
            )
        ),
        *(
            ("file:///etc/*", value)
            for value in ("/etc/passwd", "FILE:///etc/passwd", "file:///tmp/../etc/passwd")
        ),
        *(
            ("https://internal.example/*", value)
            for value in (
                "HTTPS://internal.example/a",
                "https://INTERNAL.example./a",
                "https://user:word@internal.example/a",
                "https://internal.example:443/a",
                "https:\\\\internal.example\\a",
                "https:/internal.example/a",
                "https://inter\tnal.example/a",
                "https://internal%2eexample/a",
                "https://ｉnternal.example/a",
            )
        ),
        ("http://127.0.0.1/*", "http://2130706433/a"),
        ("http://127.0.0.1/*", "http://0x7f.1/a"),
        ("https://a.example/admin/*", "https://a.example/x/%2e%2e/admin/users"),
        ("C:\\Windows\\*", "c:/windows/system32"),
        ("C:/Windows/*", "file:///C:/Windows/x"),
        ("C:/Windows/*", "\\\\?\\C:\\Windows\\x"),
        ("*/caf\u00e9/*", "/a/cafe\u0301/b"),
    ],
)
def test_an_address_is_also_compared_in_normalised_form(pattern: str, value: str) -> None:
    denied = layer(rule("deny", arguments={"path": pattern}))
    assert decided(WRITE, denied, arguments={"path": value}) == "deny"
    assert decided(WRITE, denied, arguments={"path": "/home/me/a"}) == "allow"


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("uri", ["FILE:///etc/passwd", "file:///tmp/../etc/passwd", "/etc/passwd"])
def test_a_rule_covers_a_resource_however_its_address_is_written(uri: str) -> None:
    resource = Subject(PermissionKind.RESOURCE, ServerId("files"), uri)
    assert decided(resource, layer(rule("deny", resource="file:///etc/*"))) == "deny"
    outside = layer(rule("allow", resource="file:///tmp/*"), rule("deny"))
    assert decided(resource, outside) == "deny"
