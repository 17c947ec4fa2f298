"""A first look at a call's arguments: required, type and enum, nothing that could take long.

Never `pattern` (a regular expression can hang the loop) and never `$ref` or combinations: what we
can't judge cheaply is the server's to judge.
"""

from __future__ import annotations

from router.domain.json_values import JsonObject, as_array, as_object

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_COMBINATIONS = ("$ref", "anyOf", "oneOf", "allOf", "not", "if")


def problems(schema: JsonObject, arguments: JsonObject) -> list[str]:
    """What is wrong with `arguments`, one sentence each; empty when nothing is."""
    properties = as_object(schema.get("properties"))
    required = [name for name in as_array(schema.get("required")) if isinstance(name, str)]
    missing = [f'"{name}" is required.' for name in required if name not in arguments]
    unknown = _unknown(schema, properties, arguments)
    wrong = [
        problem
        for name, value in arguments.items()
        # Models send null for what they leave out; whether that is fine is the server's to say.
        if (value is not None or name in required)
        and (problem := _problem(name, as_object(properties.get(name)), value))
    ]
    return missing + unknown + wrong


def _unknown(schema: JsonObject, properties: JsonObject, arguments: JsonObject) -> list[str]:
    if schema.get("additionalProperties") is not False or schema.get("patternProperties"):
        return []
    return [f'"{name}" is not a parameter.' for name in arguments if name not in properties]


def _problem(name: str, schema: JsonObject, value: object) -> str | None:
    if any(keyword in schema for keyword in _COMBINATIONS):
        return None
    allowed = as_array(schema.get("enum"))
    if allowed and value not in allowed:
        shown = ", ".join(str(option) for option in allowed[:20])
        return f'"{name}" must be one of: {shown}.'
    declared = schema.get("type")
    types = as_array(declared) or [declared]
    if declared is not None and not any(_is(str(t), value) for t in types):
        return f'"{name}" must be of type {" or ".join(str(t) for t in types)}.'
    return None


def _is(declared: str, value: object) -> bool:
    if declared not in _TYPES:
        return True
    if isinstance(value, bool):
        return declared == "boolean"
    if declared == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[declared])
