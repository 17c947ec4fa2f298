"""The Lua documentation of a tool: its parameters, and an example call.

Schemas come from servers and are untrusted: depth and length are bounded, and only references
within the schema are followed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from router.catalog.tool_definition import FULL_NAMES, compact_json, enum_name, type_name
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import lua_identifier
from router.domain.tools import Tool

_MAX_DEPTH = 3
_MAX_LINES = 80
_MAX_VALUES = 20
_PLACEHOLDERS = {"string": '"..."', "integer": "0", "number": "0", "boolean": "false"}


def parameter_lines(schema: JsonObject) -> list[str]:
    """`- a (number, required): First number`, with the properties of an object below it."""
    lines: list[str] = []
    for line in _lines(schema, as_object(schema.get("$defs")), "", 0):
        if len(lines) == _MAX_LINES:
            return [*lines, "- … and more, which are too many to list."]
        lines.append(line)
    return lines


def example(call: str, tool: Tool) -> str:
    """A script that calls the tool, with placeholders for its arguments."""
    schema = tool.input_schema
    arguments = _table(schema, as_object(schema.get("$defs")), 0)
    return f"local response = {call}({arguments}):await()\nresult(response)"


def _lines(schema: JsonObject, definitions: JsonObject, prefix: str, depth: int) -> Iterator[str]:
    required = as_array(schema.get("required"))
    for name, definition in as_object(schema.get("properties")).items():
        own = _resolved(definition, definitions)
        indent = "  " * depth
        yield f"{indent}- {prefix}{name} ({_facts(own, name in required)}){_description(own)}"
        inner, mark = _inner(own, definitions)
        if inner.get("properties") and depth < _MAX_DEPTH:
            yield from _lines(inner, definitions, f"{prefix}{name}{mark}.", depth + 1)


def _inner(schema: JsonObject, definitions: JsonObject) -> tuple[JsonObject, str]:
    """The schema with nested parameters: the object, or the items of an array."""
    if schema.get("type") == "array":
        return _resolved(schema.get("items"), definitions), "[]"
    return schema, ""


def _resolved(definition: object, definitions: JsonObject) -> JsonObject:
    """A definition with its reference resolved, or with its only non-null option."""
    schema = as_object(definition)
    for _ in range(_MAX_DEPTH):
        options = as_array(schema.get("anyOf")) or as_array(schema.get("oneOf"))
        others = [option for option in options if as_object(option).get("type") != "null"]
        if len(others) == 1:
            schema = {**_without(schema, "anyOf", "oneOf"), **as_object(others[0])}
        name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if name not in definitions:
            return schema
        schema = {**_without(schema, "$ref"), **as_object(definitions[name])}
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
        return enum_name(values, _MAX_VALUES)
    if "const" in schema:
        return compact_json(schema["const"])
    return type_name(schema, FULL_NAMES)


def _description(schema: JsonObject) -> str:
    text = " ".join(str(schema.get("description") or "").split())
    return f": {text}" if text else ""


def _table(schema: JsonObject, definitions: JsonObject, depth: int) -> str:
    """The required parameters as a Lua table; at the top level, optional ones as comments."""
    properties = as_object(schema.get("properties"))
    required = as_array(schema.get("required"))
    indent = "  " * (depth + 1)
    resolved = {name: _resolved(each, definitions) for name, each in properties.items()}
    lines = [
        f"{indent}{_key(name)} = {_value(schema, definitions, depth + 1)},"
        for name, schema in resolved.items()
        if name in required
    ]
    if depth == 0:
        lines += [
            f"{indent}-- {_key(name)} = {_short_value(schema)},"
            for name, schema in resolved.items()
            if name not in required
        ]
    return "{\n" + "\n".join(lines) + "\n" + "  " * depth + "}" if lines else "{}"


def _value(schema: JsonObject, definitions: JsonObject, depth: int) -> str:
    """A placeholder for a required value; for an array, one item."""
    if depth < _MAX_DEPTH and schema.get("properties"):
        return _table(schema, definitions, depth)
    if depth < _MAX_DEPTH and schema.get("type") == "array" and "default" not in schema:
        return f"{{{_value(_resolved(schema.get('items'), definitions), definitions, depth)}}}"
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
    """`text` as a Lua string on one line."""
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text)
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\{ord(m.group()):03d}", escaped) + '"'


def _key(name: str) -> str:
    return name if lua_identifier(name) == name else f"[{quoted(name)}]"
