"""The reference of a tool for authors of scripts: parameters, and an example that runs."""

from __future__ import annotations

import pytest

from router.catalog.lua_reference import example, parameter_lines
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
