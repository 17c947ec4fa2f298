"""JSON with comments and trailing commas: read as plain JSON, edited in place.

An edit changes the span of one member and nothing else. Malformed text is refused with its line,
without quoting the file, which may contain a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from router.apps.line_edit import MAX_DEPTH, TOO_DEEP, newline_of
from router.domain.errors import ConfigError, sentence
from router.domain.json_values import JsonObject, is_deeper

_WHITESPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+(?P<closed>")?+')
"""One that is not closed extends to the end of its line, and a comment to the end of the text:
looking for their end from each place again would be quadratic."""
_COMMENT = re.compile(
    rf"{_STRING.pattern}|//[^\n]*|/\*.*?\*/|(?P<unclosed>/\*.*)|[^\S \t\r\n]", re.DOTALL
)
"""A comment, or whitespace that JSON does not have; strings match first and are kept."""
_TRAILING_COMMA = re.compile(rf"{_STRING.pattern}|[{{\[]\s*,|,(?=\s*[}}\]])")
"""After an opening bracket a comma trails nothing and is kept."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class Node:
    """A value and its span in `text`, which is plain JSON. As a member of an object it begins with
    its key."""

    text: str
    start: int
    end: int
    value: Any
    key_start: int = 0

    @cached_property
    def members(self) -> dict[str, Node]:
        members: dict[str, Node] = {}
        if not self.text.startswith("{", self.start):
            return members
        at = _next_token(self.text, self.start + 1)
        while self.text[at] != "}":
            key, end = _DECODER.raw_decode(self.text, at)
            start = _next_token(self.text, _next_token(self.text, end) + 1)  # past the colon
            value, end = _DECODER.raw_decode(self.text, start)
            members[key] = Node(self.text, start, end, value, key_start=at)
            at = _next_token(self.text, end)
            if self.text[at] == ",":
                at = _next_token(self.text, at + 1)
        return members


def parse(path: Path, text: str) -> JsonObject:
    """The object in `text`; an empty file is an empty object."""
    return _root(path, text).value


def edited(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    """`text` with `entry` at `keys`; without it if `entry` is None."""
    root = _root(path, text)
    if entry is None:
        return _without_member(text, root, keys)
    if not text.strip():
        return f"{json.dumps(_nested(keys, entry), indent=2, ensure_ascii=False)}\n"
    return _with_member(path, text, root, keys, entry)


def has_comments(text: str) -> bool:
    without_strings = _STRING.sub("", text)
    return "//" in without_strings or "/*" in without_strings


def _root(path: Path, text: str) -> Node:
    plain = _TRAILING_COMMA.sub(_blank, _COMMENT.sub(_blank, text))
    if not plain.strip():
        return Node(plain, len(plain), len(plain), {})
    for string in _STRING.finditer(plain):
        if string["closed"] is None:
            line = plain.count("\n", 0, string.start()) + 1
            raise ConfigError(path, line, "a string is not closed")
    try:
        value = json.loads(plain, strict=False)
    except json.JSONDecodeError as error:
        reason = sentence("invalid JSON: {reason}", reason=error.msg.lower())
        raise ConfigError(path, error.lineno, reason) from None
    except ValueError:
        raise ConfigError(path, None, "a number has too many digits") from None
    except RecursionError:
        raise ConfigError(path, None, TOO_DEEP) from None
    if not isinstance(value, dict):
        raise ConfigError(path, 1, "it must be an object: { ... }")
    if is_deeper(cast(object, value), MAX_DEPTH):
        raise ConfigError(path, None, TOO_DEEP)
    return Node(plain, plain.index("{"), len(plain.rstrip()), cast(object, value))


def _blank(found: re.Match[str]) -> str:
    """Spaces instead of the match, so that positions and lines stay the same."""
    kept = found[0][0] in '"{[' or found.lastgroup == "unclosed"
    return found[0] if kept else re.sub(r"[^\n]", " ", found[0])


def _with_member(path: Path, text: str, node: Node, keys: Sequence[str], value: JsonObject) -> str:
    """Missing objects are created."""
    style = _Style.of(text)
    for depth, key in enumerate(keys[:-1], 1):
        if key not in node.members:
            return _inserted(text, style, node, key, _nested(keys[depth:], value))
        node = node.members[key]
        if not isinstance(node.value, dict):
            line = text.count("\n", 0, node.start) + 1
            raise ConfigError(
                path, line, sentence('"{name}" must be an object: {{ ... }}', name=key)
            )
    if keys[-1] not in node.members:
        return _inserted(text, style, node, keys[-1], value)
    member = node.members[keys[-1]]
    written = style.dump(value, style.indent_at(member.key_start))
    return text[: member.start] + written + text[member.end :]


def _without_member(text: str, node: Node, keys: Sequence[str]) -> str:
    """The comma that the member needed is removed with it."""
    parent = node
    for key in keys:
        if key not in node.members:
            return text
        parent, node = node, node.members[key]
    start, comma = node.key_start, _comma_after(text, node.end)
    end = node.end if comma is None else comma + 1
    if not (text[parent.start + 1 : start] + text[end : parent.end - 1]).strip():
        return text[: parent.start + 1] + text[parent.end - 1 :]
    members = list(parent.members.values())
    line_start = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*\r?\n").match(text, end)
    if not text[line_start:start].strip() and rest:
        start, end = line_start, rest.end()
    elif node is members[-1]:
        start = len(text[:start].rstrip(" \t"))
    if comma is not None or len(members) == 1:
        return text[:start] + text[end:]
    before = _next_token(text, members[-2].end)
    return text[:before] + text[before + 1 : start] + text[end:]


def _inserted(text: str, style: _Style, node: Node, key: str, value: object) -> str:
    """`text` with one more member at the end of `node`."""
    members = list(node.members.values())
    closing = node.end - 1
    written = json.dumps(key, ensure_ascii=False)
    if members and "\n" not in text[node.start : closing]:
        compact = json.dumps(value, ensure_ascii=False)
        end = members[-1].end
        return f"{text[:end]}, {written}: {compact}{text[end:]}"
    outer = style.indent_at(node.start)
    inner = style.indent_at(members[0].key_start) if members else outer + style.unit
    body, tail, comma = text[:closing], text[closing:], ""
    if members and _comma_after(text, members[-1].end) is not None:
        # A trailing comma stays, also when our member is removed again.
        comma = ","
    elif members:
        end = members[-1].end
        body = f"{text[:end]},{text[end:closing]}"
    new = f"{inner}{written}: {style.dump(value, inner)}{comma}"
    return f"{body.rstrip()}{style.newline}{new}{style.newline}{outer}{tail}"


def _next_token(text: str, position: int) -> int:
    found = _WHITESPACE.match(text, position)
    return found.end() if found else position


def _comma_after(text: str, position: int) -> int | None:
    at = _next_token(text, position)
    return at if text[at : at + 1] == "," else None


def _nested(keys: Sequence[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


@dataclass(frozen=True, slots=True)
class _Style:
    """The indentation and line ends of a file, for what we add."""

    text: str
    unit: str
    newline: str

    @classmethod
    def of(cls, text: str) -> _Style:
        indented = re.search(r'^([ \t]+)"', text, re.MULTILINE)
        return cls(text, indented.group(1) if indented else "  ", newline_of(text))

    def indent_at(self, position: int) -> str:
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip())]

    def dump(self, value: object, indent: str) -> str:
        lines = json.dumps(value, indent=self.unit, ensure_ascii=False).split("\n")
        return f"{self.newline}{indent}".join(lines)
