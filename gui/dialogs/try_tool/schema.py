"""Reads the kind of form field for an argument from its JSON schema. Pure.

Schemas come from servers and may be anything: what fits no field is entered as JSON, and
constraints beyond the type are left to the server.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from router.domain.json_values import JsonObject, as_array, as_object

MAX_DEPTH = 5
_EXAMPLES = {
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "date-time": "2026-01-31T09:30:00Z",
    "uri": "https://…",
    "url": "https://…",
    "email": "name@example.com",
    "uuid": "00000000-0000-0000-0000-000000000000",
}
"""How a value of a format looks."""


class ShapeKind(StrEnum):
    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    OBJECT = "object"
    ARRAY = "list"
    ONE_OF = "one of"
    JSON = "any"


@dataclass(frozen=True, slots=True)
class Shape:
    kind: ShapeKind
    choices: tuple[object, ...] = ()
    members: tuple[SchemaProperty, ...] = ()
    item: Shape | None = None
    options: tuple[tuple[str, Shape], ...] = ()
    """Of `ONE_OF`: each with its title."""
    example: str = ""
    """How a value looks, or the default."""
    format: str = ""


@dataclass(frozen=True, slots=True)
class SchemaProperty:
    """A named value: an argument, or a part of one."""

    name: str
    type: str
    required: bool
    description: str
    shape: Shape


def shape_of(schema: JsonObject, depth: int = 0) -> Shape:
    schema = _plain(schema)
    if depth >= MAX_DEPTH:
        return Shape(ShapeKind.JSON, example=_example(schema))
    if values := _values(schema):
        return Shape(ShapeKind.CHOICE, choices=values, example=_example(schema))
    if options := _options(schema):
        named = tuple(
            (_title(option, number), shape_of(option, depth + 1))
            for number, option in enumerate(options, 1)
        )
        return Shape(ShapeKind.ONE_OF, options=named)
    return _typed(schema, depth)


def type_text(shape: Shape) -> str:
    if shape.kind is ShapeKind.ARRAY and shape.item is not None:
        return f"{type_text(shape.item)}[]"
    return "|".join(map(value_text, shape.choices)) if shape.choices else shape.kind.value


def value_text(value: object) -> str:
    """A value as text: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _typed(schema: JsonObject, depth: int) -> Shape:
    example = _example(schema)
    match _type(schema):
        case "object":
            properties = as_object(schema.get("properties"))
            if not properties:
                return Shape(ShapeKind.JSON, example=example or "{}")
            return Shape(ShapeKind.OBJECT, members=_members(schema, depth))
        case "array":
            items = as_object(schema.get("items"))
            if not items:
                return Shape(ShapeKind.JSON, example=example or "[]")
            return Shape(ShapeKind.ARRAY, item=shape_of(items, depth + 1))
        case "string":
            return Shape(ShapeKind.STRING, example=example, format=str(schema.get("format") or ""))
        case "integer" | "number" | "boolean" as simple:
            return Shape(ShapeKind(simple), example=example)
        case _:
            return Shape(ShapeKind.JSON, example=example)


def _members(schema: JsonObject, depth: int) -> tuple[SchemaProperty, ...]:
    required = as_array(schema.get("required"))
    made: list[SchemaProperty] = []
    for name, each in as_object(schema.get("properties")).items():
        definition = as_object(each)
        shape = shape_of(definition, depth + 1)
        description = str(definition.get("description") or "")
        made.append(SchemaProperty(name, type_text(shape), name in required, description, shape))
    return tuple(made)


def _plain(schema: JsonObject) -> JsonObject:
    """A choice between one schema and null becomes that schema."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        options = [as_object(each) for each in as_array(schema.get(keyword))]
        real = [each for each in options if each.get("type") != "null"]
        if len(real) == 1:
            others = {key: value for key, value in schema.items() if key != keyword}
            return _plain({**real[0], **others})
    return schema


def _options(schema: JsonObject) -> list[JsonObject]:
    for keyword in ("oneOf", "anyOf"):
        options = [as_object(each) for each in as_array(schema.get(keyword))]
        if len(options) > 1:
            return [each for each in options if each.get("type") != "null"]
    return []


def _values(schema: JsonObject) -> tuple[object, ...]:
    """The allowed values, if the schema lists them."""
    if "const" in schema:
        return (schema["const"],)
    if values := as_array(schema.get("enum")):
        return tuple(values)
    options = _options(schema)
    if options and all("const" in option for option in options):
        return tuple(option["const"] for option in options)
    return ()


def _type(schema: JsonObject) -> object:
    declared = schema.get("type")
    types = [each for each in as_array(declared) if each != "null"] or [declared]
    if len(types) > 1:
        return None
    if types[0] is None and schema.get("properties"):
        return "object"
    return types[0]


def _title(option: JsonObject, number: int) -> str:
    named = option.get("title") or option.get("description")
    return str(named or type_text(shape_of(option, MAX_DEPTH - 1)) or number)[:60]


def _example(schema: JsonObject) -> str:
    if schema.get("default") is not None:
        return value_text(schema["default"])
    examples = as_array(schema.get("examples"))
    if examples:
        return value_text(examples[0])
    return _EXAMPLES.get(str(schema.get("format") or ""), "")
