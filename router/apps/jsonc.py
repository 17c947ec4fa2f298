"""JSON with comments and trailing commas: parsed with positions, edited in place.

An edit changes the span of one member and nothing else. Malformed text is refused with its line,
without quoting the file, which may contain a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from router.apps.line_edit import newline_of
from router.domain.errors import ConfigError, sentence
from router.domain.json_values import JsonObject

_WHITESPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SCALAR = re.compile(r"[^\s,:{}\[\]\"/]+")
_MAX_DEPTH = 200


@dataclass(slots=True)
class Node:
    """A value and its span. As a member of an object it begins with its key."""

    start: int
    end: int
    value: Any
    key_start: int = 0
    members: dict[str, Node] = field(default_factory=dict[str, "Node"])

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


def parse(path: Path, text: str) -> JsonObject:
    """The object in `text`; an empty file is an empty object."""
    return _Parser(path, text).document().value


def edited(path: Path, text: str, keys: Sequence[str], entry: JsonObject | None) -> str:
    """`text` with `entry` at `keys`; without it if `entry` is None."""
    root = _Parser(path, text).document()
    if entry is None:
        return _without_member(text, root, keys)
    if not text.strip():
        return f"{json.dumps(_nested(keys, entry), indent=2, ensure_ascii=False)}\n"
    return _with_member(path, text, root, keys, entry)


def has_comments(text: str) -> bool:
    without_strings = _STRING.sub("", text)
    return "//" in without_strings or "/*" in without_strings


class _Parser:
    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text
        self._at = 0

    def document(self) -> Node:
        self._skip()
        if self._at == len(self._text):
            return Node(self._at, self._at, {})
        node = self._value(0)
        if not node.is_object:
            raise self._error("it must be an object: { ... }")
        self._skip()
        if self._at < len(self._text):
            raise self._error("there is text after its end")
        return node

    def _value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self._error("it is nested too deeply")
        match self._peek():
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case '"':
                start, text = self._at, self._string()
                return Node(start, self._at, text)
            case _:
                return self._scalar()

    def _object(self, depth: int) -> Node:
        node = Node(self._at, 0, {})
        self._at += 1
        while self._next_item("}"):
            start = self._at
            key = self._string()
            self._skip()
            if self._peek() != ":":
                raise self._error("there must be a colon after a key")
            self._at += 1
            self._skip()
            child = self._value(depth + 1)
            child.key_start = start
            node.members[key] = child
            node.value[key] = child.value
            self._comma_or("}")
        node.end = self._at
        return node

    def _array(self, depth: int) -> Node:
        start, items = self._at, list[Any]()
        self._at += 1
        while self._next_item("]"):
            items.append(self._value(depth + 1).value)
            self._comma_or("]")
        return Node(start, self._at, items)

    def _next_item(self, closing: str) -> bool:
        """Whether another item follows; past `closing` if not."""
        self._skip()
        if self._peek() != closing:
            return True
        self._at += 1
        return False

    def _comma_or(self, closing: str) -> None:
        self._skip()
        if self._peek() == ",":
            self._at += 1
        elif self._peek() != closing:
            raise self._error(f'there must be a comma or "{closing}" here')

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._error("there must be a string in double quotes here")
        try:
            text = json.loads(found.group(), strict=False)
        except ValueError:
            raise self._error("a string has an invalid escape") from None
        self._at = found.end()
        return str(text)

    def _scalar(self) -> Node:
        found = _SCALAR.match(self._text, self._at)
        try:
            value = json.loads(found.group() if found else "")
        except ValueError:
            raise self._error("there must be a value here") from None
        start, self._at = self._at, found.end() if found else self._at
        return Node(start, self._at, value)

    def _skip(self) -> None:
        if found := _WHITESPACE.match(self._text, self._at):
            self._at = found.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _error(self, reason: str) -> ConfigError:
        return ConfigError(self._path, self._text.count("\n", 0, self._at) + 1, reason)


def _with_member(path: Path, text: str, node: Node, keys: Sequence[str], value: JsonObject) -> str:
    """Missing objects are created."""
    style = _Style.of(text)
    for depth, key in enumerate(keys[:-1], 1):
        if key not in node.members:
            return _inserted(text, style, node, key, _nested(keys[depth:], value))
        node = node.members[key]
        if not node.is_object:
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
    for key in keys[:-1]:
        if key not in node.members:
            return text
        node = node.members[key]
    if (member := node.members.get(keys[-1])) is None:
        return text
    start, end = member.key_start, member.end
    comma = _comma_after(text, end)
    around = text[node.start + 1 : start] + text[end if comma is None else comma + 1 : node.end - 1]
    if not around.strip():
        return text[: node.start + 1] + text[node.end - 1 :]
    if comma is not None:
        end = comma + 1
    line_start = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*\r?\n").match(text, end)
    is_last = list(node.members)[-1] == keys[-1]
    if not text[line_start:start].strip() and rest:
        start, end = line_start, rest.end()
    elif is_last:
        start = len(text[:start].rstrip(" \t"))
    before = text[:start]
    if comma is None and is_last and len(node.members) > 1:
        previous = list(node.members.values())[-2].end
        position = _comma_after(text, previous)
        if position is not None and position < start:
            before = text[:position] + text[position + 1 : start]
    return before + text[end:]


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


def _comma_after(text: str, position: int) -> int | None:
    found = _WHITESPACE.match(text, position)
    at = found.end() if found else position
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
