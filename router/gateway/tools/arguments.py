"""A call's arguments: a cheap check against the input schema, and a preview for people.

The check knows `required`, `type` and `enum`. Never `pattern` (a regular expression can hang the
loop), `$ref` or combinations: whatever can't be checked cheaply is left to the server.
"""

from __future__ import annotations

import json
from typing import Any, cast

from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_array, as_object
from router.store.redaction import Redactor
from router.wire.jsonrpc import decode

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
_MAX_VALUE = 400
_MAX_TEXT = 8000
_MAX_ITEMS = 50
_MAX_DEPTH = 8


def problems(schema: JsonObject, arguments: JsonObject) -> list[str]:
    """What is wrong with `arguments`, one sentence each; empty if nothing is."""
    properties = as_object(schema.get("properties"))
    required = [name for name in as_array(schema.get("required")) if isinstance(name, str)]
    missing = [f'"{name}" is required.' for name in required if name not in arguments]
    unknown = _unknown(schema, properties, arguments)
    wrong = [
        problem
        for name, value in arguments.items()
        # Models send null for what they leave out; the server decides whether that is fine.
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


def own_arguments(arguments: JsonObject, name: str) -> JsonObject:
    """The arguments of another tool in the argument `name` of one of ours; empty without it. Raises
    `InvalidInput`."""
    own = decoded_text(arguments.get(name))
    if own is None or own == "":
        return {}
    if not isinstance(own, dict):
        raise InvalidInput(f'"{name}" must be an object.')
    return cast(JsonObject, own)


def decoded_text(value: object) -> object:
    """The array or object in a text that is JSON, as models often send it; else `value` itself."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        decoded = decode(value.encode())
    except ValueError:
        return value
    if isinstance(decoded, dict):
        return as_object(cast(object, decoded))
    return as_array(cast(object, decoded)) if isinstance(decoded, list) else value


def preview(arguments: JsonObject, redactor: Redactor) -> str:
    """`arguments` as indented JSON of bounded length. Secrets are masked before anything is cut:
    half a secret is one too."""
    text = json.dumps(
        _cut(redactor.json(_cut(arguments, 4 * _MAX_TEXT), by_name=True)),
        indent=2,
        ensure_ascii=False,
    )
    return _shortened(text, _MAX_TEXT)


def _cut(value: Any, longest: int = _MAX_VALUE, depth: int = 0) -> Any:
    if isinstance(value, str):
        return _shortened(value, longest)
    if isinstance(value, list | dict) and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        items = cast(list[Any], value)
        more = [f"… and {len(items) - _MAX_ITEMS} more"] if len(items) > _MAX_ITEMS else []
        return [_cut(item, longest, depth + 1) for item in items[:_MAX_ITEMS]] + more
    if isinstance(value, dict):
        pairs = list(cast(JsonObject, value).items())
        return {key: _cut(item, longest, depth + 1) for key, item in pairs[:_MAX_ITEMS]}
    return value


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"
