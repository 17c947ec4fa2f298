"""Decoded JSON from peers, and how to read it without trusting its shape."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]
"""A decoded JSON object. Gateway and upstream exchange these, never SDK models."""


def as_object(value: object) -> JsonObject:
    """`value` if it is a JSON object, else an empty one: what peers send is not trusted."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_array(value: object) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []
