"""An unusable file is refused with the exact line and a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.config.workspace import WorkspaceConfig
from router.domain.errors import ConfigError
from router.store.json_text import decode, dump, line_of, parse, validated

PATH = Path("workspace.json")

WORKSPACE = """{
  "schemaVersion": 1,
  "name": "Work",
  "mcpServers": {
    "time": {
      "command": "uvx",
      "args": ["mcp-server-time", "--local"],
      "env": {"A \\"quoted\\" {name": "1",
        "TZ": "UTC"}
    },
    "files": {}
  }
}
"""


def rejection(text: str) -> tuple[int | None, str]:
    with pytest.raises(ConfigError) as caught:
        parse(PATH, text)
    assert caught.value.path == PATH
    return caught.value.line, caught.value.reason


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, "expecting ',' delimiter (column 3)"),
        ('{\n  "a" 1\n}', 2, "expecting ':' delimiter (column 7)"),
        ('{\n  "a": nope\n}', 2, "expecting value (column 8)"),
        ('{\n  "a": [1, 2', 2, "expecting ',' delimiter (column 13)"),
        ('{\n  "a": 1,\n}', 2, "trailing comma before a closing bracket"),
        ('{\n  "a": [1,\n\n  ]}', 2, "trailing comma before a closing bracket"),
        ('{\n  // a note\n  "a": 1\n}', 2, "JSON does not allow comments"),
        ('{\n  "a": 1, /* a note */\n  "b": 2\n}', 2, "JSON does not allow comments"),
        ('{\n  "a": 1,\n  "b": {},\n  "a": 2\n}', 4, 'duplicate key "a"'),
        ('{"x": {\n  "a": 1,\n  "\\u0061": 2\n}}', 3, 'duplicate key "a"'),
        ('{"x": [{"a": 1},\n {"a": 1, \n"a": 2}]}', 3, 'duplicate key "a"'),
        ("\n\n[1]", 3, "it must be an object: { ... }"),
        ('"text"', 1, "it must be an object: { ... }"),
        ("", 1, "expecting value (column 1)"),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    assert rejection(text) == (line, reason)


def test_numbers_that_are_not_json_are_refused() -> None:
    assert "NaN is not a JSON number" in rejection('{"a": NaN}')[1]
    assert "invalid JSON number" in rejection(f'{{"a": {"9" * 5000}}}')[1]


def test_unbounded_nesting_is_refused() -> None:
    assert rejection('{"a":' + "[" * 100_000 + "]" * 100_000 + "}")[1] == "it is nested too deeply"


def test_the_same_key_in_different_objects_is_accepted() -> None:
    text = '{"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}], "x": {}}'
    assert parse(PATH, text)["c"] == [{"x": 1}, {"x": 1}]


def test_a_byte_order_mark_is_removed() -> None:
    data = b'\xef\xbb\xbf{"a": 1}'
    assert parse(PATH, decode(PATH, data)) == {"a": 1}
    assert parse(PATH, data.decode()) == {"a": 1}


def test_text_that_is_not_utf_8_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError) as caught:
        decode(PATH, '{\n "name": "Café"}'.encode("latin-1"))
    assert (caught.value.line, caught.value.reason) == (2, "it is not UTF-8 text")


@pytest.mark.parametrize(
    ("loc", "line"),
    [
        (("name",), 3),
        (("mcpServers", "time"), 5),
        (("mcpServers", "time", "command"), 6),
        (("mcpServers", "time", "args", 1), 7),
        (("mcpServers", "time", "env", 'A "quoted" {name'), 8),
        (("mcpServers", "time", "env", "TZ"), 9),
        (("mcpServers", "files"), 11),
        (("mcpServers", "files", "command"), 11),
        (("mcpServers", "gone", "command"), 4),
        (("nothing",), None),
        ((), None),
    ],
)
def test_the_line_is_that_of_the_key_or_its_parent(
    loc: tuple[str | int, ...], line: int | None
) -> None:
    assert line_of(WORKSPACE, loc) == line


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        (
            '"files": {}',
            '"files": {"args": []}',
            11,
            'mcpServers.files: a server needs either "command" or "url"',
        ),
        ('"uvx"', "7", 6, "mcpServers.time.command: input should be a valid string"),
        ('"name": "Work",', "", None, '"name" is missing'),
        ('"name"', '"Name"', None, '"name" is missing (and 1 more)'),
        ('"name": "Work"', '"name": "Work", "x": 1', 3, '"x" is not a known key'),
    ],
)
def test_a_validation_error_is_one_message_with_a_line(
    old: str, new: str, line: int | None, reason: str
) -> None:
    text = WORKSPACE.replace('"files": {}', '"files": {"url": "http://a"}')
    text = (WORKSPACE if old == '"files": {}' else text).replace(old, new)
    with pytest.raises(ConfigError) as caught:
        validated(WorkspaceConfig, PATH, text, parse(PATH, text))
    assert (caught.value.line, caught.value.reason) == (line, reason)


def test_an_error_never_quotes_a_value() -> None:
    text = WORKSPACE.replace('"UTC"', '["hunter2"]')
    with pytest.raises(ConfigError) as caught:
        validated(WorkspaceConfig, PATH, text, parse(PATH, text))
    assert "hunter2" not in str(caught.value)
    assert caught.value.line == 9


def test_every_json_value_is_written_and_read_back() -> None:
    value = {"name": "日本語 é", "half": "\ud83d", "pair": "😀"}
    data = dump(value)
    assert "日本語".encode() in data
    assert parse(PATH, decode(PATH, data)) == value
