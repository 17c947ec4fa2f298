"""Signatures, types and costs of tool definitions."""

from __future__ import annotations

from typing import Any

import pytest

from router.catalog.tool_definition import (
    Parameters,
    context_tokens,
    effect,
    parameters,
    signature,
    type_name,
)
from router.domain.json_values import JsonObject
from router.domain.tools import Effect, Parameter


def test_a_signature_names_required_parameters_first_and_marks_the_others() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "labels": {"type": "array", "items": {"type": "string"}},
            "owner": {"type": "string"},
            "repo": {"type": "string"},
            "title": {"type": "string"},
        },
        "required": ["owner", "repo", "title"],
    }
    expected = "create_issue(owner: str, repo: str, title: str, labels?: str[])"
    assert signature("create_issue", schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer"}, "int"),
        ({"type": ["string", "null"]}, "str"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}, "str|float"),
        ({"type": "array", "items": {"type": ["string", "integer"]}}, "(str|int)[]"),
        ({"enum": ["open", "closed"]}, '"open"|"closed"'),
        ({"enum": list(range(9))}, "0|1|2|3|4|5|…"),
        ({"$ref": "#/definitions/x"}, "any"),
        (None, "any"),
        (True, "any"),
        ({"type": 7}, "any"),
    ],
)
def test_a_type_is_abbreviated(schema: Any, expected: str) -> None:
    assert type_name(schema) == expected


def test_a_recursive_schema_still_has_a_type_name() -> None:
    nested: JsonObject = {"type": "string"}
    for _ in range(200):
        nested = {"type": "array", "items": nested}
    assert type_name(nested).startswith("any")


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"readOnlyHint": True, "destructiveHint": True}, Effect.READS),
        ({"destructiveHint": True}, Effect.DESTRUCTIVE),
        ({"readOnlyHint": False}, Effect.WRITES),
        ({}, Effect.UNKNOWN),
        ({"readOnlyHint": "yes"}, Effect.UNKNOWN),
    ],
)
def test_an_effect_comes_from_the_annotations_only(
    annotations: JsonObject, expected: Effect
) -> None:
    assert effect(annotations) is expected


def test_parameters_are_shown_with_full_types() -> None:
    schema = {"properties": {"n": {"type": ["integer", "null"]}, "s": {"type": "string"}}}
    assert [parameter.type for parameter in parameters(schema)] == ["integer", "string"]


def test_malformed_schemas_have_no_parameters_instead_of_failing() -> None:
    assert parameters({"properties": ["not", "an", "object"], "required": "x"}) == ()
    assert signature("f", {"properties": None, "required": 3}) == "f()"


OWNER = Parameter("owner", "string", True, "", {"type": "string"})


def test_references_of_a_parameter_are_resolved() -> None:
    schema: JsonObject = {
        "properties": {"at": {"$ref": "#/$defs/Point", "description": "Where"}},
        "$defs": {
            "Point": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Axis"}}},
            "Axis": {"type": "number"},
        },
    }
    [at] = parameters(schema)
    point = {"type": "object", "properties": {"x": {"type": "number"}}, "description": "Where"}
    assert (at.type, at.description, at.schema) == ("object", "Where", point)


def test_circular_and_dangling_references_are_cut() -> None:
    branches = {name: {"$ref": "#/$defs/Node"} for name in ("left", "right", "third", "fourth")}
    schema: JsonObject = {
        "properties": {
            "tree": {"$ref": "#/$defs/Node"},
            "loop": {"$ref": "#/$defs/Loop"},
            "gone": {"$ref": "#/$defs/Nothing"},
            "remote": {"$ref": "https://example.com/schema.json"},
        },
        "$defs": {
            "Node": {"type": "object", "properties": branches},
            "Loop": {"$ref": "#/$defs/Loop"},
        },
    }
    tree, loop, gone, remote = parameters(schema)
    assert tree.type == "object"
    assert len(str(tree.schema)) < 200_000
    assert (loop.type, gone.schema, remote.schema) == ("any", {}, {})


def test_four_characters_count_as_one_token() -> None:
    assert context_tokens("12345678") == 2
    assert context_tokens({"a": 1}) == 2


def test_lazy_parameters_equal_the_computed_ones() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"owner": {"type": "string"}},
        "required": ["owner"],
    }
    seen = Parameters(schema)
    assert tuple(seen) == parameters(schema) == (OWNER,)
    assert (len(seen), seen[0].name, bool(Parameters({}))) == (1, "owner", False)


def test_the_number_of_followed_references_is_bounded() -> None:
    """Each reference expands to thousands of nodes: following all would take seconds."""
    node: JsonObject = {"properties": {f"q{i}": {"$ref": "#/$defs/node"} for i in range(8)}}
    schema: JsonObject = {
        "$defs": {"node": node},
        "properties": {f"p{i}": {"$ref": "#/$defs/node"} for i in range(1000)},
    }
    read = parameters(schema)
    assert len(read) == 1000
    written = [len(str(each.schema)) for each in read]
    assert written[0] > 10_000
    assert sum(written) < 100 * written[0]
