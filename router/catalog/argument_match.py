"""Whether the arguments of a call match those of a rule. Pure.

To ask or deny, doubt counts as a match: a value of another type than the rule's or the schema's,
and text where an object is expected, because servers convert them. To allow, only what is certain
does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

from router.catalog.text_forms import Located, covers, nowhere
from router.config.workspace import PermissionRule
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import Permission

_MAX_SCHEMAS = 64
"""How many schemas are looked at to find the declared types of one value."""

_MAX_PARSED = 3
"""How often JSON inside JSON text is parsed."""


def arguments_match(
    rule: PermissionRule, arguments: JsonObject, schema: JsonObject, located: Located = nowhere
) -> bool:
    """Of several values, one match is enough to ask or deny; to allow, all must match."""
    certain = rule.permission is Permission.ALLOW
    for path, wanted in rule.arguments.items():
        keys = path.split(".")
        if certain:
            values = _values_at(arguments, keys)
            if not values or not all(_is_certainly(wanted, v, located) for v in values):
                return False
        elif not _may_match(wanted, arguments, keys, (schema,), schema, located):
            return False
    return True


def _values_at(value: object, keys: Sequence[str]) -> list[object]:
    """The values at a path; a list on the path stands for each of its items."""
    if isinstance(value, list):
        items = cast(list[object], value)
        return [found for item in items for found in _values_at(item, keys)]
    if not keys:
        return [value]
    if isinstance(value, dict) and keys[0] in value:
        return _values_at(cast(JsonObject, value)[keys[0]], keys[1:])
    return []


def _is_certainly(wanted: object, value: object, located: Located) -> bool:
    """A string is a glob pattern, other values must be equal; `true` is not 1."""
    if isinstance(wanted, str):
        return isinstance(value, str) and covers(wanted, value, certain=True, located=located)
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    return wanted == value


def _may_match(
    wanted: object,
    value: object,
    keys: Sequence[str],
    schemas: Sequence[JsonObject],
    root: JsonObject,
    located: Located,
) -> bool:
    """Whether something at `keys` in `value`, which `schemas` describe, may be `wanted`."""
    declared = list(_resolved(schemas, root))
    if isinstance(value, list):
        below = [as_object(each.get("items")) for each in declared]
        items = cast(list[object], value)
        return any(_may_match(wanted, item, keys, below, root, located) for item in items)
    types = _types(declared)
    if value is None and wanted is not None and "null" in types:
        return False  # as good as left out
    if not keys:
        return _may_be(wanted, value, types, located)
    if not isinstance(value, dict):
        return True  # servers read text as JSON, and who knows what else
    key, *rest = keys
    below = [_property(each, key) for each in declared]
    values = [v for k, v in cast(JsonObject, value).items() if k.casefold() == key.casefold()]
    if not values:
        values = [each["default"] for each in _resolved(below, root) if "default" in each]
    return any(_may_match(wanted, each, rest, below, root, located) for each in values)


def _may_be(wanted: object, value: object, types: set[str], located: Located) -> bool:
    if wanted is None:
        return value is None or _type_name(value) not in types
    if isinstance(wanted, bool) or isinstance(value, bool):
        return type(wanted) is not type(value) or wanted == value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return _same_number(wanted, value)
    if not isinstance(wanted, str) or not isinstance(value, str):
        return True
    if types and "string" not in types:
        return True
    return any(
        not isinstance(text, str) or covers(wanted, text, certain=False, located=located)
        for text in _readings(value)
    )


def _readings(text: str, depth: int = 0) -> Iterator[object]:
    """A text, and what it holds if a server reads it as JSON: the items of an array, an object, the
    text of a text."""
    yield text
    if depth == _MAX_PARSED or not text.lstrip().startswith(("[", "{", '"')):
        return
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return
    for value in as_array(parsed) or [parsed]:
        if isinstance(value, str):
            yield from _readings(value, depth + 1)
        else:
            yield value


def _same_number(one: float, other: float) -> bool:
    """Equal, or the same to a server that knows only 64-bit floats."""
    try:
        return one == other or float(one) == float(other)
    except OverflowError:
        return False


def _property(schema: JsonObject, key: str) -> JsonObject:
    return as_object(as_object(schema.get("properties")).get(key))


def _types(schemas: Sequence[JsonObject]) -> set[str]:
    """The types that schemas without references or alternatives declare."""
    types: set[str] = set()
    for schema in schemas:
        declared = schema.get("type")
        types |= {each for each in (as_array(declared) or [declared]) if isinstance(each, str)}
        values = [*as_array(schema.get("enum")), *([schema["const"]] if "const" in schema else [])]
        types |= {_type_name(each) for each in values}
        if schema.get("nullable") is True:
            types.add("null")
    return types


def _type_name(value: object) -> str:
    names: dict[type, str] = {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
    }
    return "null" if value is None else names.get(type(value), "object")


def _resolved(schemas: Sequence[JsonObject], root: JsonObject) -> Iterator[JsonObject]:
    """Schemas, and those they refer to or combine, each once and not too many."""
    waiting = list(schemas)
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_SCHEMAS:
        schema = waiting.pop(0)
        if id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        for keyword in ("anyOf", "oneOf", "allOf"):
            waiting += map(as_object, as_array(schema.get(keyword))[:_MAX_SCHEMAS])
        if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#"):
            waiting.append(_at_pointer(root, reference))


def _at_pointer(root: JsonObject, reference: str) -> JsonObject:
    value: Any = root
    for part in reference.lstrip("#").split("/")[1:_MAX_SCHEMAS]:
        value = as_object(value).get(part.replace("~1", "/").replace("~0", "~"))
    return as_object(value)
