"""Saved scripts: the comment at the top, and the tool definition made of it."""

from __future__ import annotations

import pytest

from router.catalog.saved_scripts import (
    check_script,
    checked_script_name,
    read_script,
    script_tool,
)
from router.domain.errors import InvalidInput

COUNT = """---Count the files
---below a folder.
---@param path string The folder.
---@param kinds? "file"|"folder" What to count.
-- @param depth integer? How deep.
---@param tags string[]
---@param more table
---@return number
local x = 1
--- not this one
"""


def test_the_comment_at_the_top_declares_description_and_parameters() -> None:
    script = read_script("count", COUNT)
    assert script.description == "Count the files below a folder."
    tool = script_tool(script)
    assert str(tool.key) == "scripts:count"
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The folder."},
            "kinds": {
                "type": "string",
                "enum": ["file", "folder"],
                "description": "What to count.",
            },
            "depth": {"type": "integer", "description": "How deep."},
            "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"},
        },
        "required": ["path", "tags", "more"],
    }


def test_a_script_needs_no_comment() -> None:
    script = read_script("bare", "result(1)")
    assert (script.description, script.parameters) == ("", ())
    assert script_tool(script).description


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("---@param path", "is not a valid parameter"),
        ("---@param path strnig The folder", "Unknown type in"),
        ("x" * 300_000, "at most 256 KB"),
    ],
)
def test_a_malformed_or_oversized_script_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        check_script(text)
    read_script("kept", text)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 65, "é"])
def test_script_names_are_valid_tool_names(name: str) -> None:
    with pytest.raises(InvalidInput):
        checked_script_name(name)
    assert checked_script_name(" count-1 ") == "count-1"
