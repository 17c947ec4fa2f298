"""The reference of a tool for authors of scripts: parameters, and an example that runs."""

from __future__ import annotations

import jsonschema
import pytest

from router.catalog.lua_reference import example, parameter_lines, return_lines
from router.catalog.response_shape import shape_of
from router.catalog.tool_definition import read_tool
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from tests.router.scripts.script_host import EchoHost, run

ISSUE: JsonObject = {
    "type": "object",
    "$defs": {
        "Label": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "colour": {"type": "string"}},
            "required": ["name"],
        }
    },
    "properties": {
        "title": {"type": "string", "description": "Its\n title"},
        "state": {"enum": ["open", "closed"], "default": "open"},
        "labels": {"type": "array", "items": {"$ref": "#/$defs/Label"}},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "place": {
            "type": "object",
            "properties": {"the-file": {"type": "string"}, "line": {"type": "integer"}},
            "required": ["the-file", "line"],
        },
        "loud": {"type": "boolean"},
        "end": {"type": "number"},
    },
    "required": ["title", "state", "labels", "place", "end", "loud"],
}


@pytest.mark.proves("PROG-4")
def test_parameters_have_type_required_enum_default_description_and_nested_fields() -> None:
    assert parameter_lines(ISSUE) == [
        "- title (string, required): Its title",
        '- state ("open"|"closed", required, default "open")',
        "- labels (any[], required)",
        "  - labels[].name (string, required)",
        "  - labels[].colour (string)",
        "- limit (integer)",
        "- place (object, required)",
        "  - place.the-file (string, required)",
        "  - place.line (integer, required)",
        "- loud (boolean, required)",
        "- end (number, required)",
    ]


@pytest.mark.proves("PROG-4")
async def test_the_example_is_valid_lua() -> None:
    tool = read_tool(ServerId("files"), "Files", {"name": "new-issue", "inputSchema": ISSUE})
    script = example("files.new_issue", tool)
    host = EchoHost()
    finished = await run(script, host)
    [call] = host.calls
    assert call.tool == "new_issue"
    assert finished.result == call.arguments
    assert call.arguments == {
        "title": "...",
        "state": "open",
        "labels": [{"name": "..."}],
        "place": {"the-file": "...", "line": 0},
        "end": 0,
        "loud": False,
    }


@pytest.mark.proves("PROG-4")
async def test_the_example_of_an_odd_schema_is_valid_lua() -> None:
    odd: JsonObject = {
        "properties": {
            'na"me\n': {"default": {"a": ["x\\", None, 1.5]}},
            "self": {"$ref": "#/$defs/Self"},
            "other": {"$ref": "https://example.org/schema"},
            "number": 5,
        },
        "$defs": {"Self": {"$ref": "#/$defs/Self"}},
        "required": ['na"me\n', "self", "other", "number", "missing", 7],
    }
    tool = read_tool(ServerId("files"), "Files", {"name": "odd", "inputSchema": odd})
    finished = await run(example("files.odd", tool))
    assert finished.result['na"me\n'] == {"a": ["x\\", None, 1.5]}
    assert len(parameter_lines(odd)) == 4


def test_a_tool_without_parameters_is_called_with_an_empty_table() -> None:
    tool = read_tool(ServerId("files"), "Files", {"name": "now", "inputSchema": {}})
    assert example("files.now", tool) == "local response = files.now({}):await()\nresult(response)"
    assert parameter_lines({}) == []


def test_a_recursive_schema_is_cut() -> None:
    many = {f"p{n}": {"type": "string"} for n in range(500)}
    assert len(parameter_lines({"properties": many})) == 81


