"""The Lua documentation of a tool: its parameters, what it returns, and an example call.

Schemas come from servers and are untrusted: depth and length are bounded, and only references
within the schema are followed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from router.catalog.tool_definition import FULL_NAMES, compact_json, enum_name, type_name
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import lua_identifier
from router.domain.tools import Tool

MAX_LINES = 80
_MAX_DEPTH = 3
_MAX_VALUES = 20
_MAX_RESOLVED = 5
_MAX_COMBINED = 20
_MAX_BOUND = 1e15
_EXAMPLES = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com",
    "url": "https://example.com",
    "time": "12:00:00",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


@dataclass(slots=True)
class _Parameter:
    line: str
    schema: JsonObject
    path: str
    inner: list[_Parameter] = field(default_factory=list["_Parameter"])


def parameter_lines(schema: JsonObject, max_lines: int = MAX_LINES) -> list[str]:
    """`- a (number, required): First number`, with the properties of an object below it. If there
    are too many, the most deeply nested ones are left out first."""
    top = _Parameter("", _resolved(schema, schema), "")
    level, room, complete = [top], max_lines, True
    for depth in range(_MAX_DEPTH + 1):
        for parameter in level:
            for inner in _inner(parameter, schema, depth):
                if not room:
                    complete = False
                    break
                parameter.inner.append(inner)
                room -= 1
        level = [inner for parameter in level for inner in parameter.inner]
    lines = list(_flat(top))
    return lines if complete else [*lines, "- … and more, which are too many to list."]


def return_lines(schema: JsonObject, max_lines: int = MAX_LINES) -> list[str]:
    """What a tool with this output schema returns, in the form of `parameter_lines`."""
    return parameter_lines(schema, max_lines) or [_type(_resolved(schema, schema))]


def example(call: str, tool: Tool) -> str:
    """A script that calls the tool, with placeholders for its arguments."""
    schema = tool.input_schema
    arguments = _table(_resolved(schema, schema), schema, 0)
    return f"local response = {call}({arguments}):await()\nresult(response)"


def _flat(parameter: _Parameter) -> Iterator[str]:
    for inner in parameter.inner:
        yield inner.line
        yield from _flat(inner)


def _inner(parameter: _Parameter, root: JsonObject, depth: int) -> Iterator[_Parameter]:
    """The parameters of an object, or of the items of an array."""
    schema, mark = parameter.schema, ""
    if schema.get("type") == "array":
        schema, mark = _resolved(schema.get("items"), root), "[]"
    prefix = f"{parameter.path}{mark}." if depth else ""
    required = as_array(schema.get("required"))
    for name, definition in as_object(schema.get("properties")).items():
        own = _resolved(definition, root)
        facts = f"{prefix}{name} ({_facts(own, name in required)}){_description(own)}"
        yield _Parameter(f"{'  ' * depth}- {facts}", own, f"{prefix}{name}")


def _resolved(definition: object, root: JsonObject) -> JsonObject:
    """A definition with its reference resolved, its only non-null option, and all it combines."""
    schema = as_object(definition)
    for _ in range(_MAX_RESOLVED):
        if isinstance(reference := schema.get("$ref"), str):
            schema = {**_target(reference, root), **_without(schema, "$ref")}
        elif "allOf" in schema:
            schema = _combined(schema, root)
        elif len(options := _options(schema)) == 1:
            schema = {**as_object(options[0]), **_without(schema, "anyOf", "oneOf")}
        else:
            break
    return _without(schema, "$ref", "allOf")


def _options(schema: JsonObject) -> list[object]:
    options = as_array(schema.get("anyOf")) or as_array(schema.get("oneOf"))
    return [option for option in options if as_object(option).get("type") != "null"]


def _combined(schema: JsonObject, root: JsonObject) -> JsonObject:
    """`schema` with what the members of its `allOf` say."""
    combined = _without(schema, "allOf")
    for member in as_array(schema["allOf"])[:_MAX_COMBINED]:
        part = as_object(member)
        if isinstance(reference := part.get("$ref"), str):
            part = {**_target(reference, root), **_without(part, "$ref", "allOf")}
        properties = {**as_object(part.get("properties")), **as_object(combined.get("properties"))}
        required = [*as_array(combined.get("required")), *as_array(part.get("required"))]
        combined = {**part, **combined}
        if properties:
            combined |= {"properties": properties, "required": required}
    return combined


def _target(reference: str, root: JsonObject) -> JsonObject:
    """The target of `#/$defs/Name`; empty for an external or dangling reference."""
    at: object = root if reference.startswith("#") else {}
    for step in reference.removeprefix("#").split("/")[1:]:
        at = as_object(at).get(step.replace("~1", "/").replace("~0", "~"))
    return as_object(at)


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


def _table(schema: JsonObject, root: JsonObject, depth: int) -> str:
    """The required parameters as a Lua table; at the top level, optional ones as comments."""
    properties = as_object(schema.get("properties"))
    required = [name for name in as_array(schema.get("required")) if name in properties]
    indent = "  " * (depth + 1)
    resolved = {name: _resolved(each, root) for name, each in properties.items()}
    lines = [
        f"{indent}{_key(name)} = {_value(own, root, depth + 1)},"
        for name, own in resolved.items()
        if name in required
    ]
    if depth == 0:
        lines += [
            f"{indent}-- {_key(name)} = {_short_value(own)},"
            for name, own in resolved.items()
            if name not in required
        ]
    return "{\n" + "\n".join(lines) + "\n" + "  " * depth + "}" if lines else "{}"


def _value(schema: JsonObject, root: JsonObject, depth: int) -> str:
    """A placeholder for a required value; for an array, one item."""
    if (given := _given(schema)) is not None:
        return given
    if depth < _MAX_DEPTH and (options := _options(schema)):
        return _value(_resolved(options[0], root), root, depth + 1)
    if depth < _MAX_DEPTH and schema.get("properties"):
        return _table(schema, root, depth)
    if depth < _MAX_DEPTH and _kind(schema) == "array":
        return f"array{{{_value(_resolved(schema.get('items'), root), root, depth)}}}"
    return _short_value(schema)


def _short_value(schema: JsonObject) -> str:
    if (given := _given(schema)) is not None:
        return given
    match _kind(schema):
        case "object":
            return "{}"
        case "array":
            return "array{}"
        case "boolean":
            return "false"
        case "integer" | "number":
            return _number(schema)
        case "null":
            return "null"
        case _:
            return quoted(_EXAMPLES.get(str(schema.get("format")), "..."))


def _given(schema: JsonObject) -> str | None:
    """A value that the schema itself names."""
    named = [schema.get("default"), schema.get("const")]
    named += [*as_array(schema.get("examples"))[:1], *as_array(schema.get("enum"))[:1]]
    return next((_literal(value) for value in named if value is not None), None)


def _kind(schema: JsonObject) -> str:
    """The type of the example's value: the first that is declared, or follows from the rest."""
    declared = schema.get("type")
    kinds = [str(kind) for kind in as_array(declared) or [declared] if kind not in (None, "null")]
    if kinds:
        return kinds[0]
    for option in _options(schema):
        return _kind(as_object(option))
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema else "null" if declared == "null" else "string"


def _number(schema: JsonObject) -> str:
    """The number nearest to zero that is in the schema's bounds, if it is an integer."""
    lowest, highest = (_bound(schema, kind) for kind in ("minimum", "maximum"))
    above, below = (_bound(schema, f"exclusive{kind}") for kind in ("Minimum", "Maximum"))
    if above is not None:
        lowest = max(math.floor(above) + 1, lowest if lowest is not None else above)
    if below is not None:
        highest = min(math.ceil(below) - 1, highest if highest is not None else below)
    if lowest is not None and lowest > 0:
        return _literal(math.ceil(lowest))
    return _literal(math.floor(highest)) if highest is not None and highest < 0 else "0"


def _bound(schema: JsonObject, name: str) -> float | None:
    value: object = schema.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if abs(value) < _MAX_BOUND else None


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
