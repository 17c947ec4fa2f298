"""Decoded JSON from peers, and how to read it without trusting its shape."""

from __future__ import annotations

import json
from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]
"""A decoded JSON object. Gateway and upstream exchange these, never SDK models."""


def as_object(value: object) -> JsonObject:
    """`value` if it is a JSON object, else an empty one: what peers send is not trusted."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_array(value: object) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_integer(value: object) -> int | None:
    """`value` if it is an integer as JSON Schema has it, which 1.0 is too; else `None`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def parse_object(text: str | bytes) -> JsonObject:
    """The JSON object in `text`; an empty one for anything else."""
    try:
        return as_object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def is_deeper(value: object, depth: int) -> bool:
    """Whether arrays and objects are nested more than `depth` levels deep in `value`, which is one
    of them. Found without recursion."""
    level = [value]
    for _ in range(depth):
        level = [
            child
            for parent in level
            for child in (as_object(parent).values() or as_array(parent))
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