@pytest.mark.proves("PROG-4")
def test_parameters_at_the_top_are_listed_before_nested_ones_are_cut() -> None:
    inner = {f"inner_{n}": {"type": "string"} for n in range(50)}
    nested: JsonObject = {"type": "object", "properties": inner}
    schema: JsonObject = {"properties": {f"top_{n}": nested for n in range(10)}}
    lines = parameter_lines(schema)
    assert len([line for line in lines if line.startswith("- top_")]) == 10
    assert lines[1] == "  - top_0.inner_0 (string)"
    assert len(lines) == 81
    assert lines[-1] == "- … and more, which are too many to list."


def test_a_schema_that_grows_without_end_is_read_in_no_time() -> None:
    names = [f"p{n}" for n in range(100)]
    endless: JsonObject = {"type": "object", "properties": {n: {"$ref": "#"} for n in names}}
    assert len(parameter_lines(endless)) == 81
    either: JsonObject = {"anyOf": [{"$ref": "#/$defs/E"}, {"type": "string"}]}
    looped: JsonObject = {"properties": {"e": either}, "required": ["e"], "$defs": {"E": either}}
    tool = read_tool(ServerId("files"), "Files", {"name": "loop", "inputSchema": looped})
    assert "e = " in example("files.loop", tool)


SCALARS: JsonObject = {
    "text": {"type": "string"},
    "page": {"type": "integer", "minimum": 1},
    "below": {"type": "number", "exclusiveMaximum": 0},
    "above": {"type": "number", "exclusiveMinimum": 5, "maximum": 100},
    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
    "optional": {"type": ["null", "boolean"]},
    "example": {"type": "string", "examples": ["2026"]},
    "day": {"type": "string", "format": "date"},
    "fixed": {"const": 7},
    "choice": {"enum": ["a", "b"]},
    "untyped": {"description": "Anything"},
    "nothing": {"type": "null"},
    "object": {"type": "object"},
    "map": {"additionalProperties": {"type": "string"}},
    "inner": {"properties": {"id": {"type": "integer", "minimum": 3}}, "required": ["id"]},
    "combined": {"allOf": [{"$ref": "#/definitions/Part"}, {"properties": {"b": {}}}]},
    "old": {"$ref": "#/definitions/Part"},
    "list": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    "rows": {"type": "array", "items": {"$ref": "#/definitions/Part"}, "minItems": 1},
    "deep": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    "option": {"oneOf": [{"$ref": "#/definitions/Part"}, {"type": "string"}]},
}
PART: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.proves("PROG-4")
async def test_the_example_meets_the_schema_for_scalars_and_objects() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": SCALARS,
        "required": list(SCALARS),
        "definitions": {"Part": {**PART, "additionalProperties": True}},
    }
    tool = read_tool(ServerId("files"), "Files", {"name": "all", "inputSchema": schema})
    finished = await run(example("files.all", tool))
    jsonschema.validate(finished.result, schema)
    assert finished.result.keys() == SCALARS.keys()
    lines = parameter_lines(schema)
    assert "  - old.a (string, required)" in lines
    assert "  - rows[].a (string, required)" in lines


def test_a_result_is_described_like_parameters() -> None:
    assert return_lines({"type": "array", "items": {"type": "string"}}) == ["string[]"]
    assert return_lines({"properties": {"a": {"type": "integer"}}}) == ["- a (integer)"]


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("text", "string"),
        ('{"a": [1, 2], "b": null}', "{a: number[], b: null}"),
        ("{broken", "string"),
        (
            [{"id": 1, "the name": "x", "ok": True}],
            '{id: number, "the name": string, ok: boolean}[]',
        ),
        ([], "any[]"),
        (None, "null"),
        ({f"k{n}": 1 for n in range(20)}, "…}"),
    ],
)
def test_the_shape_of_a_result_has_its_names_and_types(value: object, shape: str) -> None:
    assert shape_of(value).endswith(shape)


def test_the_shape_of_any_result_is_short() -> None:
    deep: object = 1
    for _ in range(500):
        deep = [{"a": deep, "b" * 500: deep}]
    assert len(shape_of(deep)) <= 600
    assert shape_of("[" * 60_000) == "string"
