"""A tool as the author of a script reads about it: its parameters, and a call to start from.

Schemas come from servers and may be anything: they are read to a certain depth and length, and
references only within the schema itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from router.catalog.tool_definition import compact_json, type_name
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import lua_identifier
from router.domain.tools import Tool

_MAX_DEPTH = 3
_MAX_LINES = 80
_MAX_VALUES = 20
_FULL = {name: name for name in ("string", "integer", "number", "boolean", "object", "null")}
_PLACEHOLDERS = {"string": '"..."', "integer": "0", "number": "0", "boolean": "false"}


def parameter_lines(schema: JsonObject) -> list[str]:
    """`- a (number, required): First number`, with what an object contains below it."""
    lines: list[str] = []
    for line in _lines(schema, as_object(schema.get("$defs")), "", 0):
        if len(lines) == _MAX_LINES:
            return [*lines, "- … and more, which are too many to list."]
        lines.append(line)
    return lines


def example(call: str, tool: Tool) -> str:
    """A script that calls the tool: it runs once the values are filled in."""
    schema = tool.input_schema
    given = _table(schema, as_object(schema.get("$defs")), 0)
    return f"local response = {call}({given}):await()\nresult(response)"


def _lines(schema: JsonObject, known: JsonObject, prefix: str, depth: int) -> Iterator[str]:
    required = as_array(schema.get("required"))
    for name, definition in as_object(schema.get("properties")).items():
        own = _resolved(definition, known)
        indent = "  " * depth
        yield f"{indent}- {prefix}{name} ({_facts(own, name in required)}){_said(own)}"
        inner, mark = _inner(own, known)
        if inner.get("properties") and depth < _MAX_DEPTH:
            yield from _lines(inner, known, f"{prefix}{name}{mark}.", depth + 1)


def _inner(schema: JsonObject, known: JsonObject) -> tuple[JsonObject, str]:
    """What has parameters of its own: the object, or the items of an array of objects."""
    if schema.get("type") == "array":
        return _resolved(schema.get("items"), known), "[]"
    return schema, ""


def _resolved(definition: object, known: JsonObject) -> JsonObject:
    """A definition with what it refers to, or with its one choice besides null, in its place."""
    schema = as_object(definition)
    for _ in range(_MAX_DEPTH):
        options = as_array(schema.get("anyOf")) or as_array(schema.get("oneOf"))
        real = [option for option in options if as_object(option).get("type") != "null"]
        if len(real) == 1:
            schema = {**_without(schema, "anyOf", "oneOf"), **as_object(real[0])}
        name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if name not in known:
            return schema
        schema = {**_without(schema, "$ref"), **as_object(known[name])}
    return schema


def _without(schema: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in schema.items() if key not in keys}


def _facts(schema: JsonObject, required: bool) -> str:
    facts = [_type(schema)]
    if required:
        facts.append("required")
    if "default" in schema and schema["default"] is not None:
        facts.append(f"default {compact_json(schema['default'])}")
    return ", ".join(facts)


def _type(schema: JsonObject) -> str:
    if values := as_array(schema.get("enum")):
        shown = "|".join(compact_json(value) for value in values[:_MAX_VALUES])
        return shown if len(values) <= _MAX_VALUES else f"{shown}|…"
    if "const" in schema:
        return compact_json(schema["const"])
    return type_name(schema, _FULL)


def _said(schema: JsonObject) -> str:
    words = " ".join(str(schema.get("description") or "").split())
    return f": {words}" if words else ""


def _table(schema: JsonObject, known: JsonObject, depth: int) -> str:
    """The required parameters as a table of Lua; the optional ones as comments, at the top."""
    properties = as_object(schema.get("properties"))
    required = as_array(schema.get("required"))
    indent = "  " * (depth + 1)
    lines = [
        f"{indent}{_key(name)} = {_value(_resolved(properties[name], known), known, depth + 1)},"
        for name in properties
        if name in required
    ]
    if depth == 0:
        lines += [
            f"{indent}-- {_key(name)} = {_short_value(_resolved(properties[name], known))},"
            for name in properties
            if name not in required
        ]
    return "{\n" + "\n".join(lines) + "\n" + "  " * depth + "}" if lines else "{}"


def _value(schema: JsonObject, known: JsonObject, depth: int) -> str:
    """What to put in the place of a required value; of a list, one item to go by."""
    if depth < _MAX_DEPTH and schema.get("properties"):
        return _table(schema, known, depth)
    if depth < _MAX_DEPTH and schema.get("type") == "array" and "default" not in schema:
        return f"{{{_value(_resolved(schema.get('items'), known), known, depth)}}}"
    return _short_value(schema)


def _short_value(schema: JsonObject) -> str:
    for key in ("default", "const"):
        if schema.get(key) is not None:
            return _literal(schema[key])
    if values := as_array(schema.get("enum")):
        return _literal(values[0])
    declared = schema.get("type")
    kinds = as_array(declared) or [declared]
    if "array" in kinds:
        return "array{}"
    return next((_PLACEHOLDERS[str(k)] for k in kinds if str(k) in _PLACEHOLDERS), "{}")


def _literal(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        items = as_array(cast(object, value))
        return f"array{{{', '.join(_literal(item) for item in items)}}}"
    if isinstance(value, dict):
        members = as_object(cast(object, value)).items()
        return f"{{{', '.join(f'{_key(k)} = {_literal(v)}' for k, v in members)}}}"
    return "null" if value is None else json.dumps(value)


def quoted(text: str) -> str:
    """`text` as a string of Lua, on one line."""
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\{ord(m.group()):03d}", escaped) + '"'


def _key(name: str) -> str:
    return name if lua_identifier(name) == name else f"[{quoted(name)}]"
